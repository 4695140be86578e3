// SPDX-License-Identifier: Apache-2.0

// The words of an audited note by keyboard: one of them is in the tab order, arrow
// keys move on, and what is marked is counted. Without this script every word is a
// step of the tab key.

import { Reading } from "./sample_reading.js";

/** @type {HTMLFormElement} */
const form = document.querySelector("#audit-form");
/** @type {HTMLInputElement[]} */
const words = [...form.querySelectorAll("input[name=word]")];
const says = document.querySelector("#audit-count");
const reading = new Reading(form, words.length);
let at = 0;

/** Moves the one place in the tab order, and the focus when it is in the text. */
function go(/** @type {number} */ to) {
  words[at].tabIndex = -1;
  at = Math.min(Math.max(to, 0), words.length - 1);
  words[at].tabIndex = 0;
  words[at].focus();
}

/** The word nearest below (1) or above (-1). */
function line(/** @type {number} */ direction) {
  const here = words[at].parentElement.getBoundingClientRect();
  let best = at;
  let least = Infinity;
  for (const [i, word] of words.entries()) {
    const there = word.parentElement.getBoundingClientRect();
    const down = (there.top - here.top) * direction;
    if (down < here.height / 2) continue;
    const far = down * 1000 + Math.abs(there.left - here.left);
    if (far < least) [best, least] = [i, far];
  }
  return best;
}

/** Says how many identifiers are marked: neighbouring words are one. */
function tally() {
  const marked = words.filter((w) => w.checked).map((w) => Number(w.value));
  const n = marked.filter((m, i) => i === 0 || marked[i - 1] !== m - 1).length;
  says.textContent = n === 1 ? "1 identifier marked" : `${n} identifiers marked`;
  form.elements.namedItem("none").disabled = n > 0;
}

/** Saves what is marked. Nothing marked is no answer: that takes a key of its own. */
function save() {
  if (words.some((w) => w.checked)) form.elements.namedItem("save").click();
  else says.textContent = "Nothing is marked. Press n if nothing in this note identifies anybody.";
}

/** Answers that none is left, which what is marked contradicts. */
function none() {
  const button = form.elements.namedItem("none");
  if (!button.disabled) return button.click();
  tally();
  says.textContent += ": press Enter to save, or take the marks away to say that none is left.";
}

const moves = {
  ArrowRight: () => at + 1,
  ArrowLeft: () => at - 1,
  ArrowDown: () => line(1),
  ArrowUp: () => line(-1),
};

if (words.length > 0) {
  for (const word of words) word.tabIndex = -1;
  words[0].tabIndex = 0;
  words[0].focus();
}
tally();
form.addEventListener("change", tally);
form.addEventListener("submit", (e) => reading.check(e));
form.addEventListener("focusin", (e) => {
  const i = words.indexOf(e.target);
  if (i < 0 || i === at) return;
  words[at].tabIndex = -1;
  at = i;
  words[at].tabIndex = 0;
});
document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.altKey || e.metaKey || document.querySelector("dialog[open]")) return;
  if (e.repeat && (e.key === "n" || e.key === "Enter")) return e.preventDefault(); // an answer holds for one note
  const inText = words.includes(e.target);
  if (e.key === "n" && (inText || e.target === document.body)) {
    e.preventDefault();
    none();
  } else if (inText && moves[e.key]) {
    e.preventDefault();
    go(moves[e.key]());
  } else if (inText && e.key === "Enter") {
    e.preventDefault();
    save();
  }
});
