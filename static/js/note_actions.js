// SPDX-License-Identifier: Apache-2.0

// What the keys and buttons of the annotation page do. Every edit becomes a form
// post; nothing here changes the text or decides what a span is.

import { bringIntoView } from "./caret.js";
import { isSuggestion, paint } from "./note_marks.js";

/** @typedef {import("./tokens.js").Range} Range
 *  @typedef {[string, string][]} Fields */

export class Actions {
  /** @param {{
   *    base: string,
   *    note: import("./note_text.js").NoteText,
   *    tokens: import("./tokens.js").Tokens,
   *    offsets: import("./offsets.js").Offsets,
   *    caret: import("./caret.js").Caret,
   *    marks: import("./note_marks.js").Marks,
   *    saver: import("./note_save.js").Saver,
   *    dialogs: import("./note_dialogs.js").Dialogs,
   *    say: (words: string) => void,
   *  }} page */
  constructor(page) {
    this.page = page;
    /** What is selected and not yet tagged, in code units.
     *  @type {Range | null} */
    this.pending = null;
    /** Ranges that pending edits will tag.
     *  @type {Range[]} */
    this.tagging = [];
    /** Range of the newest tag, to be selected once it exists.
     *  @type {Range | null} */
    this.made = null;
    this.lastLabel = "";
    this.showing = true; // suggestions
  }

  /** Takes the page's selection as what to tag next.
   *  @param {boolean} exact to the character, otherwise whole tokens */
  select(exact) {
    const { note, tokens } = this.page;
    const range = note.selected();
    if (!range) return;
    this.#setPending(exact ? tokens.trim(range) : tokens.snap(range));
  }

