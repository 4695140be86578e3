// SPDX-License-Identifier: Apache-2.0

// The annotation page: wires selections, the caret, keys and buttons to actions.

import { Actions } from "./note_actions.js";
import { Caret } from "./caret.js";
import { Dialogs } from "./note_dialogs.js";
import { Keys, belongsElsewhere, worksControl } from "./note_keys.js";
import { Live } from "./note_live.js";
import { Marks, isSuggestion } from "./note_marks.js";
import { NoteText } from "./note_text.js";
import { Offsets } from "./offsets.js";
import { Question } from "./note_question.js";
import { Saver } from "./note_save.js";
import { Tokens } from "./tokens.js";
import { applyFragment } from "./note_apply.js";
import { wireFold } from "./note_fold.js";

const page = /** @type {HTMLElement} */ (document.getElementById("annotate"));
const root = /** @type {HTMLElement} */ (document.getElementById("note-text"));
const status = /** @type {HTMLElement} */ (document.getElementById("note-status"));
const base = page.dataset.base ?? "";
const mayEdit = document.getElementById("note-tools") !== null;

const note = new NoteText(root);
const tokens = new Tokens(note.text);
const caret = new Caret(note, tokens);
const marks = new Marks(note);

const shown = () => document.querySelector(".note-head")?.getAttribute("data-suggestions") ?? "";
const revision = () => document.querySelector(".note-head")?.getAttribute("data-revision") ?? "";

/** @param {string} words */
function say(words) {
  if (saver.unsaved === 0) show("saved", words);
}

/** @param {string} state
 *  @param {string} words */
function show(state, words) {
  status.dataset.state = state;
  if (status.textContent !== words) status.textContent = words;
  /** @type {HTMLElement} */ (document.getElementById("note-retry")).hidden = state !== "unsaved";
}

const saver = new Saver({ revision, shown, onState: show, onFragment: update });
const dialogs = new Dialogs({ base, revision, say, post: (fields) => saver.post(`${base}/edit`, fields) });
const actions = new Actions({ base, note, tokens, offsets: new Offsets(note.text), caret, marks, saver, dialogs, say });
const live = new Live({ base, revision, shown, busy: () => saver.unsaved > 0 || actions.pending !== null, settle: () => actions.clear(), say, update });
const keys = new Keys(document);
const question = new Question({ saver, root, say: show, undecided: () => actions.firstSuggestion() });

/** Shows the note as the server has it now.
 *  @param {string} html */
function update(html) {
  const chosen = actions.chosen;
  const place = chosen ? marks.range(chosen) : actions.made;
  const changed = applyFragment(html);
  if (changed === null) return live.whole();
  actions.made = null;
  if (changed) note.index();
  if (saver.unsaved === 0) actions.settle();
  const again = place && (marks.find(chosen?.dataset.id ?? "") ?? marks.around(place.start) ?? marks.around(place.end - 1));
  if (chosen && again) marks.rename(chosen, again);
  if (!actions.pending) actions.choose(again ?? null);
  else actions.repaint();
  dialogs.countBulk();
  question.show();
}

// Selecting with the mouse or a finger.

let pressed = false;
root.addEventListener("pointerdown", () => {
  pressed = true;
  caret.off();
});
document.addEventListener("selectionchange", () => {
  if (pressed || !caret.on) actions.select(false);
});
document.addEventListener("pointerup", (event) => {
  if (!pressed) return;
  pressed = false;
  if (note.selected()) {
    actions.select(event.shiftKey || event.altKey);
    marks.choose("");
    dialogs.showChosen(null, "");
    return;
  }
  const mark = event.target instanceof Element ? event.target.closest("mark[data-id]") : null;
  actions.choose(/** @type {HTMLElement | null} */ (mark));
  if (!mark) caretAt();
});

/** Lets the arrow keys go on from where the mouse clicked. */
function caretAt() {
  const selection = getSelection();
  if (!selection?.anchorNode || !root.contains(selection.anchorNode)) return;
  const at = note.position(selection.anchorNode, selection.anchorOffset);
  caret.set({ start: at, end: at + 1 });
}

