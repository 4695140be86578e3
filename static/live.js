// SPDX-License-Identifier: Apache-2.0
// Checks the numbers of live frames, and says when the live connection is down and when
// the session has ended.

const state = document.getElementById("live-state");
const signedOut = 4401; // live.go
const gone = 4404; // live.go
const otherRole = 4403; // live.go
const tooMany = 4408; // sockets.go
const notConnected = state.textContent;
const final = new Map([
  [signedOut, notConnected],
  [gone, "This was deleted, or is no longer available to you. Reload the page to see more."],
  [tooMany, "This is open in too many windows. Reload to refresh this one."],
]);

// What the page says if hide answers and a websocket does not open.
const blocked = "Live updates do not get through to this page: a proxy in front of hide does not pass websockets on. Reload the page to refresh it, and tell the administrator of hide.";
const upgradeRequired = 426; // live.go

/** Whether a connection has opened since the page was loaded. */
let opened = false;

/** The number of the last frame of each part; null while the whole part is asked for.
 *  @type {Map<string, number | null>} */
const numbers = new Map();

document.addEventListener("htmx:ws:after:connection", () => {
  numbers.clear();
  opened = true;
  state.hidden = true;
  state.dataset.connected = "true";
});

// A frame holds the whole part, or what has changed since the frame before it. When one is
// missing, the page asks for the whole part, and shows no change until it has come.
document.addEventListener("htmx:ws:before:message:incoming", (event) => {
  const { connection, message } = event.detail;
  const { part, n, whole } = JSON.parse(message.data);
  if (whole || numbers.get(part) === n - 1) {
    numbers.set(part, n);
    return;
  }
  event.detail.cancelled = true;
  if (numbers.get(part) === null) return;
  numbers.set(part, null);
  connection.socket?.send(JSON.stringify({ reload: part }));
});

document.addEventListener("htmx:ws:close", (event) => {
  const { code } = event.detail;
  if (code === otherRole) return location.reload(); // what is on it may not be for this person any more
  state.dataset.connected = "false";
  if (document.hidden && !final.has(code)) return; // paused on purpose
  state.textContent = final.get(code) ?? notConnected;
  state.hidden = false;
  if (!opened && !final.has(code)) tellOfProxy();
  if (code === signedOut) document.dispatchEvent(new Event("hide:signed-out"));
});

/** A browser does not say why a websocket failed. The same address without a websocket does:
 *  426 means that the server would have opened it. */
async function tellOfProxy() {
  const address = document.getElementById("live")?.getAttribute("hx-ws:connect");
  if (!address) return;
  const answer = await fetch(address, { headers: { "Hide-Unattended": "true" } }).catch(() => null);
  if (!opened && answer?.status === upgradeRequired) state.textContent = blocked;
}
