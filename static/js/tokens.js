// SPDX-License-Identifier: Apache-2.0

// Tokens of a text as the server cuts them: runs of letters, marks, digits and
// underscores, or single other visible characters. White space and control
// characters are never part of one. Positions here are UTF-16 code units.

const TOKEN = /[\p{L}\p{M}\p{Nd}_]+|[^\p{White_Space}\p{Cc}]/gu;

/** @typedef {{start: number, end: number}} Range half-open, in code units */

export class Tokens {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    /** @type {Range[]} */
    this.list = [];
    for (const found of text.matchAll(TOKEN)) {
      this.list.push({ start: found.index, end: found.index + found[0].length });
    }
  }

  /** The first token that ends after unit; list.length when there is none.
   *  @param {number} unit */
  from(unit) {
    let low = 0;
    let high = this.list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.list[middle].end > unit) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Whether a token is letters or digits, and no punctuation.
   *  @param {number} index */
  isWord(index) {
    return /[\p{L}\p{Nd}]/u.test(this.text.slice(this.list[index].start, this.list[index].end));
  }

  /** Widens a range to the tokens that it touches, or null when it touches none.
   *  @param {Range} range
   *  @returns {Range | null} */
  snap(range) {
    const first = this.from(range.start);
    let last = this.from(range.end);
    if (last === this.list.length || this.list[last].start >= range.end) last--;
    if (first > last) return null;
    return { start: this.list[first].start, end: this.list[last].end };
  }

  /** Drops white space from both ends without widening; null when nothing is left.
   *  @param {Range} range
   *  @returns {Range | null} */
  trim(range) {
    const inside = this.text.slice(range.start, range.end);
    const start = range.start + (inside.length - inside.trimStart().length);
    const end = range.end - (inside.length - inside.trimEnd().length);
    return start < end ? { start, end } : null;
  }

  /** The first and the last token of the line in which token index lies.
   *  @param {number} index
   *  @returns {{first: number, last: number}} */
  line(index) {
    const here = this.list[index];
    const begin = this.text.lastIndexOf("\n", here.start) + 1;
    const newline = this.text.indexOf("\n", here.end);
    const end = newline < 0 ? this.text.length : newline;
    const after = this.from(end);
    const past = after < this.list.length && this.list[after].start < end;
    return { first: this.from(begin), last: past ? after : after - 1 };
  }

  /** The token nearest under token index in the next line (step 1) or the line
   *  before (step -1), by column; index itself when there is none.
   *  @param {number} index
   *  @param {1 | -1} step */
  vertical(index, step) {
    const { first, last } = this.line(index);
    const target = step > 0 ? last + 1 : first - 1;
    if (target < 0 || target >= this.list.length) return index;
    const other = this.line(target);
    const column = this.list[index].start - this.#lineStart(index);
    const wanted = this.#lineStart(target) + column;
    return Math.max(other.first, Math.min(this.from(wanted), other.last));
  }

  /** @param {number} index */
  #lineStart(index) {
    return this.text.lastIndexOf("\n", this.list[index].start) + 1;
  }
}
