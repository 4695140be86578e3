// SPDX-License-Identifier: Apache-2.0

// The marks of the note: which one is chosen, which come before and after, and
// what is painted over the text before the server has answered. Painting uses the
// CSS highlight registry where the browser has it, which moves nothing.

/** @typedef {import("./note_text.js").NoteText} NoteText
 *  @typedef {import("./tokens.js").Range} Range */

export class Marks {
  /** @param {NoteText} note */
  constructor(note) {
    this.note = note;
    /** id of the chosen mark, "" for none */
    this.chosen = "";
    /** ids that an edit under way will remove or answer
     *  @type {Set<string>} */
    this.leaving = new Set();
    /** new id by old, for edits that are still in line: a changed span is a new one
     *  @type {Map<string, string>} */
    this.renamed = new Map();
  }

  /** @param {HTMLElement} old
   *  @param {HTMLElement} now */
  rename(old, now) {
    const [from, to] = [old.dataset.id ?? "", now.dataset.id ?? ""];
    if (from === to) return;
    this.renamed.set(from, to);
    this.renamed.delete(to); // undoing brings an old id back
  }

  /** The id that a mark has by now.
   *  @param {string} id */
  current(id) {
    for (let to = this.renamed.get(id); to !== undefined; to = this.renamed.get(id)) id = to;
    return id;
  }

  /** @returns {HTMLElement[]} in text order, the first piece of each */
  all() {
    /** @type {Map<string, HTMLElement>} */
    const first = new Map();
    for (const mark of /** @type {NodeListOf<HTMLElement>} */ (this.note.root.querySelectorAll("mark[data-id]"))) {
      const id = mark.dataset.id ?? "";
      if (!first.has(id)) first.set(id, mark);
    }
    return [...first.values()];
  }

  /** @param {string} id
   *  @returns {HTMLElement | null} */
  find(id) {
    return id ? this.note.root.querySelector(`mark[data-id="${CSS.escape(id)}"]`) : null;
  }

  /** Where a mark begins. Its text is its first child.
   *  @param {HTMLElement} mark */
  start(mark) {
    return this.note.position(/** @type {Node} */ (mark.firstChild), 0);
  }

  /** What a mark covers.
   *  @param {HTMLElement} mark
   *  @returns {Range} */
  range(mark) {
    const pieces = this.note.root.querySelectorAll(`mark[data-id="${CSS.escape(mark.dataset.id ?? "")}"]`);
    const last = /** @type {Text} */ (pieces[pieces.length - 1].firstChild);
    return { start: this.start(/** @type {HTMLElement} */ (pieces[0])), end: this.note.position(last, last.data.length) };
  }

  /** The mark in which a position lies.
   *  @param {number} at */
  around(at) {
    if (this.note.length === 0) return null;
    const [node] = this.note.place(Math.min(at, this.note.length - 1), false);
    return /** @type {HTMLElement | null} */ (node.parentElement?.closest("mark[data-id]") ?? null);
  }

  /** @param {string} id "" for none */
  choose(id) {
    for (const old of this.note.root.querySelectorAll("mark[data-chosen]")) old.removeAttribute("data-chosen");
    this.chosen = this.find(id) ? id : "";
    for (const mark of this.note.root.querySelectorAll(`mark[data-id="${CSS.escape(this.chosen)}"]`)) {
      mark.setAttribute("data-chosen", "");
    }
    for (const old of document.querySelectorAll(".spans [aria-current]")) old.removeAttribute("aria-current");
    const item = this.chosen && document.querySelector(`.spans li[data-id="${CSS.escape(this.chosen)}"] > a`);
    if (item) item.setAttribute("aria-current", "true");
  }

  /** The next mark behind a position, or the one before it.
   *  @param {number} at
   *  @param {1 | -1} step
   *  @param {(mark: HTMLElement) => boolean} wanted */
  neighbour(at, step, wanted) {
    const marks = this.all().filter((mark) => wanted(mark) && !this.leaving.has(mark.dataset.id ?? ""));
    if (step < 0) marks.reverse();
    return marks.find((mark) => {
      const start = this.start(mark);
      return step > 0 ? start > at : start < at;
    });
  }

  /** Shows that an edit of these marks is under way.
   *  @param {string[]} ids */
  leave(ids) {
    for (const id of ids) {
      this.leaving.add(id);
      this.find(id)?.setAttribute("data-leaving", "");
    }
  }

  /** Forgets which edits were under way: the server has answered. */
  settle() {
    this.leaving.clear();
    for (const mark of this.note.root.querySelectorAll("mark[data-leaving]")) mark.removeAttribute("data-leaving");
  }
}

/** Paints ranges over the text under a name that note.css knows.
 *  @param {NoteText} note
 *  @param {string} name
 *  @param {Range[]} ranges */
export function paint(note, name, ranges) {
  if (!("highlights" in CSS)) return;
  if (ranges.length === 0) CSS.highlights.delete(name);
  else CSS.highlights.set(name, new Highlight(...ranges.map((range) => note.domRange(range))));
}

/** Whether a mark is a suggestion.
 *  @param {HTMLElement} mark */
export const isSuggestion = (mark) => mark.dataset.suggested !== undefined;
