// SPDX-License-Identifier: Apache-2.0

// The sliders of the sanitize page. The server has rendered the figures of every
// L/C and every budget; this module shows those of the chosen ones, and shows them
// again after a live part was swapped in. It asks the server for nothing.

import { arrived, leave } from "./note_back.js";

/** @typedef {{slider: HTMLInputElement, links: HTMLAnchorElement[], attribute: string, words: (value: string) => string}} Choice */

/** @param {string} id of the range
 *  @param {string} attribute of its links, in the order of its steps
 *  @param {(value: string) => string} words that a screen reader says for a value
 *  @returns {Choice | null} */
function choice(id, attribute, words) {
  const slider = document.getElementById(id);
  if (!(slider instanceof HTMLInputElement)) return null;
  const links = [...document.querySelectorAll(`a[${attribute}]`)].filter((a) => a instanceof HTMLAnchorElement);
  return { slider, links, attribute, words };
}

const lc = choice("lc", "data-pick-lc", (value) => `L over C ${value}`);
const budget = choice("budget", "data-pick-budget", (value) => `${grouped(value)} words`);

/** @param {string} value a whole number
 *  @returns {string} with a comma before each three digits */
function grouped(value) {
  return value.replace(/\B(?=(\d{3})+$)/g, ",");
}

/** @param {Choice} c
 *  @returns {string} the value that the slider is at */
function valueOf(c) {
  return c.links[c.slider.valueAsNumber]?.getAttribute(c.attribute) ?? "";
}

/** @param {string} selector
 *  @param {(element: Element) => void} change */
function each(selector, change) {
  for (const element of document.querySelectorAll(selector)) change(element);
}

/** Says the slider's value in its output, its links and to screen readers.
 *  @param {Choice} c
 *  @param {string} text */
function say(c, text) {
  const output = document.getElementById(`${c.slider.id}-out`);
  if (output && output.textContent !== text) output.textContent = text;
  c.slider.setAttribute("aria-valuetext", c.words(valueOf(c)));
  c.links.forEach((link, i) => link.setAttribute("aria-current", String(i === c.slider.valueAsNumber)));
  each(`[data-shows="${c.slider.id}"]`, (element) => (element.textContent = text));
}

/** Shows the elements whose attribute has the value, and hides their kin.
 *  @param {string} attribute
 *  @param {string} value */
function part(attribute, value) {
  each(`[${attribute}]`, (element) => element.toggleAttribute("hidden", element.getAttribute(attribute) !== value));
}

/** Sets a class on the elements whose attribute has the value, and only there.
 *  @param {string} selector
 *  @param {string} attribute
 *  @param {string} value */
function current(selector, attribute, value) {
  each(`${selector}[${attribute}]`, (element) => element.classList.toggle("current", element.getAttribute(attribute) === value));
}

function showLC() {
  if (!lc) return;
  const value = valueOf(lc);
  say(lc, value);
  part("data-part-lc", value);
  current(".dot", "data-lc", value);
  current("tr", "data-row-lc", value);
}

function showBudget() {
  if (!budget) return;
  const value = valueOf(budget);
  say(budget, grouped(value));
  part("data-part-budget", value);
  current(".dot", "data-budget", value);
  current("tr", "data-row-budget", value);
  each(".series[data-budget]", (element) => element.classList.toggle("off", element.getAttribute("data-budget") !== value));
}

// Until somebody chooses an L/C the page shows the server's default: during a run,
// the one with figures, and afterwards the default L/C.
let chosen = new URL(location.href).searchParams.has("lc");

function follow() {
  const usual = document.getElementById("sanitize-results")?.getAttribute("data-usual-lc");
  if (!lc || chosen || document.activeElement === lc.slider) return;
  const at = lc.links.findIndex((link) => link.getAttribute(lc.attribute) === usual);
  if (at >= 0) lc.slider.valueAsNumber = at;
}

function show() {
  showLC();
  showBudget();
}

/** Keeps the choice in the address, so that a reload and a bookmark find it. */
function remember() {
  const url = new URL(location.href);
  if (lc && chosen) url.searchParams.set("lc", valueOf(lc));
  if (budget) url.searchParams.set("b", valueOf(budget));
  history.replaceState(history.state, "", url);
}

/** Moves a slider to a value.
 *  @param {Choice | null} c
 *  @param {string | null | undefined} value
 *  @returns {boolean} whether the slider has it */
function pick(c, value) {
  if (!c || !value) return false;
  const at = c.links.findIndex((link) => link.getAttribute(c.attribute) === value);
  if (at < 0) return false;
  chosen ||= c === lc;
  c.slider.valueAsNumber = at;
  show();
  remember();
  return true;
}

/** @param {MouseEvent} event */
function clicked(event) {
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (!(event.target instanceof Element)) return;
  const at = event.target.closest("[data-pick-lc], [data-pick-budget], .dot[data-lc], .dot[data-budget]");
  if (!at) return;
  const picked =
    pick(lc, at.getAttribute("data-pick-lc") ?? at.getAttribute("data-lc")) ||
    pick(budget, at.getAttribute("data-pick-budget") ?? at.getAttribute("data-budget"));
  if (picked) event.preventDefault();
}

// Missed PHI and over-redacted text: arrow keys go through a list, in and out of
// open entries, and a note opened from an entry has a back link (note_back.js).

/** @param {KeyboardEvent} event */
function walked(event) {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const from = event.target instanceof Element ? event.target.closest("[data-leaks] li") : null;
  const list = from?.closest("[data-leaks]");
  if (!from || !list) return;
  const all = [...list.querySelectorAll("a, summary")].filter((e) => e instanceof HTMLElement && e.checkVisibility());
  const at = all.indexOf(/** @type {Element} */ (document.activeElement));
  const to = at < 0 ? null : all[at + (event.key === "ArrowDown" ? 1 : -1)];
  if (to instanceof HTMLElement) to.focus();
  event.preventDefault();
}

/** @param {MouseEvent} event */
function opened(event) {
  const link = event.target instanceof Element ? event.target.closest("[data-leaks] a[id]") : null;
  if (link) leave(link.id);
}

/** Makes links to a run or comparison point to the current choice.
 *  @param {MouseEvent} event */
function kept(event) {
  const link = event.target instanceof Element ? event.target.closest("#sanitize-runs a") : null;
  if (!(link instanceof HTMLAnchorElement)) return;
  const url = new URL(link.href);
  if (lc) url.searchParams.set("lc", valueOf(lc));
  if (budget) url.searchParams.set("b", valueOf(budget));
  link.href = url.href;
}

/** Gives the focus back to the entry that a note was opened from. */
function comeBack() {
  arrived();
  const at = document.getElementById(location.hash.slice(1));
  if (!at?.closest("[data-leaks]")) return;
  const fold = at.closest("details");
  if (fold) fold.open = true;
  at.focus();
}

lc?.slider.addEventListener("input", () => (chosen = true));
for (const c of [lc, budget]) {
  c?.slider.addEventListener("input", show);
  c?.slider.addEventListener("change", remember);
}
document.addEventListener("click", clicked);
document.addEventListener("click", opened);
document.addEventListener("click", kept);
document.addEventListener("keydown", walked);
document.addEventListener("htmx:after:swap", () => {
  follow();
  show();
});
// A browser may restore the sliders when the user returns to the page.
show();
comeBack();
