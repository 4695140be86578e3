// SPDX-License-Identifier: Apache-2.0
// Says when the live connection is down, and when the session has ended.

const state = document.getElementById("live-state");
const signedOut = 4401; // live.go
const tooMany = 4408; // sockets.go
const notConnected = state.textContent;

document.addEventListener("htmx:ws:after:connection", () => { state.hidden = true; state.dataset.connected = "true"; });
document.addEventListener("htmx:ws:close", (event) => {
  state.dataset.connected = "false";
  if (document.hidden && event.detail.code !== signedOut && event.detail.code !== tooMany) return; // paused on purpose
  state.textContent = event.detail.code === tooMany ? "This is open in too many windows. Reload to refresh this one." : notConnected;
  state.hidden = false;
  if (event.detail.code === signedOut) document.dispatchEvent(new Event("hide:signed-out"));
});
