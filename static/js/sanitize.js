// SPDX-License-Identifier: Apache-2.0

// The sliders of the sanitize page. The server has rendered the figures of every
// L/C and every budget; this module shows those of the chosen ones, and shows them
// again after a live part was swapped in. It asks the server for nothing.

import { arrived, leave } from "./note_back.js";

/** @typedef {{id: string, attribute: string, words: (value: string) => string, text: (value: string) => string, picked: string}} Choice
 *  id is of the range, attribute is of its links, in the order of its steps; words is what
 *  a screen reader says; picked is what somebody chose, "" for nobody. A page that follows
 *  the newest run gets its sliders later, so they are looked up each time. */

/** @param {string} value a whole number
 *  @returns {string} with a comma before each three digits */
function grouped(value) {
  return value.replace(/\B(?=(\d{3})+$)/g, ",");
}

const asked = new URL(location.href).searchParams;
/** @type {Choice} */
const lc = { id: "shown-lc", attribute: "data-pick-lc", words: (value) => `L over C ${value}`, text: (value) => value, picked: asked.get("lc") ?? "" };
/** @type {Choice} */
const budget = { id: "shown-budget", attribute: "data-pick-budget", words: (value) => `${grouped(value)} words`, text: grouped, picked: asked.get("b") ?? "" };

/** @param {Choice} c
 *  @returns {HTMLInputElement | null} */
function sliderOf(c) {
  const slider = document.getElementById(c.id);
  return slider instanceof HTMLInputElement ? slider : null;
}

/** @param {Choice} c
 *  @returns {Element[]} */
function linksOf(c) {
  return [...document.querySelectorAll(`a[${c.attribute}]`)];
}

/** @param {Choice} c
 *  @returns {string} the value that the slider is at */
function valueOf(c) {
  return linksOf(c)[sliderOf(c)?.valueAsNumber ?? -1]?.getAttribute(c.attribute) ?? "";
}

/** Moves the slider of a choice.
 *  @param {Choice} c
 *  @param {string | null | undefined} value
 *  @returns {boolean} whether the slider has it */
function move(c, value) {
  const slider = sliderOf(c);
  const at = value ? linksOf(c).findIndex((link) => link.getAttribute(c.attribute) === value) : -1;
  if (!slider || at < 0) return false;
  slider.valueAsNumber = at;
  return true;
}

/** @param {string} selector
 *  @param {(element: Element) => void} change */
function each(selector, change) {
  for (const element of document.querySelectorAll(selector)) change(element);
}

/** Says the slider's value in its output, its links and to screen readers.
 *  @param {Choice} c
 *  @param {string} value */
function say(c, value) {
  const text = c.text(value);
  const output = document.getElementById(`${c.id}-out`);
  if (output && output.textContent !== text) output.textContent = text;
  sliderOf(c)?.setAttribute("aria-valuetext", c.words(value));
  for (const link of linksOf(c)) link.setAttribute("aria-current", String(link.getAttribute(c.attribute) === value));
  each(`[data-shows="${c.id}"]`, (element) => (element.textContent = text));
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
  const value = valueOf(lc);
  if (!value) return;
  say(lc, value);
  part("data-part-lc", value);
  current(".dot", "data-lc", value);
  current("tr", "data-row-lc", value);
}

function showBudget() {
  const value = valueOf(budget);
  if (!value) return;
  say(budget, value);
  part("data-part-budget", value);
  current(".dot", "data-budget", value);
  current("tr", "data-row-budget", value);
  each(".series[data-budget]", (element) => element.classList.toggle("off", element.getAttribute("data-budget") !== value));
}

/** Puts the sliders where somebody left them. Until somebody chooses an L/C the page shows
 *  the one that the server proposes, which may change during a run. */
function follow() {
  move(budget, budget.picked);
  if (move(lc, lc.picked)) return;
  const usual = document.querySelector("[data-usual-lc]")?.getAttribute("data-usual-lc");
  if (document.activeElement?.id !== lc.id) move(lc, usual);
}

function show() {
  showLC();
  showBudget();
}

/** Keeps the choice in the address, so that a reload and a bookmark find it. */
function remember() {
  const url = new URL(location.href);
  if (lc.picked) url.searchParams.set("lc", valueOf(lc));
  if (budget.picked) url.searchParams.set("b", valueOf(budget));
  history.replaceState(history.state, "", url);
}

/** Chooses a value.
 *  @param {Choice} c
 *  @param {string | null | undefined} value
 *  @returns {boolean} whether the slider has it */
function pick(c, value) {
  if (!move(c, value)) return false;
  c.picked = valueOf(c);
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

/** @param {Event} event */
function slid(event) {
  for (const c of [lc, budget]) {
    if (event.target !== sliderOf(c)) continue;
    c.picked = valueOf(c);
    show();
    if (event.type === "change") remember();
  }
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
  if (valueOf(lc)) url.searchParams.set("lc", valueOf(lc));
  if (valueOf(budget)) url.searchParams.set("b", valueOf(budget));
  link.href = url.href;
}

/** Gives the focus back to the entry that a note was opened from. */
function comeBack() {
  arrived();
  const at = document.getElementById(location.hash.slice(1));
  if (!at?.closest("[data-leaks]")) return;
  for (let fold = at.closest("details"); fold; fold = fold.parentElement?.closest("details") ?? null) fold.open = true;
  at.focus();
}

document.addEventListener("input", slid);
document.addEventListener("change", slid);
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
