// SPDX-License-Identifier: Apache-2.0

// Updates the open note after a change by somebody else, and after new suggestions of the
// model: only at a pause, never while something is selected or being saved. The live
// connection says which state is the newest by replacing #note-newest.

import { messageOf } from "./note_save.js";

const PAUSE = 1200; // milliseconds without a key before anything may change
const SPARE = 20; // a page waits so many times as long as its last fetch took

export class Live {
  /** @param {{
   *    base: string,
   *    revision: () => string,
   *    shown: () => string,
   *    busy: () => boolean,
   *    settle: () => void,
   *    say: (words: string) => void,
   *    update: (html: string) => void,
   *  }} page */
  constructor(page) {
    this.page = page;
    this.lastKey = 0;
    this.timer = 0;
    this.took = 0; // milliseconds of the last fetch
    new MutationObserver(() => {
      this.#markOpen();
      this.#look();
    }).observe(/** @type {Node} */ (document.getElementById("annotate")), {
      attributes: true,
      attributeFilter: ["data-revision", "data-suggestions", "aria-current"],
      childList: true,
      subtree: true,
    });
    setInterval(showAges, 5000);
    this.sign.querySelector("button")?.addEventListener("click", () => this.#show());
  }

  /** A key was pressed: the next pause begins now. */
  touched() {
    this.lastKey = performance.now();
  }

  /** Whether the page shows another state than the newest. */
  get old() {
    const newest = document.getElementById("note-newest");
    const shown = document.querySelector(".note-head");
    if (!newest || !shown) return false;
    const older = Number(shown.getAttribute("data-revision")) < Number(newest.dataset.revision);
    const same = shown.getAttribute("data-revision") === newest.dataset.revision;
    return older || (same && shown.getAttribute("data-suggestions") !== newest.dataset.suggestions);
  }

  /** Marks this note in the list. Live frames, which all readers of the list share, mark
   *  none. */
  #markOpen() {
    const link = document.querySelector(`#queue-list a[href="${CSS.escape(this.page.base)}"]`);
    if (link && !link.hasAttribute("aria-current")) link.setAttribute("aria-current", "page");
  }

  get sign() {
    return /** @type {HTMLElement} */ (document.getElementById("note-elsewhere"));
  }

  /** Shows what changed, whatever is selected: the reader asked for it. */
  async #show() {
    this.page.settle();
    this.lastKey = -Infinity;
    await this.#refresh();
    document.getElementById("note-text")?.focus({ preventScroll: true });
  }

  #look() {
    if (this.timer || !this.old) return;
    const wait = Math.max(200, SPARE * this.took, this.lastKey + PAUSE - performance.now());
    this.timer = setTimeout(() => this.#refresh(), wait);
  }

  async #refresh() {
    clearTimeout(this.timer);
    this.timer = 0;
    if (this.old && this.#resting) await this.#fetch();
    // Explains why the page does not update: updates wait for the reader.
    this.sign.hidden = !this.old || !this.#edited;
    document.getElementById("annotate")?.toggleAttribute("data-behind", this.old);
    if (this.old) this.timer = setTimeout(() => this.#refresh(), PAUSE);
  }

  /** Whether more than the suggestions has changed. */
  get #edited() {
    return document.getElementById("note-newest")?.dataset.revision !== document.querySelector(".note-head")?.getAttribute("data-revision");
  }

  get #resting() {
    const paused = performance.now() - this.lastKey >= PAUSE;
    return paused && !this.page.busy() && !document.querySelector("dialog[open], #note-question");
  }

  /** Shows the note as the server has it, because a change of it does not fit the page. */
  async whole() {
    try {
      const response = await fetch(this.page.base, { headers: { "HX-Request": "true" } });
      if (response.ok) this.page.update(await response.text());
    } catch {
      // The edit is stored. The next one asks what to do, because the page is older.
    }
  }

  async #fetch() {
    const asked = this.page.revision();
    const since = new URLSearchParams({ since: asked, shown: this.page.shown() });
    const began = performance.now();
    try {
      const response = await fetch(`${this.page.base}?${since}`, { headers: { "HX-Request": "true" } });
      const html = await response.text();
      this.took = performance.now() - began;
      // An edit may have overtaken the answer.
      if (response.ok && this.#resting && asked === this.page.revision()) {
        const edited = this.#edited;
        this.page.update(html);
        // Unexplained changes look like the reader's own mistake.
        const news = document.querySelector(".note-head")?.getAttribute("data-news") ?? "";
        this.page.say(edited ? "Changed elsewhere just now; this is the note as it is." : news);
      } else if (!response.ok) console.debug("refresh", messageOf(html));
    } catch {
      // The live connection says that the server is away, and comes back with it.
    }
  }
}

/** Writes how long ago things happened. */
function showAges() {
  for (const time of /** @type {NodeListOf<HTMLTimeElement>} */ (document.querySelectorAll("time[data-ago]"))) {
    const words = ago((Date.now() - Date.parse(time.dateTime)) / 1000);
    if (words && time.textContent !== words) time.textContent = words;
  }
}

/** @param {number} seconds
 *  @returns {string} "" for long ago, which the server writes as a date */
function ago(seconds) {
  if (seconds < 0 || seconds >= 48 * 3600) return "";
  if (seconds < 60) return `${Math.floor(seconds)} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  return `${Math.floor(seconds / 3600)} h ago`;
}
