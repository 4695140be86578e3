// SPDX-License-Identifier: Apache-2.0

// One passage to read: words are marked, the time in view is measured, and the answer is
// sent, or kept until there is a connection.

import { Kept } from "./review_kept.js";
import { Words } from "./review_words.js";

const tick = 200; // milliseconds
const retry = 3000; // milliseconds without a connection until the next try

const form = /** @type {HTMLFormElement | null} */ (document.getElementById("read-form"));
if (form) start(form);

/** Scrolls the box so that the passage is in view, with some lines of its context.
 *  @param {HTMLElement} passage */
function show(passage) {
  const box = /** @type {HTMLElement} */ (passage.closest(".review-passage"));
  const above = passage.getClientRects()[0].top - box.getBoundingClientRect().top;
  box.scrollTop += above - box.clientHeight / 4;
}

/** @param {HTMLFormElement} form */
function start(form) {
  const by = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
  const kept = new Kept(/** @type {string} */ (form.dataset.keep), form.action);
  const nothing = /** @type {HTMLButtonElement} */ (by("read-nothing"));
  const send = /** @type {HTMLButtonElement} */ (by("read-send"));
  const undo = /** @type {HTMLButtonElement} */ (by("read-undo"));
  const says = by("read-says");
  const label = /** @type {HTMLSelectElement | null} */ (by("read-label"));
  const sures = [.../** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll("[data-sure]"))];
  by("guess-plain")?.remove(); // each mark says it
  /** @type {{range: [number, number], label: string, name: string}[]} */
  let marks = [];
  let seen = 0; // milliseconds in view
  let away = false; // the answer is given
  setInterval(() => { if (document.visibilityState === "visible") seen += tick; }, tick);

  const words = new Words(by("read-text"), () => {
    const s = words.selected;
    by("read-mark").hidden = s === null;
    by("read-selected").textContent = s ? `Selected: ${words.text(s)}` : "";
  });

  /** @param {string} text */
  function tell(text) {
    says.hidden = text === "";
    says.textContent = text;
  }

  function paint() {
    words.marked = new Set(marks.flatMap(({ range: [from, to] }) => Array.from({ length: to - from + 1 }, (_, i) => from + i)));
    words.select(null);
    by("read-marks").replaceChildren(...marks.map(item));
    nothing.disabled = marks.length > 0;
    send.disabled = marks.length === 0;
    undo.hidden = marks.length === 0;
    send.classList.toggle("primary", marks.length > 0);
    nothing.classList.toggle("primary", marks.length === 0);
  }

  /** @param {{range: [number, number], label: string, name: string}} mark
   *  @param {number} i */
  function item(mark, i) {
    const li = document.createElement("li");
    const [from, to] = mark.range;
    const text = document.createElement("span");
    text.textContent = `${words.text(mark.range)}: ${mark.name} `;
    const field = document.createElement("input");
    field.type = "hidden";
    field.name = "mark";
    field.value = `${words.places[from][0]}-${words.places[to][1]}:${mark.label}`;
    const away = document.createElement("button");
    away.type = "button";
    away.className = "quiet";
    away.textContent = "Remove";
    away.setAttribute("aria-label", `Remove the mark ${words.text(mark.range)}`);
    away.addEventListener("click", () => {
      marks.splice(i, 1);
      paint();
      words.focus();
    });
    li.append(text, field, away);
    return li;
  }

  /** Marks the selection: with a label, or in the finding game with how sure the reader is.
   *  @param {{value: string, name: string}} as */
  function mark(as) {
    const range = words.chosen;
    if (!range) return tell("Select the words first.");
    const [from, to] = range;
    marks = marks.filter((m) => m.range[1] < from || m.range[0] > to);
    marks.push({ range, label: as.value, name: as.name });
    paint();
    tell(`Marked: ${words.text(range)}.`);
    words.focus();
  }

  /** The label that is chosen. */
  function chosenLabel() {
    return { value: label?.value ?? "", name: label?.selectedOptions[0].textContent ?? "" };
  }

  function takeBack() {
    if (!marks.pop()) return;
    paint();
    tell("The last mark is taken away.");
  }

  const next = () => location.replace(form.action);

  /** Sends what is kept until it is gone, then goes on. */
  async function waitForConnection() {
    tell("No connection. Your answer is kept on this device, and sent when the connection is back.");
    for (const button of [nothing, send, undo]) button.disabled = true;
    let trying = false;
    const go = async () => {
      if (trying) return;
      trying = true;
      if (await kept.sendAll()) next();
      trying = false;
    };
    addEventListener("online", go);
    setInterval(go, retry);
  }

  /** @param {HTMLElement | null} submitter */
  async function answer(submitter) {
    if (away) return;
    away = true;
    const fields = new FormData(form, submitter);
    fields.set("seconds", (seen / 1000).toFixed(1));
    const body = new URLSearchParams(/** @type {any} */ (fields));
    const { status, says } = await kept.send(body);
    switch (status) {
      case 204: return next();
      case 409: return location.replace(`${form.action}?again=1`);
      case 0:
        kept.keep(body);
        return waitForConnection();
    }
    away = false;
    tell(`Not sent. ${says}`);
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const by = /** @type {HTMLElement | null} */ (event.submitter);
    if (marks.length === 0 && by !== nothing) return tell("Nothing is marked. Press “Nothing here” if nobody can be recognized.");
    answer(by);
  });
  by("read-identifier")?.addEventListener("click", () => mark(chosenLabel()));
  const sureOf = (/** @type {HTMLElement} */ b) => ({ value: b.dataset.sure ?? "", name: b.dataset.name ?? "" });
  for (const one of sures) one.addEventListener("click", () => mark(sureOf(one)));
  undo.addEventListener("click", takeBack);
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.metaKey || event.repeat || document.querySelector("dialog[open]")) return;
    const target = /** @type {HTMLElement} */ (event.target);
    const inText = words.root.contains(target);
    const typing = target.matches("select, textarea, a, button, summary");
    if (event.ctrlKey) {
      if (event.key === "z") takeBack();
    } else if (event.key === "Enter" && (inText || target.id === "read-label")) {
      event.preventDefault();
      if (sures.length > 0) tell("Press 1 for a guess, 2 for likely, 3 for sure.");
      else mark(chosenLabel());
    } else if (sures.some((b) => b.dataset.sure === event.key) && !typing) {
      mark(sureOf(/** @type {HTMLElement} */ (sures.find((b) => b.dataset.sure === event.key))));
    } else if (event.key === "n" && !typing) {
      if (marks.length > 0) tell("Words are marked. Press s to send them, or take the marks away.");
      else form.requestSubmit(nothing);
    } else if (event.key === "s" && !typing) {
      form.requestSubmit(send);
    }
  });

  paint();
  words.focus();
  show(by("read-text"));
  if (kept.keys.length > 0) {
    kept.sendAll().then((done) => { if (done) next(); });
  }
}