// Keys.

document.addEventListener("keydown", (event) => {
  live.touched();
  if (event.key === "Enter" && event.target instanceof Element && event.target.id === "note-threshold") {
    event.preventDefault();
    return acceptBulk();
  }
  if (belongsElsewhere(event) || question.key(event) || worksControl(event)) return;
  if (moveCaret(event) || nextByTab(event) || command(event)) event.preventDefault();
});

/** @param {KeyboardEvent} event */
function moveCaret(event) {
  if (document.activeElement !== root || event.altKey) return false;
  const far = event.ctrlKey || event.metaKey;
  if (far && event.key !== "Home" && event.key !== "End") return false;
  const chosen = actions.chosen;
  const from = chosen ? marks.range(chosen).start : 0;
  if (!caret.key(event.key, event.shiftKey, far, from)) return false;
  actions.followCaret();
  return true;
}

/** Tab goes to the next suggestion if there is one, and otherwise through the
 *  page as usual, so that keyboard users are not trapped in the text.
 *  @param {KeyboardEvent} event */
function nextByTab(event) {
  if (event.key !== "Tab" || document.activeElement !== root || page.hasAttribute("data-plain")) return false;
  return actions.step(event.shiftKey ? -1 : 1, isSuggestion, "");
}

/** @param {KeyboardEvent} event */
function command(event) {
  const found = keys.find(event);
  if (!found || question.stops(event)) return false;
  const reading = "action" in found && ["nextNote", "previousNote", "back", "help", "toggleSuggestions", "nextSpan", "previousSpan", "clear"];
  if (!mayEdit && !(reading && reading.includes(found.action))) return false;
  if ("label" in found) actions.label(found.label);
  else actions.run(found.action, event.altKey);
  return true;
}

// Buttons.

document.addEventListener("pointerdown", (event) => {
  // A button must not clear the selection that it labels.
  if (event.target instanceof Element && event.target.closest("#note-form button, #note-bar button")) event.preventDefault();
});
document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("button, summary, .spans a") : null;
  if (!(button instanceof HTMLElement) || question.stops(event)) return;
  const item = button.closest(".spans li");
  if (item instanceof HTMLElement) {
    event.preventDefault();
    actions.goTo(marks.find(item.dataset.id ?? ""));
    if (button.dataset.answer) actions.run(button.dataset.answer);
    return;
  }
  const { action, label } = button.dataset;
  if (label !== undefined) actions.label(label);
  else if (action && action !== "acceptMany") actions.run(action);
  else return;
  event.preventDefault();
});
document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (form.id !== "note-form") return;
  event.preventDefault();
  const button = /** @type {HTMLButtonElement | null} */ (/** @type {SubmitEvent} */ (event).submitter);
  if (button?.id === "note-bulk-accept") acceptBulk();
});

function acceptBulk() {
  const chosen = dialogs.bulk();
  root.focus({ preventScroll: true });
  if (chosen.length === 0) return say("No suggestion reaches this score.");
  marks.leave(chosen.map((mark) => mark.dataset.id ?? ""));
  const fields = chosen.flatMap((mark) => [["id", mark.dataset.id ?? ""], ["surface", note.surface(marks.range(mark))]]);
  saver.post(`${base}/edit`, /** @type {[string, string][]} */ ([["do", "accept"], ...fields]), (ok) => ok || actions.settle());
}

document.addEventListener("change", (event) => {
  const field = event.target;
  if (!(field instanceof HTMLInputElement)) return;
  if (field.id === "note-single") keys.setSingle(field.checked);
});

wireFold(/** @type {HTMLDetailsElement} */ (document.getElementById("queue-side")));
/** @type {HTMLInputElement} */ (document.getElementById("note-single")).checked = keys.single;
page.setAttribute("data-script", "");
/** @type {HTMLElement} */ (document.getElementById("note-options")).hidden = false;
document.getElementById("note-retry")?.addEventListener("click", () => saver.retry());
dialogs.showChosen(null, "");
dialogs.countBulk();
if (location.hash === "" && document.activeElement === document.body) root.focus({ preventScroll: true });
