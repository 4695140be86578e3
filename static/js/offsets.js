// SPDX-License-Identifier: Apache-2.0

// Positions in a text, in the two units that meet in a browser. JavaScript
// strings and DOM ranges count UTF-16 code units; the server counts Unicode code
// points. This module is the only place where the one becomes the other.

/** How many code units lie between two remembered positions. */
const STRIDE = 1024;

/** @param {number} unit a UTF-16 code unit
 *  @returns {boolean} whether it is the first half of a pair */
const isHigh = (unit) => unit >= 0xd800 && unit <= 0xdbff;

/** @param {number} unit
 *  @returns {boolean} whether it is the second half of a pair */
const isLow = (unit) => unit >= 0xdc00 && unit <= 0xdfff;

/** Converts positions in one text. Both directions scan at most STRIDE units. */
export class Offsets {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    /** marks[i] is the number of code points that start before unit i*STRIDE.
     *  @type {number[]} */
    this.marks = [];
    let points = 0;
    for (let unit = 0; unit < text.length; unit++) {
      if (unit % STRIDE === 0) this.marks.push(points);
      if (!this.#cutsPair(unit)) points++;
    }
    /** The length of the text in code points. */
    this.length = points;
  }

  /** Whether position unit lies between the halves of a pair.
   *  @param {number} unit */
  #cutsPair(unit) {
    return unit > 0 && isLow(this.text.charCodeAt(unit)) && isHigh(this.text.charCodeAt(unit - 1));
  }

  /** @param {number} unit position in UTF-16 code units; one inside a pair counts as the pair's start
   *  @returns {number} the same position in code points */
  toPoint(unit) {
    if (!Number.isInteger(unit) || unit < 0 || unit > this.text.length) {
      throw new RangeError(`position ${unit} of ${this.text.length} code units`);
    }
    if (unit === this.text.length) return this.length;
    const whole = this.#cutsPair(unit) ? unit - 1 : unit;
    const mark = Math.floor(whole / STRIDE);
    let points = this.marks[mark];
    for (let i = mark * STRIDE; i < whole; i++) {
      if (!this.#cutsPair(i)) points++;
    }
    return points;
  }

  /** @param {number} point position in code points
   *  @returns {number} the same position in UTF-16 code units */
  toUnit(point) {
    if (!Number.isInteger(point) || point < 0 || point > this.length) {
      throw new RangeError(`position ${point} of ${this.length} code points`);
    }
    if (point === this.length) return this.text.length;
    let points = this.marks[this.#markBefore(point)];
    for (let i = this.#markBefore(point) * STRIDE; ; i++) {
      if (this.#cutsPair(i)) continue;
      if (points === point) return i;
      points++;
    }
  }

  /** The last mark with at most point code points before it.
   *  @param {number} point */
  #markBefore(point) {
    let low = 0;
    let high = this.marks.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.marks[middle] <= point) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
