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

/** The number of the last frame of each part; null while the whole part is asked for.
 *  @type {Map<string, number | null>} */
const numbers = new Map();

document.addEventListener("htmx:ws:after:connection", () => {
  numbers.clear();
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
  if (code === signedOut) document.dispatchEvent(new Event("hide:signed-out"));
});
