// SPDX-License-Identifier: Apache-2.0

// The question about an edit that was not made: Enter says yes and Escape says no. Where
// suggestions are undecided, both lead to the first of them. Nothing else is edited before one of them.

const FOLLOWS = 5000; // milliseconds after an answer: the next question comes of it
const UNREAD = 700; // milliseconds that a question needs to be seen

export class Question {
  /** @param {{
   *    saver: import("./note_save.js").Saver,
   *    root: HTMLElement,
   *    say: (state: "saved" | "refused", words: string) => void,
   *    undecided: () => void,
   *  }} page */
  constructor(page) {
    this.page = page;
    /** @type {HTMLElement | null} */
    this.seen = null; // the question that came last
    this.came = -Infinity; // when it came, in milliseconds
    this.answered = -Infinity; // when the one before was answered
    document.addEventListener("click", (event) => {
      if (event.target instanceof Element && event.target.closest("#note-question [data-no]")) this.#no(event);
    });
    document.addEventListener("submit", (event) => {
      if (event.target instanceof HTMLFormElement && event.target.hasAttribute("data-answer-yes")) this.#yes(event, event.target);
    });
  }

  /** @returns {HTMLElement | null} */
  get #asked() {
    return document.getElementById("note-question");
  }

  /** What Enter does: yes, or no where yes could do harm.
   *  @returns {HTMLElement | null} */
  get #first() {
    const no = this.#asked?.querySelector("[data-no]") ?? null;
    if (this.#asked?.hasAttribute("data-undecided")) return /** @type {HTMLElement | null} */ (no);
    return /** @type {HTMLElement | null} */ (this.#asked?.querySelector("[data-yes]") ?? no);
  }

  /** Brings a question that has come before its reader. */
  show() {
    if (this.#asked && this.#asked !== this.seen) [this.seen, this.came] = [this.#asked, performance.now()];
    if (!this.#asked || this.#asked.contains(document.activeElement)) return;
    this.#first?.focus({ preventScroll: true });
    this.#asked.scrollIntoView({ block: "nearest" });
  }

  /** Whether Enter can still be meant for the question before: one that follows an
   *  answer has to be seen before it takes one. */
  get #unread() {
    return this.came - this.answered < FOLLOWS && performance.now() - this.came < UNREAD;
  }

  /** Answers by a key.
   *  @param {KeyboardEvent} event */
  key(event) {
    if (!this.#asked || (event.key !== "Enter" && event.key !== "Escape")) return false;
    if (event.repeat || (event.key === "Enter" && this.#unread)) {
      event.preventDefault();
      return true;
    }
    const focused = document.activeElement;
    if (event.key === "Enter" && focused && this.#asked.contains(focused)) return false; // it works by itself
    event.preventDefault();
    const no = /** @type {HTMLElement | null} */ (this.#asked.querySelector("[data-no]"));
    (event.key === "Escape" ? no : this.#first)?.click();
    return true;
  }

  /** Keeps what would edit or leave the note from doing so before the answer.
   *  @param {Event} event */
  stops(event) {
    if (!this.#asked || (event.target instanceof Node && this.#asked.contains(event.target) && event.type === "click")) return false;
    event.preventDefault();
    this.page.say("refused", "Answer the question above first.");
    this.show();
    return true;
  }

  /** @param {Event} event
   *  @param {HTMLFormElement} form */
  #yes(event, form) {
    event.preventDefault();
    const fields = /** @type {[string, string][]} */ ([...new FormData(form)]);
    this.#close();
    this.page.saver.release({ path: form.getAttribute("action") ?? "", fields });
  }

  /** Edits queued behind an edit of a finished note are dropped with it; edits behind
   *  another edit are applied to the current note.
   *  @param {Event} event */
  #no(event) {
    event.preventDefault();
    const finished = document.querySelector('.note-head .state[data-state="done"]') !== null;
    const undecided = this.#asked?.hasAttribute("data-undecided") ?? false;
    this.#close();
    if (undecided) this.page.undecided();
    const dropped = this.page.saver.release(undefined, finished);
    const more = dropped === 0 ? "" : ` ${dropped === 1 ? "1 more change was" : `${dropped} more changes were`} not made.`;
    if (this.page.saver.unsaved === 0) this.page.say("saved", (undecided ? "Not finished yet." : "The note is as it was saved last.") + more);
  }

  #close() {
    this.answered = performance.now();
    this.#asked?.remove();
    this.page.root.focus({ preventScroll: true });
  }
}
