// SPDX-License-Identifier: Apache-2.0

// The words of a passage that a reader selects: by mouse and touch, where a drag takes a
// range and a tap a word, and by keyboard, where one word is in the tab order, arrows go on
// and Shift takes more.

export class Words {
  /** @param {HTMLElement} root
   *  @param {() => void} changed is called after each change of the selection */
  constructor(root, changed) {
    this.root = root;
    this.changed = changed;
    this.labels = [.../** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(".read-word"))];
    this.inputs = this.labels.map((l) => /** @type {HTMLInputElement} */ (l.querySelector("input")));
    this.places = this.inputs.map((input) => input.value.split(":")[1].split("-").map(Number));
    this.at = 0; // in the tab order
    /** @type {[number, number] | null} */
    this.selected = null;
    this.anchor = -1; // where a selection began
    this.marked = new Set();
    for (const input of this.inputs) {
      input.removeAttribute("name"); // marks are sent instead
      input.tabIndex = -1;
    }
    if (this.inputs.length > 0) this.inputs[0].tabIndex = 0;
    root.addEventListener("pointerdown", (event) => this.#down(event));
    root.addEventListener("pointermove", (event) => this.#drag(event));
    root.addEventListener("pointerup", (event) => this.#up(event));
    root.addEventListener("pointercancel", () => { this.down = -1; });
    root.addEventListener("click", (event) => this.#click(event));
    root.addEventListener("focusin", (event) => this.#focused(event));
    root.addEventListener("keydown", (event) => this.#key(event));
    // Enter on a box would send the form.
    root.addEventListener("keypress", (event) => { if (event.key === "Enter") event.preventDefault(); });
    this.down = -1;
    this.dragged = false;
  }

  focus() {
    this.inputs[this.at]?.focus();
  }

  /** The words of a selection or of a mark.
   *  @param {[number, number]} range */
  text([from, to]) {
    const range = document.createRange();
    range.setStartBefore(this.labels[from]);
    range.setEndAfter(this.labels[to]);
    return range.toString().replace(/\s+/g, " ").trim();
  }

  /** What Enter marks: the selection, or the word with the focus. */
  get chosen() {
    return this.selected ?? (this.root.contains(document.activeElement) ? /** @type {[number, number]} */ ([this.at, this.at]) : null);
  }

  /** @param {[number, number] | null} range */
  select(range) {
    this.selected = range;
    this.paint();
    this.changed();
  }

  paint() {
    for (const [i, label] of this.labels.entries()) {
      const inside = this.selected !== null && i >= this.selected[0] && i <= this.selected[1];
      label.classList.toggle("selected", inside);
      label.classList.toggle("marked", this.marked.has(i));
      this.inputs[i].checked = inside || this.marked.has(i);
    }
  }

  /** @param {Event} event */
  #word(event) {
    const label = /** @type {Element} */ (event.target).closest?.(".read-word");
    return label ? this.labels.indexOf(/** @type {HTMLElement} */ (label)) : -1;
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (event.button !== 0) return;
    this.down = this.#word(event);
    this.dragged = false;
    if (this.down >= 0 && event.pointerType === "mouse") event.preventDefault(); // no selection of the browser
  }

  /** @param {PointerEvent} event */
  #drag(event) {
    if (this.down < 0 || event.buttons === 0) return;
    const over = document.elementFromPoint(event.clientX, event.clientY)?.closest(".read-word");
    const to = over ? this.labels.indexOf(/** @type {HTMLElement} */ (over)) : -1;
    if (to < 0 || (to === this.down && !this.dragged)) return;
    this.dragged = true;
    this.select(ordered(this.down, to));
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const word = this.down;
    this.down = -1;
    if (word < 0) return;
    this.#go(word);
    if (this.dragged) return;
    if (event.shiftKey && this.anchor >= 0) return this.select(ordered(this.anchor, word));
    this.tap(word);
  }

  /** Boxes show the selection, and do not make it. A click without a pointer is that of a screen
   *  reader.
   *  @param {MouseEvent} event */
  #click(event) {
    event.preventDefault();
    const word = this.#word(event);
    if (event.detail !== 0 || word < 0) return;
    this.tap(word);
    setTimeout(() => this.paint()); // the browser takes back what it did to the box
  }

  /** A word beside the selection joins it; a selected one alone is taken away.
   *  @param {number} word */
  tap(word) {
    const s = this.selected;
    this.anchor = word;
    if (s && word === s[0] && word === s[1]) return this.select(null);
    if (s && word >= s[0] - 1 && word <= s[1] + 1 && (word < s[0] || word > s[1])) {
      return this.select([Math.min(s[0], word), Math.max(s[1], word)]);
    }
    this.select([word, word]);
  }

  /** @param {number} to */
  #go(to) {
    if (to < 0 || to >= this.inputs.length) return;
    this.inputs[this.at].tabIndex = -1;
    this.at = to;
    this.inputs[to].tabIndex = 0;
    this.inputs[to].focus();
  }

  /** @param {FocusEvent} event */
  #focused(event) {
    const i = this.inputs.indexOf(/** @type {HTMLInputElement} */ (event.target));
    if (i < 0 || i === this.at) return;
    this.inputs[this.at].tabIndex = -1;
    this.at = i;
    this.inputs[i].tabIndex = 0;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === " ") {
      event.preventDefault();
      return this.tap(this.at);
    }
    const to = this.#target(event.key);
    if (to === null) return;
    event.preventDefault();
    if (!event.shiftKey) {
      this.anchor = -1;
      this.#go(to);
      if (this.selected) this.select(null);
      return;
    }
    if (this.anchor < 0) this.anchor = this.at;
    this.#go(to);
    this.select(ordered(this.anchor, this.at));
  }

  /** The word that a key goes to, null for other keys.
   *  @param {string} key */
  #target(key) {
    switch (key) {
      case "ArrowRight": return Math.min(this.at + 1, this.inputs.length - 1);
      case "ArrowLeft": return Math.max(this.at - 1, 0);
      case "ArrowDown": return this.#line(1);
      case "ArrowUp": return this.#line(-1);
      case "Home": return 0;
      case "End": return this.inputs.length - 1;
    }
    return null;
  }

  /** The word nearest below (1) or above (-1).
   *  @param {number} direction */
  #line(direction) {
    const here = this.labels[this.at].getBoundingClientRect();
    let best = this.at;
    let least = Infinity;
    for (const [i, label] of this.labels.entries()) {
      const there = label.getBoundingClientRect();
      const down = (there.top - here.top) * direction;
      if (down < here.height / 2) continue;
      const far = down * 1000 + Math.abs(there.left - here.left);
      if (far < least) [best, least] = [i, far];
    }
    return best;
  }
}

/** @param {number} a
 *  @param {number} b
 *  @returns {[number, number]} */
const ordered = (a, b) => [Math.min(a, b), Math.max(a, b)];
