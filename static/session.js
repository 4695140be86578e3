// SPDX-License-Identifier: Apache-2.0
// Warns before the server ends an idle session, and blanks the page when it has:
// a note must not stay on a screen that nobody watches. The server counts
// requests; what a person does between them is told to it once a minute.

const dialog = document.getElementById("idle");
const idleFor = Number(dialog.dataset.idleSeconds) * 1000;
const warnFor = Math.min(60_000, idleFor / 3);
const tellEvery = Math.min(60_000, idleFor / 5);

const others = new BroadcastChannel("hide-session"); // other tabs share the session
let lastSeen = Date.now(); // when the server last heard of a person
let acted = false; // whether a person did something since
let gone = false;

/** @param {boolean} tell whether other tabs should know */
function seen(tell) {
  lastSeen = Date.now();
  acted = false;
  if (dialog.open) dialog.close();
  if (tell) others.postMessage("seen");
}

/** Tells the server that somebody is here. */
async function stay() {
  try {
    const answer = await fetch("/session", { method: "POST", redirect: "error" });
    if (answer.status === 204) seen(true);
    else if (answer.status === 401) leave("ended");
  } catch {
    // Not reachable: the clock goes on, and so does the warning.
  }
}

/** Blanks the page. What the server holds is saved; nothing else exists.
 *  @param {"idle" | "ended"} why */
function leave(why) {
  if (gone) return;
  gone = true;
  others.postMessage(why);
  document.title = "Signed out · hide";
  const says = document.getElementById("idle-gone").content.cloneNode(true);
  for (const other of says.querySelectorAll(`[data-why]:not([data-why=${why}])`)) other.remove();
  document.body.replaceChildren(says);
  document.getElementById("main").focus();
}

function tick() {
  if (gone) return;
  const left = lastSeen + idleFor - Date.now();
  if (left <= 0) return leave("idle");
  if (left > warnFor) {
    if (acted && Date.now() - lastSeen > tellEvery) stay();
    return;
  }
  document.getElementById("idle-left").textContent = `${Math.ceil(left / 1000)} seconds`;
  if (!dialog.open) dialog.showModal();
}

others.onmessage = (event) => (event.data === "seen" ? seen(false) : leave(event.data));
for (const kind of ["keydown", "pointerdown", "wheel"]) {
  document.addEventListener(kind, () => { acted = !dialog.open; }, { passive: true });
}
document.addEventListener("htmx:after:request", (event) => {
  const status = event.detail?.ctx?.response?.raw?.status ?? event.detail?.ctx?.response?.status;
  if (status && status !== 401) seen(true);
});
document.addEventListener("hide:signed-out", () => leave("ended"));
// A page whose loading was cut off by the next one may lack any of these.
document.querySelector('form[action="/sign-out"]')?.addEventListener("submit", () => others.postMessage("ended"));
document.getElementById("idle-stay")?.addEventListener("click", stay);
dialog?.addEventListener("cancel", (event) => { event.preventDefault(); stay(); });
// A page that comes back from the browser's memory may be older than the session.
window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
setInterval(tick, 1000);
