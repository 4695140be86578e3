// SPDX-License-Identifier: Apache-2.0

// A caret that moves through the note by tokens. It has no graphics of its own:
// it moves the browser's selection, so that a screen reader and the clipboard
// know what it covers.

/** @typedef {import("./tokens.js").Tokens} Tokens */
/** @typedef {import("./note_text.js").NoteText} NoteText */
/** @typedef {import("./tokens.js").Range} Range */

export class Caret {
  /** @param {NoteText} note
   *  @param {Tokens} tokens */
  constructor(note, tokens) {
    this.note = note;
    this.tokens = tokens;
    /** Token where an extended range began. */
    this.anchor = 0;
    /** Token that moves; -1 while there is no caret. */
    this.focus = -1;
  }

  get on() {
    return this.focus >= 0;
  }

  off() {
    this.focus = -1;
  }

  /** Whether more than one token may be covered because the range was extended. */
  get extended() {
    return this.on && this.anchor !== this.focus;
  }

  /** What the caret covers.
   *  @returns {Range | null} */
  get range() {
    if (!this.on) return null;
    const first = this.tokens.list[Math.min(this.anchor, this.focus)];
    const last = this.tokens.list[Math.max(this.anchor, this.focus)];
    return { start: first.start, end: last.end };
  }

  /** Puts the caret on the tokens of a range without a picture of it.
   *  @param {Range} range */
  set(range) {
    if (this.tokens.list.length === 0) return;
    const last = this.tokens.list.length - 1;
    this.anchor = Math.min(this.tokens.from(range.start), last);
    this.focus = Math.max(this.anchor, Math.min(this.tokens.from(range.end - 1), last));
  }

  /** Makes one move; says whether the key was one of the caret's.
   *  @param {string} key the name of a key
   *  @param {boolean} extend
   *  @param {boolean} far whole text instead of line, for Home and End
   *  @param {number} from position where a caret begins when there is none */
  key(key, extend, far, from) {
    let target = this.#target(key, far, from);
    if (target === null) return false;
    if (extend && (key === "ArrowLeft" || key === "ArrowRight")) target = this.#word(target, key === "ArrowLeft" ? -1 : 1);
    this.focus = Math.max(0, Math.min(target, this.tokens.list.length - 1));
    if (!extend || this.anchor < 0) this.anchor = this.focus;
    this.show();
    return true;
  }

  /** @param {string} key
   *  @param {boolean} far
   *  @param {number} from
   *  @returns {number | null} */
  #target(key, far, from) {
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1, Home: 0, End: 0 };
    if (!(key in steps) || this.tokens.list.length === 0) return null;
    if (!this.on) {
      const begin = Math.min(this.tokens.from(from), this.tokens.list.length - 1);
      this.anchor = begin;
      return begin;
    }
    switch (key) {
      case "ArrowLeft":
        return this.focus - 1;
      case "ArrowRight":
        return this.focus + 1;
      case "ArrowUp":
        return this.tokens.vertical(this.focus, -1);
      case "ArrowDown":
        return this.tokens.vertical(this.focus, 1);
      case "Home":
        return far ? 0 : this.tokens.line(this.focus).first;
      default:
        return far ? this.tokens.list.length - 1 : this.tokens.line(this.focus).last;
    }
  }

  /** The next word from a token on: a selection that grows by words takes a comma only
   *  together with the word behind it.
   *  @param {number} at
   *  @param {1 | -1} step */
  #word(at, step) {
    for (let i = at; i >= 0 && i < this.tokens.list.length; i += step) {
      if (this.tokens.isWord(i)) return i;
    }
    return this.focus;
  }

  /** Moves the browser's selection to the caret and brings it into view. */
  show() {
    const range = this.range;
    const selection = getSelection();
    if (!range || !selection) return;
    const dom = this.note.domRange(range);
    selection.setBaseAndExtent(dom.startContainer, dom.startOffset, dom.endContainer, dom.endOffset);
    bringIntoView(dom);
  }
}

/** Scrolls only when the range is not on the screen, and then to its middle.
 *  @param {globalThis.Range | Element} what */
export function bringIntoView(what) {
  const box = what.getBoundingClientRect();
  const margin = 90;
  const bars = innerWidth < 768 ? 2 * margin : margin; // a phone has labels and tools at the bottom
  if (box.top >= margin && box.bottom <= innerHeight - bars) return;
  scrollBy({ top: box.top - innerHeight / 2, behavior: "instant" });
}
