// SPDX-License-Identifier: Apache-2.0

// The note's text in the page: which text node holds which part of it. Elements
// marked data-aside (words for screen readers) are in the page but not in the
// text. Positions are UTF-16 code units of the note's text.

/** @typedef {import("./tokens.js").Range} Range */

export class NoteText {
  /** @param {HTMLElement} root the element that holds the text */
  constructor(root) {
    this.root = root;
    this.index();
    /** The whole text. It never changes while the page is open. */
    this.text = this.nodes.map((node) => node.data).join("");
  }

  /** Finds the text nodes anew, after part of the page was replaced. */
  index() {
    /** @type {Text[]} */
    this.nodes = [];
    /** starts[i] is the position of nodes[i].
     *  @type {number[]} */
    this.starts = [];
    /** @type {Map<Node, number>} */
    this.places = new Map();
    let at = 0;
    for (const node of textNodes(this.root)) {
      this.places.set(node, at);
      this.starts.push(at);
      this.nodes.push(node);
      at += node.data.length;
    }
    this.length = at;
  }

  /** The position of a place in the page; places outside the text count as its
   *  nearest end.
   *  @param {Node} node
   *  @param {number} offset */
  position(node, offset) {
    const known = this.places.get(node);
    if (known !== undefined) return known + offset;
    const range = document.createRange();
    range.setStart(node, offset);
    // The first text node that does not lie before the place.
    let low = 0;
    let high = this.nodes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (range.comparePoint(this.nodes[middle], 0) < 0) low = middle + 1;
      else high = middle;
    }
    return low < this.nodes.length ? this.starts[low] : this.length;
  }

  /** The text node that holds position at, and the offset in it.
   *  @param {number} at
   *  @param {boolean} atEnd prefer the end of a node to the start of the next
   *  @returns {[Text, number]} */
  place(at, atEnd) {
    let low = 0;
    let high = this.nodes.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const reached = atEnd ? this.starts[middle] < at : this.starts[middle] <= at;
      if (reached) low = middle;
      else high = middle - 1;
    }
    return [this.nodes[low], at - this.starts[low]];
  }

  /** @param {Range} range
   *  @returns {globalThis.Range} */
  domRange(range) {
    const dom = document.createRange();
    dom.setStart(...this.place(range.start, false));
    dom.setEnd(...this.place(range.end, true));
    return dom;
  }

  /** The part of the page's selection that lies in the text, or null.
   *  @returns {Range | null} */
  selected() {
    const selection = getSelection();
    if (!selection || selection.rangeCount === 0 || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    if (!range.intersectsNode(this.root)) return null;
    const start = this.position(range.startContainer, range.startOffset);
    const end = this.position(range.endContainer, range.endOffset);
    return start < end ? { start, end } : null;
  }

  /** @param {Range} range */
  surface(range) {
    return this.text.slice(range.start, range.end);
  }
}

/** The text nodes under root that belong to the note.
 *  @param {HTMLElement} root
 *  @returns {Generator<Text>} */
function* textNodes(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) => {
    if (node instanceof Text) return NodeFilter.FILTER_ACCEPT;
    const aside = node instanceof HTMLElement && node.dataset.aside !== undefined;
    return aside ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP;
  });
  while (walker.nextNode()) yield /** @type {Text} */ (walker.currentNode);
}
