// SPDX-License-Identifier: Apache-2.0

// Links between records: keys that decide about a pair, thresholds moved with sliders, and the
// page loaded again when a linkage has ended. All of it works with buttons and fields without
// this module.

import { whenEnded } from "./ended.js";
import { Keys, belongsElsewhere } from "./note_keys.js";

const page = /** @type {HTMLElement} */ (document.querySelector(".links"));

// Keys. A key presses its button once: the answer is another page, about another pair. A page
// that comes back from the history is loaded again, see session.js.
const keys = new Keys(page);
const single = /** @type {HTMLInputElement | null} */ (document.getElementById("links-single"));
let pressed = false;
if (single) {
  const label = /** @type {HTMLElement} */ (single.closest("label"));
  label.hidden = false;
  single.checked = keys.single;
  single.addEventListener("change", () => keys.setSingle(single.checked));
}
document.addEventListener("keydown", (event) => {
  if (event.repeat || pressed || event.shiftKey || event.altKey || belongsElsewhere(event)) return;
  const found = keys.find(event);
  if (!found || !("action" in found)) return;
  const target = /** @type {HTMLElement | null} */ (page.querySelector(`[data-does="${found.action}"]`));
  if (!target) return;
  event.preventDefault();
  pressed = true;
  target.click();
});

// Sliders. They move in bits, log2 of the odds, because thresholds near 1 differ most.
const lowest = 0.02;

/** @param {number} p */
const bits = (p) => Math.log2(p / (1 - p));

/** The probability of a weight, as somebody would type it.
 *  @param {number} weight */
function typed(weight) {
  const p = 1 / (1 + 2 ** -weight);
  const digits = Math.max(2, 1 - Math.floor(Math.log10(Math.min(p, 1 - p))));
  return String(Math.max(lowest, Number(p.toFixed(digits))));
}

let asked = 0;

/** Fetches what the typed thresholds give. The fields stay. */
async function show() {
  const form = /** @type {HTMLFormElement} */ (document.getElementById("threshold-form"));
  const mine = ++asked;
  const query = new URLSearchParams(/** @type {any} */ (new FormData(form)));
  try {
    const answer = await fetch(`${form.action}?${query}`, { headers: { Accept: "text/html" } });
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (mine !== asked) return;
    for (const id of ["gives", "distribution"]) {
      const old = document.getElementById(id), now = fresh.getElementById(id);
      if (old && now) old.replaceWith(document.importNode(now, true));
    }
  } catch {
    // Not connected: the button Show what they give says so.
  }
}

for (const slider of /** @type {NodeListOf<HTMLInputElement>} */ (page.querySelectorAll("[data-moves]"))) {
  const field = /** @type {HTMLInputElement} */ (document.getElementById(slider.dataset.moves ?? ""));
  const follow = () => {
    const p = Number(field.value);
    if (p > 0 && p < 1) slider.value = String(bits(p));
    slider.setAttribute("aria-valuetext", field.value);
  };
  follow();
  slider.hidden = false;
  field.addEventListener("change", () => { follow(); show(); });
  slider.addEventListener("input", () => {
    field.value = typed(Number(slider.value));
    slider.setAttribute("aria-valuetext", field.value);
  });
  slider.addEventListener("change", show);
}

// A run that ends changes every list. A pair stays: a key must not decide about another one.
whenEnded("#links-state", () => { if (!document.querySelector(".pair")) location.reload(); });
