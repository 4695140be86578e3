// SPDX-License-Identifier: Apache-2.0

// Whether a note of an audit can have been read: its end has been in view, and the
// note for as long as anybody needs for that many words. An answer before that is
// asked about once, and says of itself that it is one.

const wordsPerSecond = 30; // 1,800 a minute: faster than people read
const longest = 20; // seconds, of the longest note
const tick = 200; // milliseconds

export class Reading {
  /** @param {HTMLFormElement} form
   *  @param {number} words that can be read */
  constructor(form, words) {
    this.form = form;
    this.words = words;
    this.ended = false;
    this.shown = 0; // milliseconds
    const end = new IntersectionObserver((seen) => {
      if (seen.some((s) => s.isIntersecting)) this.ended = true;
    });
    end.observe(form.querySelector("#audit-end"));
    setInterval(() => this.#pass(), tick);
  }

  #pass() {
    if (document.visibilityState === "visible") this.shown += tick;
    if (this.ended && this.#long) this.form.elements.namedItem("seen").disabled = false;
  }

  get #long() {
    return this.shown >= 1000 * Math.min(longest, this.words / wordsPerSecond);
  }

  /** Delays an answer that is too early, the first time.
   *  @param {SubmitEvent} event */
  check(event) {
    const asked = this.form.elements.namedItem("asked");
    if (!this.form.elements.namedItem("seen").disabled || !asked.disabled) return;
    event.preventDefault();
    asked.disabled = false;
    const ask = this.form.querySelector("#audit-ask");
    ask.hidden = false;
    ask.textContent = `${this.#missing()} Not saved yet: read on, then answer again. A second answer is saved all the same, and the audit says how many came too soon.`;
    if (!this.ended) scrollBy({ top: innerHeight * 0.7 });
  }

  #missing() {
    if (!this.ended) return "The end of this note has not been in view.";
    return `This note was in view for ${Math.max(1, Math.round(this.shown / 1000))} s, and it has ${this.words} words.`;
  }
}
