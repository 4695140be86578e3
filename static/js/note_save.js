// SPDX-License-Identifier: Apache-2.0

// Sends edits to the server, one after the other, and reports the result. An edit
// that could not be sent stays in the queue and is retried; nothing is dropped
// silently.

/** @typedef {[string, string][]} Fields
 *  Fields may be made when their turn comes, because an edit before can change ids.
 *  @typedef {{path: string, fields: Fields | (() => Fields), done?: (ok: boolean) => void}} Job
 *  @typedef {"saved" | "saving" | "unsaved" | "refused"} SaveState */

const RETRY_AFTER = [1000, 2000, 5000, 10000];

export class Saver {
  /** @param {{
   *    revision: () => string,
   *    shown: () => string,
   *    onState: (state: SaveState, words: string) => void,
   *    onFragment: (html: string, conflict: boolean) => void | Promise<void>,
   *  }} hooks */
  constructor(hooks) {
    this.hooks = hooks;
    /** @type {Job[]} */
    this.line = [];
    this.busy = false;
    this.held = false; // by a question that waits for an answer
    this.failures = 0;
    this.timer = 0;
    addEventListener("beforeunload", (event) => {
      if (this.line.length > 0 || document.querySelector("#note-question:not([data-undecided])")) event.preventDefault();
    });
    addEventListener("online", () => this.retry());
  }

  get unsaved() {
    return this.line.length;
  }

  /** @param {string} path
   *  @param {Fields | (() => Fields)} fields
   *  @param {(ok: boolean) => void} [done] */
  post(path, fields, done) {
    this.line.push({ path, fields, done });
    this.#next();
  }

  /** Tries at once what waits for its next try. */
  retry() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.#next();
  }

  /** Lets the line go on after a question was answered, with a job before all others
   *  or without those that wait.
   *  @param {Job} [first]
   *  @param {boolean} [drop]
   *  @returns {number} how many were dropped */
  release(first, drop = false) {
    const dropped = drop ? this.line.splice(0) : [];
    for (const job of dropped) job.done?.(false);
    if (first) this.line.unshift(first);
    this.held = false;
    this.#next();
    return dropped.length;
  }

  async #next() {
    if (this.busy || this.held || this.timer || this.line.length === 0) return;
    this.busy = true;
    this.hooks.onState("saving", "Saving…");
    const job = this.line[0];
    try {
      await this.#answer(job, await send(job, this.hooks.revision(), this.hooks.shown()));
    } catch {
      this.#failed("the server does not answer");
    }
    this.busy = false;
    this.#next();
  }

  /** @param {Job} job
   *  @param {Response} response */
  async #answer(job, response) {
    if (response.status >= 500 || response.status === 401 || response.status === 403) {
      const signedOut = response.status === 401;
      this.#failed(signedOut ? "you are signed out; sign in again in another tab" : messageOf(await response.text()));
      return;
    }
    const html = await response.text();
    this.failures = 0;
    this.line.shift();
    const next = response.headers.get("HX-Redirect");
    if (next) {
      this.hooks.onState("saved", "Saved. Opening the next note…");
      if (this.line.length === 0) location.assign(next);
      return;
    }
    const conflict = response.status === 409 && html.includes('id="note-fragment"');
    this.held = conflict;
    job.done?.(response.ok);
    if (response.ok || conflict) await this.hooks.onFragment(html, conflict);
    if (conflict) this.hooks.onState("refused", statusOf(html));
    else if (!response.ok) this.hooks.onState("refused", `Not saved: ${messageOf(html)}`);
    else if (this.line.length === 0) this.hooks.onState("saved", "Saved");
  }

  /** @param {string} why */
  #failed(why) {
    const wait = RETRY_AFTER[Math.min(this.failures++, RETRY_AFTER.length - 1)];
    const edits = this.line.length === 1 ? "1 change" : `${this.line.length} changes`;
    this.hooks.onState("unsaved", `Not saved: ${why}. ${edits} kept here; trying again.`);
    this.timer = setTimeout(() => this.retry(), wait);
  }
}

/** @param {Job} job
 *  @param {string} revision
 *  @param {string} shown the key of the suggestions on the page: with the revision, it says
 *    which state the page shows, and the server sends only what differs from it */
function send(job, revision, shown) {
  const body = new URLSearchParams(typeof job.fields === "function" ? job.fields() : job.fields);
  if (!body.has("revision")) body.set("revision", revision);
  if (body.get("revision") === revision) body.set("shown", shown);
  return fetch(job.path, {
    method: "POST",
    body,
    headers: { "HX-Request": "true" },
    redirect: "error",
  });
}

/** What the line about saving says while a question waits.
 *  @param {string} html */
function statusOf(html) {
  const question = new DOMParser().parseFromString(html, "text/html").getElementById("note-question");
  return question?.dataset.status ?? "Not saved. Choose above.";
}

/** The words of an error fragment.
 *  @param {string} html */
export function messageOf(html) {
  const text = new DOMParser().parseFromString(html, "text/html").body.textContent ?? "";
  return text.replace(/\s+/g, " ").trim() || "the server refused it";
}