  /** @param {Range | null} range */
  #setPending(range) {
    this.pending = range;
    paint(this.page.note, "hide-pending", range ? [range] : []);
  }

  /** Paints again after text nodes were replaced. */
  repaint() {
    paint(this.page.note, "hide-pending", this.pending ? [this.pending] : []);
    paint(this.page.note, "hide-tagging", this.tagging);
  }

  /** Follows the caret: alone on a mark it chooses the mark, otherwise it selects. */
  followCaret() {
    const { caret, marks } = this.page;
    if (!caret.range) return;
    const mark = caret.extended ? null : marks.around(caret.range.start);
    this.#setPending(mark ? null : caret.range);
    this.#announce(mark);
  }

  /** Chooses a mark, or none.
   *  @param {HTMLElement | null | undefined} mark */
  choose(mark) {
    this.#setPending(null);
    this.#announce(mark ?? null);
    if (mark) this.page.caret.set(this.page.marks.range(mark));
  }

  /** Chooses a mark and brings it into view, without taking the focus.
   *  @param {HTMLElement | null | undefined} mark */
  goTo(mark) {
    if (!mark) return;
    getSelection()?.removeAllRanges();
    this.choose(mark);
    bringIntoView(mark);
  }

  /** @param {HTMLElement | null} mark */
  #announce(mark) {
    const { marks, note, dialogs } = this.page;
    marks.choose(mark?.dataset.id ?? "");
    dialogs.showChosen(mark, mark ? note.surface(marks.range(mark)) : "");
  }

  get chosen() {
    return this.page.marks.find(this.page.marks.chosen);
  }

  clear() {
    this.choose(null);
    this.page.caret.off();
    getSelection()?.removeAllRanges();
  }

  /** Gives the selected words, or the chosen span, a label.
   *  @param {string} label */
  label(label) {
    const fields = this.#place();
    if (!fields) return this.page.say("Select words or choose a span first.");
    this.lastLabel = label;
    if (this.pending) this.#tag(label, fields);
    else this.#editMark("label", [["label", label]], [this.page.marks.chosen]);
  }

  /** @param {string} label
   *  @param {Fields} fields */
  #tag(label, fields) {
    const range = /** @type {Range} */ (this.pending);
    this.tagging.push(range);
    this.made = range;
    paint(this.page.note, "hide-tagging", this.tagging);
    this.choose(null);
    getSelection()?.removeAllRanges();
    this.page.caret.set(range);
    this.#edit("tag", [...fields, ["label", label]], []);
  }

  /** The selected words, or the chosen mark, as form fields.
   *  @returns {Fields | null} */
  #place() {
    const { note, marks, offsets } = this.page;
    if (this.pending) {
      return [
        ["start", String(offsets.toPoint(this.pending.start))],
        ["end", String(offsets.toPoint(this.pending.end))],
        ["surface", note.surface(this.pending)],
      ];
    }
    return this.chosen ? this.#markFields(marks.chosen) : null;
  }

  /** @param {string} id
   *  @returns {Fields} */
  #markFields(id) {
    const { marks, note } = this.page;
    const mark = marks.find(id);
    return mark ? [["id", id], ["surface", note.surface(marks.range(mark))]] : [["id", id]];
  }

  /** An edit of the selected mark, which may have another id by the time it is
   *  sent.
   *  @param {string} what
   *  @param {Fields} more
   *  @param {string[]} leaving */
  #editMark(what, more, leaving) {
    const { base, marks, saver } = this.page;
    const id = marks.chosen;
    marks.leave(leaving);
    const fields = () => /** @type {Fields} */ ([["do", what], ...this.#markFields(marks.current(id)), ...more]);
    saver.post(`${base}/edit`, fields, (ok) => ok || this.settle());
  }

  /** @param {string} what
   *  @param {Fields} fields
   *  @param {string[]} leaving marks that will be gone or changed */
  #edit(what, fields, leaving) {
    const { base, marks, saver } = this.page;
    marks.leave(leaving);
    saver.post(`${base}/edit`, [["do", what], ...fields], (ok) => ok || this.settle());
  }

  /** The server has answered: what was painted ahead of it goes. */
  settle() {
    this.tagging = [];
    paint(this.page.note, "hide-tagging", []);
    this.page.marks.settle();
  }

  /** Chooses the first suggestion of the note. */
  firstSuggestion() {
    this.clear();
    this.step(1, isSuggestion, "");
  }

  /** An action on the selected mark that keeps or replaces it.
   *  @param {string} what
   *  @param {boolean} exact */
  #onChosen(what, exact) {
    const mark = this.chosen;
    if (!mark) return this.page.say("Choose a span first.");
    if (isSuggestion(mark)) return this.page.say("Accept the suggestion first.");
    this.#editMark(what, exact ? [["exact", "1"]] : [], []);
  }

  /** @param {string} what "accept" or "reject" */
  #answer(what) {
    const mark = this.chosen;
    if (!mark || !isSuggestion(mark)) return this.page.say("Choose a suggestion first.");
    const { start } = this.page.marks.range(mark);
    this.#editMark(what, [], [this.page.marks.chosen]);
    const next = this.page.marks.neighbour(start, 1, isSuggestion);
    if (next) this.goTo(next);
    else this.choose(null);
  }

  /** @param {1 | -1} step
   *  @param {(mark: HTMLElement) => boolean} wanted
   *  @param {string} none what to say when there is none */
  step(step, wanted, none) {
    const { marks, caret } = this.page;
    const mark = this.chosen;
    const at = mark ? marks.range(mark).start : (caret.range?.start ?? (step > 0 ? -1 : Infinity));
    const found = marks.neighbour(at, step, wanted);
    if (found) this.goTo(found);
    else this.page.say(none);
    return Boolean(found);
  }

  /** Runs an action by its name.
   *  @param {string} name
   *  @param {boolean} exact move edges by a character
   *  @returns {boolean} whether there is such an action */
  run(name, exact = false) {
    const { base, saver, dialogs, caret, note } = this.page;
    const actions = /** @type {Record<string, () => unknown>} */ ({
      nextSuggestion: () => this.step(1, isSuggestion, "No further suggestion."),
      previousSuggestion: () => this.step(-1, isSuggestion, "No suggestion before this."),
      nextSpan: () => this.step(1, (mark) => !isSuggestion(mark), "No further span."),
      previousSpan: () => this.step(-1, (mark) => !isSuggestion(mark), "No span before this."),
      accept: () => this.#answer("accept"),
      reject: () => this.#answer("reject"),
      remove: () => this.#remove(),
      widenLeft: () => this.#onChosen("widen-left", exact),
      widenRight: () => this.#onChosen("widen-right", exact),
      narrowLeft: () => this.#onChosen("narrow-left", exact),
      narrowRight: () => this.#onChosen("narrow-right", exact),
      again: () => (this.lastLabel ? this.label(this.lastLabel) : this.page.say("No label was used yet.")),
      undo: () => saver.post(`${base}/undo`, []),
      redo: () => saver.post(`${base}/redo`, []),
      finish: () => this.#edit("finish", dialogs.next(), []),
      reopen: () => this.#edit("reopen", [], []),
      matches: () => this.#matches(),
      acceptMany: () => dialogs.openBulk(),
      labels: () => dialogs.openLabels((label) => this.label(label)),
      help: () => dialogs.openHelp(),
      toggleSuggestions: () => dialogs.toggleSuggestions(),
      clear: () => this.clear(),
      nextNote: () => dialogs.follow("next"),
      previousNote: () => dialogs.follow("previous"),
      back: () => dialogs.back(),
      caret: () => {
        note.root.focus({ preventScroll: true });
        if (!caret.on) caret.key("Home", false, false, firstVisible(note));
        else caret.show();
        this.followCaret();
      },
    });
    if (!Object.hasOwn(actions, name)) return false;
    actions[name]();
    return true;
  }

  /** Removing a suggestion is rejecting it. */
  #remove() {
    const mark = this.chosen;
    if (mark && isSuggestion(mark)) return this.#answer("reject");
    if (!mark) return this.page.say("Choose a span first.");
    this.#editMark("remove", [], [this.page.marks.chosen]);
    this.choose(null);
  }

  #matches() {
    const fields = this.#place();
    if (!fields) return this.page.say("Choose a span first, or select words and give them a label.");
    if (this.pending) {
      if (!this.lastLabel) return this.page.say("Give the words a label first.");
      fields.push(["label", this.lastLabel]);
    }
    this.page.dialogs.openMatches(fields);
  }
}

/** The position of the first text on the screen.
 *  @param {import("./note_text.js").NoteText} note */
function firstVisible(note) {
  const box = note.root.getBoundingClientRect();
  const found = document.caretPositionFromPoint?.(box.left + 24, Math.max(box.top + 12, 100));
  return found && note.root.contains(found.offsetNode) ? note.position(found.offsetNode, found.offset) : 0;
}
