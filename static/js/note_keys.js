// SPDX-License-Identifier: Apache-2.0

// Keys of the annotation page. The table of commands stands in the page's help,
// the labels' keys in its legend; this module only looks keys up.

const STORED = "hide.single-letter-keys";

export class Keys {
  /** @param {ParentNode} page */
  constructor(page) {
    /** action by key, "ctrl+" in front where that is held
     *  @type {Map<string, string>} */
    this.actions = new Map();
    for (const entry of page.querySelectorAll("[data-keys][data-does]")) {
      const { keys = "", does = "" } = /** @type {HTMLElement} */ (entry).dataset;
      for (const key of keys.split(" ").filter(Boolean)) this.actions.set(key, does);
    }
    /** @type {Map<string, string>} */
    this.labels = new Map();
    for (const button of page.querySelectorAll("[data-label][data-key-of]")) {
      const { label = "", keyOf = "" } = /** @type {HTMLElement} */ (button).dataset;
      if (keyOf) this.labels.set(keyOf, label);
    }
    this.single = readStored();
  }

  /** Switches single-character keys on or off, and remembers it in this browser.
   *  @param {boolean} on */
  setSingle(on) {
    this.single = on;
    try {
      localStorage.setItem(STORED, on ? "on" : "off");
    } catch {
      // A browser without storage asks again next time.
    }
  }

  /** @param {KeyboardEvent} event
   *  @returns {{action: string} | {label: string} | null} */
  find(event) {
    if (event.altKey && event.key.length === 1 && !"[]{}".includes(event.key)) return null;
    const ctrl = event.ctrlKey || event.metaKey;
    const key = ctrl ? `ctrl+${event.key}` : event.key;
    if (!ctrl && event.key.length === 1 && !this.single) return null;
    const action = this.actions.get(key);
    if (action) return { action };
    const label = ctrl ? undefined : this.labels.get(key);
    return label ? { label } : null;
  }
}

function readStored() {
  try {
    return localStorage.getItem(STORED) !== "off";
  } catch {
    return true;
  }
}

/** Whether keys belong to what has the focus: a field, or an open dialog.
 *  @param {KeyboardEvent} event */
export function belongsElsewhere(event) {
  if (event.defaultPrevented || event.isComposing) return true;
  if (document.querySelector("dialog[open]")) return true;
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.matches("textarea, select")) return true;
  return target.matches("input") && !target.matches('[type="checkbox"], [type="button"], [type="submit"]');
}

/** Whether the key works the focused control instead of the note: Enter and space
 *  on buttons and boxes.
 *  @param {KeyboardEvent} event */
export function worksControl(event) {
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  return (event.key === "Enter" || event.key === " ") && target.matches("button, a, summary, input");
}
