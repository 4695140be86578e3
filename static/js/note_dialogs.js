// SPDX-License-Identifier: Apache-2.0

// The parts of the annotation page around the text: help, choice of a label, the
// list before "tag all matches", accepting many, the tools for the chosen span.

import { messageOf } from "./note_save.js";
import { isSuggestion } from "./note_marks.js";

/** @template {HTMLElement} T
 *  @param {string} id
 *  @returns {T} */
const byId = (id) => /** @type {T} */ (document.getElementById(id));

export class Dialogs {
  /** @param {{
   *    base: string,
   *    revision: () => string,
   *    post: (fields: [string, string][]) => void,
   *    say: (words: string) => void,
   *  }} page */
  constructor(page) {
    this.page = page;
    /** @type {(label: string) => void} */
    this.onLabel = () => {};
    this.#wireLabels();
    this.#wireMatches();
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !(event.target instanceof Element) || event.target.id !== "note-threshold") return;
      byId("note-bulk").open = false;
      byId("note-text").focus({ preventScroll: true });
    });
    document.addEventListener("input", (event) => {
      if (event.target instanceof Element && event.target.id === "note-threshold") this.countBulk();
    });
    byId("note-show").addEventListener("change", () => this.#showSuggestions());
  }

  openHelp() {
    byId("note-help").showModal();
  }

  /** Opens the neighbouring note, or reports that none exists.
   *  @param {"next" | "previous"} which */
  follow(which) {
    const here = document.querySelector('#queue-list a[aria-current="page"]')?.closest("li");
    const link = (which === "next" ? here?.nextElementSibling : here?.previousElementSibling)?.querySelector("a");
    if (link instanceof HTMLAnchorElement) location.assign(link.href);
    else this.page.say(which === "next" ? "This is the last note of the list." : "This is the first note.");
  }

  /** The note that the list shows as the next one, for the form that finishes this note.
   *  @returns {[string, string][]} */
  next() {
    const link = document.querySelector("#queue-best a");
    return link instanceof HTMLElement && link.dataset.note ? [["next", link.dataset.note]] : [];
  }

  /** Goes back to the list that the note was opened from. */
  back() {
    const link = document.querySelector("#note-back:not([hidden]) a");
    if (link instanceof HTMLAnchorElement) location.assign(link.href);
    else this.page.say("This note was not opened from a run.");
  }

  /** Says which span is chosen, and offers what can be done with it.
   *  @param {HTMLElement | null} mark
   *  @param {string} surface */
  showChosen(mark, surface) {
    const tools = byId("note-tools");
    if (!tools) return; // a reader may not annotate
    const kind = mark ? (isSuggestion(mark) ? "suggestion" : "annotation") : "";
    tools.dataset.chosen = kind;
    const words = mark ? `${shorten(surface)}${mark.querySelector("[data-aside]")?.textContent ?? ""}` : "None. Click one in the text or in the list.";
    const chosen = byId("note-chosen");
    if (chosen.textContent !== words) chosen.textContent = words;
    for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (tools.querySelectorAll("button[data-for]"))) {
      button.disabled = button.dataset.for === "any" ? kind === "" : button.dataset.for !== kind;
    }
    for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (tools.querySelectorAll("[data-for] button"))) {
      button.disabled = kind !== "annotation";
    }
  }

  // Accept many.

  openBulk() {
    const bulk = byId("note-bulk");
    if (!bulk || bulk.hidden) return this.page.say("There are no suggestions to answer.");
    bulk.open = true;
    this.countBulk();
    byId("note-threshold").focus();
    byId("note-threshold").select();
  }

  /** Suggestions that reach the threshold.
   *  @returns {HTMLElement[]} */
  bulk() {
    const field = byId("note-threshold");
    const least = field.value === "" ? Infinity : Number(field.value);
    const marks = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#note-text mark[data-suggested]"));
    return [...marks].filter((mark) => Number(mark.dataset.score) >= least);
  }

  countBulk() {
    const field = byId("note-threshold");
    if (!field) return;
    const all = document.querySelectorAll("#note-text mark[data-suggested]").length;
    const count = this.bulk().length;
    byId("note-bulk-count").textContent = field.value === "" ? "Enter a score." : `${count} of ${all} reach ${field.value} %.`;
    byId("note-bulk-accept").disabled = count === 0;
  }

  // Show and hide.

  toggleSuggestions() {
    const box = byId("note-show");
    box.checked = !box.checked;
    this.#showSuggestions();
  }

  #showSuggestions() {
    const on = byId("note-show").checked;
    byId("annotate").toggleAttribute("data-plain", !on);
    this.page.say(on ? "Suggestions are shown." : "Suggestions are hidden.");
  }

  // Labels by name.

  /** @param {(label: string) => void} then */
  openLabels(then) {
    this.onLabel = then;
    const query = byId("note-labels-query");
    query.value = "";
    this.#filterLabels();
    byId("note-labels").showModal();
    query.focus();
  }

  #filterLabels() {
    const wanted = byId("note-labels-query").value.trim().toLowerCase();
    for (const item of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#note-labels-list li"))) {
      item.hidden = !(item.textContent ?? "").toLowerCase().includes(wanted);
    }
  }

  #wireLabels() {
    const dialog = byId("note-labels");
    const pick = (/** @type {HTMLButtonElement | null} */ button) => {
      if (!button) return;
      dialog.close();
      this.onLabel(button.value);
    };
    byId("note-labels-query").addEventListener("input", () => this.#filterLabels());
    byId("note-labels-query").addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      pick(document.querySelector("#note-labels-list li:not([hidden]) button"));
    });
    byId("note-labels-list").addEventListener("click", (event) => {
      pick(/** @type {Element} */ (event.target).closest("button"));
    });
  }

  // Tag all matches.

  /** @param {[string, string][]} fields */
  async openMatches(fields) {
    const dialog = byId("note-matches");
    this.matchFields = fields;
    this.page.say("Looking for matches…");
    try {
      const response = await fetch(`${this.page.base}/matches`, {
        method: "POST",
        body: new URLSearchParams([["do", "matches"], ["revision", this.page.revision()], ...fields]),
        headers: { "HX-Request": "true" },
      });
      const html = await response.text();
      if (!response.ok) return this.page.say(messageOf(html));
      const form = new DOMParser().parseFromString(html, "text/html").body.firstElementChild;
      if (form) dialog.replaceChildren(document.adoptNode(form));
    } catch {
      return this.page.say("The server does not answer. Try again.");
    }
    this.page.say("Saved");
    if (!dialog.open) dialog.showModal();
    dialog.querySelector("#matches-go")?.focus();
  }

  #wireMatches() {
    const dialog = byId("note-matches");
    dialog.addEventListener("click", (event) => {
      if (!(event.target instanceof Element) || !event.target.closest("[data-close]")) return;
      event.preventDefault();
      dialog.close();
    });
    dialog.addEventListener("change", (event) => {
      const box = /** @type {HTMLInputElement} */ (event.target);
      if (box.id === "matches-fold") return this.#foldMatches(box.checked);
      const count = dialog.querySelectorAll('input[name="place"]:checked').length;
      byId("matches-count").textContent = String(count);
      byId("matches-go").disabled = count === 0;
    });
    dialog.addEventListener("submit", (event) => {
      event.preventDefault();
      const form = /** @type {HTMLFormElement} */ (event.target);
      const fields = /** @type {[string, string][]} */ ([...new FormData(form)]);
      dialog.close();
      this.page.post(fields);
    });
  }

  /** @param {boolean} fold */
  #foldMatches(fold) {
    const fields = (this.matchFields ?? []).filter(([name]) => name !== "fold");
    this.openMatches(fold ? [...fields, ["fold", "1"]] : fields);
  }
}

/** @param {string} surface */
function shorten(surface) {
  const line = surface.replace(/\s+/g, " ");
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
