// SPDX-License-Identifier: Apache-2.0

// The sliders that everybody in a review looks at. The member with the floor moves them; the
// others see it, or look on their own. All figures are in the page: only L/C and B travel.

const pace = 100; // milliseconds between two moves that are sent
const quiet = 600; // milliseconds after a move of one's own in which older ones may arrive

export class Look {
  /** @param {string} base address of the review
   *  @param {string} me account of the reader */
  constructor(base, me) {
    this.base = base;
    this.me = me;
    this.root = /** @type {HTMLElement} */ (document.getElementById("look"));
    this.lcs = (this.root.dataset.lcs ?? "").split(",");
    this.bs = (this.root.dataset.bs ?? "").split(",");
    this.lc = /** @type {HTMLInputElement} */ (document.getElementById("look-lc"));
    this.b = /** @type {HTMLInputElement | null} */ (document.getElementById("look-b"));
    this.own = /** @type {HTMLInputElement} */ (document.querySelector("#look-own input"));
    this.moved = -Infinity;
    this.sent = -Infinity;
    this.timer = 0;
    for (const slider of [this.lc, this.b]) slider?.addEventListener("input", () => this.#move());
    this.own.addEventListener("change", () => this.#follow());
    for (const form of document.querySelectorAll("#floor-take, #floor-give")) {
      form.addEventListener("submit", (event) => this.#floor(event));
    }
    new MutationObserver(() => this.#follow()).observe(this.root, { attributes: true, attributeFilter: ["data-lc", "data-b", "data-floor"], childList: true, subtree: true });
    this.#follow();
  }

  get shown() {
    return /** @type {HTMLElement} */ (document.getElementById("review-shown")).dataset;
  }

  get floor() {
    return this.shown.floor === this.me;
  }

  /** Shows what everybody looks at, unless the reader looks alone or moves it just now. */
  #follow() {
    const floor = this.floor;
    if (floor) this.own.checked = false;
    setHidden(document.getElementById("floor-take"), floor);
    setHidden(document.getElementById("floor-give"), !floor);
    setHidden(document.getElementById("look-own"), floor);
    for (const slider of [this.lc, this.b]) {
      if (slider && slider.disabled === (floor || this.own.checked)) slider.disabled = !slider.disabled;
    }
    this.#ghost("look-lc", this.lc, this.lcs, nearest(this.lcs, Number(this.shown.lc), Math.log));
    if (this.b) this.#ghost("look-b", this.b, this.bs, nearest(this.bs, Number(this.shown.b), (v) => v));
    if (this.own.checked || performance.now() - this.moved < quiet) return;
    this.lc.value = String(nearest(this.lcs, Number(this.shown.lc), Math.log));
    if (this.b) this.b.value = String(nearest(this.bs, Number(this.shown.b), (v) => v));
    this.#show();
  }

  /** Marks where the others are on a slider, while the reader looks alone.
   *  @param {string} name
   *  @param {HTMLInputElement} slider
   *  @param {string[]} all
   *  @param {number} at */
  #ghost(name, slider, all, at) {
    const mark = /** @type {HTMLElement} */ (document.getElementById(`${name}-ghost`));
    const says = document.getElementById(`${name}-theirs`);
    setHidden(mark, !this.own.checked);
    setHidden(says, !this.own.checked);
    const place = String(at / Math.max(1, Number(slider.max)));
    if (mark.style.getPropertyValue("--at") !== place) mark.style.setProperty("--at", place);
    setText(says, `The others look at ${Number(all[at]).toLocaleString("en")}.`);
  }

  /** Shows the figures of what the sliders say. */
  #show() {
    const lc = this.lcs[Number(this.lc.value)];
    const b = this.b ? this.bs[Number(this.b.value)] : "";
    setText(document.getElementById("look-lc-is"), lc);
    this.lc.setAttribute("aria-valuetext", `L/C ${lc}`);
    if (this.b) {
      const grouped = Number(b).toLocaleString("en");
      setText(document.getElementById("look-b-is"), grouped);
      this.b.setAttribute("aria-valuetext", `B ${grouped}`);
    }
    for (const figures of document.querySelectorAll("#look-figures > [data-lc], #attack-figures > [data-lc]")) {
      setHidden(figures, figures.dataset.lc !== lc || (figures.dataset.b !== undefined && figures.dataset.b !== b));
    }
  }

  #move() {
    this.#show();
    if (!this.floor || this.own.checked) return;
    this.moved = performance.now();
    if (this.timer) return;
    this.timer = setTimeout(() => this.#send(), Math.max(0, this.sent + pace - performance.now()));
  }

  /** Sends where the sliders are now. */
  async #send() {
    this.timer = 0;
    this.sent = performance.now();
    const body = new URLSearchParams({ lc: this.lcs[Number(this.lc.value)], b: this.b ? this.bs[Number(this.b.value)] : this.shown.b ?? "0" });
    try {
      const answer = await fetch(`${this.base}/move`, { method: "POST", body, headers: { "HX-Request": "true" } });
      if (!answer.ok) this.moved = -Infinity;
    } catch {
      this.moved = -Infinity;
    }
    setTimeout(() => this.#follow(), quiet); // where the move was refused, back to the others
  }

  /** Takes the floor, or gives it back, without loading the page. Where that is refused, the
   *  page says why.
   *  @param {Event} event */
  async #floor(event) {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    try {
      const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), headers: { "HX-Request": "true" } });
      if (!answer.ok) form.submit();
    } catch {
      form.submit();
    }
  }
}

/** @param {string[]} all
 *  @param {number} wanted
 *  @param {(v: number) => number} scale */
function nearest(all, wanted, scale) {
  let best = 0;
  for (const [i, one] of all.entries()) {
    if (Math.abs(scale(Number(one)) - scale(wanted)) < Math.abs(scale(Number(all[best])) - scale(wanted))) best = i;
  }
  return best;
}

/** Sets it only if it differs: each change would wake the observer again.
 *  @param {Element | null} element
 *  @param {boolean} hidden */
function setHidden(element, hidden) {
  if (element && element.hidden !== hidden) element.hidden = hidden;
}

/** @param {Element | null} element
 *  @param {string} text */
function setText(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}
