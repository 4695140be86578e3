// SPDX-License-Identifier: Apache-2.0
// Checks the numbers of live frames, and says when the live connection is down and when
// the session has ended.

const state = document.getElementById("live-state");
const signedOut = 4401; // live.go
const gone = 4404; // live.go
const tooMany = 4408; // sockets.go
const notConnected = state.textContent;
const final = new Map([
  [signedOut, notConnected],
  [gone, "This was deleted, or is no longer available to you. Reload the page to see more."],
  [tooMany, "This is open in too many windows. Reload to refresh this one."],
]);

/** The number of the last frame of each part. A part that is asked for anew has none.
 *  @type {Map<string, number>} */
const numbers = new Map();

/** The parts that are asked for and have not come.
 *  @type {Set<string>} */
const asked = new Set();

document.addEventListener("htmx:ws:after:connection", () => {
  numbers.clear();
  asked.clear();
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
    if (whole) asked.delete(part);
    return;
  }
  event.detail.cancelled = true;
  numbers.delete(part);
  if (asked.has(part)) return;
  asked.add(part);
  connection.socket?.send(JSON.stringify({ reload: part }));
});

document.addEventListener("htmx:ws:close", (event) => {
  const { code } = event.detail;
  state.dataset.connected = "false";
  if (document.hidden && !final.has(code)) return; // paused on purpose
  state.textContent = final.get(code) ?? notConnected;
  state.hidden = false;
  if (code === signedOut) document.dispatchEvent(new Event("hide:signed-out"));
});
