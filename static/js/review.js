// SPDX-License-Identifier: Apache-2.0

// The page of a review: says that somebody is here, moves what everybody looks at, fetches
// the sections that depend on the person again after each step, and reads the bound aloud
// at most every 20 seconds.

import { Look } from "./review_look.js";

const here = 20_000; // milliseconds between two signs of presence
const speech = 20_000; // milliseconds between two announcements

const root = /** @type {HTMLElement} */ (document.getElementById("review"));
const base = /** @type {string} */ (root.dataset.base);

/** Asks the server for something that no person has done: it does not keep the session open.
 *  @param {string} url
 *  @param {RequestInit} [options] */
function unattended(url, options = {}) {
  return fetch(url, { ...options, headers: { ...options.headers, "Hide-Unattended": "1" } });
}

async function present() {
  if (document.hidden || !root.isConnected) return;
  try {
    await unattended(`${base}/here`, { method: "POST", body: new URLSearchParams(), headers: { "HX-Request": "true" } });
  } catch {
    // Not connected: the next sign says it.
  }
}

/** Whether somebody is typing into a section, or has.
 *  @param {Element} section */
function inUse(section) {
  if (section.contains(document.activeElement) && document.activeElement?.matches("input, textarea, select")) return true;
  return [...section.querySelectorAll("input, textarea, select")].some((field) => {
    if (field instanceof HTMLSelectElement) return field.selectedIndex !== Math.max(0, [...field.options].findIndex((o) => o.defaultSelected));
    return field.type === "checkbox" || field.type === "radio" ? field.checked !== field.defaultChecked : field.value !== field.defaultValue;
  });
}

const stage = () => document.getElementById("review-head")?.dataset.stage;
let shown = stage();
let fetching = false;

/** Fetches the sections that depend on the person. Those in use wait. */
async function refresh() {
  if (fetching || !root.isConnected) return;
  fetching = true;
  try {
    const asked = stage();
    const answer = await unattended(base, { headers: { "HX-Request": "true" } });
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    let waits = false;
    for (const section of root.querySelectorAll("[data-mine]")) {
      const now = fresh.getElementById(section.id);
      if (!now || now.isEqualNode(section)) continue;
      if (inUse(section)) waits = true;
      else section.replaceWith(document.importNode(now, true));
    }
    if (!waits) shown = asked;
  } catch {
    // Not connected: the next look tries again.
  } finally {
    fetching = false;
  }
}

let said = document.getElementById("bound-certificate")?.textContent;
let spoken = Date.now();
let waiting = 0;

/** Reads the bound aloud, now or when it may be said again. */
function speak(now = false) {
  const says = document.getElementById("review-says");
  const bound = document.getElementById("bound-certificate")?.textContent;
  if (!says || !bound || (bound === said && !now)) return;
  clearTimeout(waiting);
  const wait = now ? 0 : Math.max(0, spoken + speech - Date.now());
  waiting = setTimeout(() => {
    said = document.getElementById("bound-certificate")?.textContent;
    spoken = Date.now();
    says.textContent = "";
    setTimeout(() => { says.textContent = said ?? ""; }, 50); // the same words again are said again
  }, wait);
}

const button = document.getElementById("review-say");
if (button) {
  button.hidden = false;
  button.addEventListener("click", () => speak(true));
}
if (document.getElementById("look")) new Look(base, /** @type {string} */ (root.dataset.me));

new MutationObserver(() => {
  if (stage() !== shown) refresh();
  speak();
}).observe(root, { attributes: true, attributeFilter: ["data-stage"], childList: true, characterData: true, subtree: true });
setInterval(() => { if (stage() !== shown) refresh(); }, 2000);
setInterval(present, here);
present();
