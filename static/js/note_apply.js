// SPDX-License-Identifier: Apache-2.0

// Puts a fragment from the server into the page. Only parts that differ are
// replaced, and lists are replaced item by item by their keys, so that an edit in
// a long note touches little, and neither scroll nor focus is lost. For items that
// the page has, the server may send a placeholder.

/** @param {string} html a fragment with elements marked data-part
 *  @returns {boolean | null} whether anything changed in the note's text element; null
 *    when the fragment fits another state of the page, which stays as it is */
export function applyFragment(html) {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  for (const list of fresh.querySelectorAll("[data-part][data-list]")) if (!fillIn(list)) return null;
  const focus = rememberFocus();
  let text = false;
  for (const part of fresh.querySelectorAll("[data-part]")) {
    const name = /** @type {HTMLElement} */ (part).dataset.part;
    const old = document.querySelector(`[data-part="${name}"]`);
    if (!old || name === "form") continue; // its parts are replaced one by one
    const changed = old.hasAttribute("data-list") ? replaceItems(old, part) : replaceWhole(old, part);
    if (name === "text") text = changed;
  }
  restoreFocus(focus);
  return text;
}

/** @param {Element} old
 *  @param {Element} fresh */
function replaceWhole(old, fresh) {
  if (old.isEqualNode(fresh)) return false;
  if (old instanceof HTMLDetailsElement && old.open) fresh.setAttribute("open", "");
  for (const field of old.querySelectorAll("input[id]")) {
    const again = fresh.querySelector(`#${CSS.escape(field.id)}`);
    if (again instanceof HTMLInputElement) again.value = /** @type {HTMLInputElement} */ (field).value;
  }
  old.replaceWith(document.adoptNode(fresh));
  return true;
}

/** Puts copies of the page's items where the server left items out.
 *  @param {Element} list
 *  @returns {boolean} whether the page has them */
function fillIn(list) {
  const shown = document.querySelector(`[data-part="${/** @type {HTMLElement} */ (list).dataset.part}"]`)?.children;
  for (const gap of /** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll(":scope > template[data-kept]"))) {
    const [from, count] = (gap.dataset.kept ?? "").split(" ").map(Number);
    const kept = shown ? [...shown].slice(from, from + count) : [];
    if (kept.length !== count || keyOf(kept[0]) !== gap.dataset.first || keyOf(kept[count - 1]) !== gap.dataset.last) return false;
    // Shallow: replaceItems looks at their keys and leaves the page's own where they are.
    gap.replaceWith(...kept.map((item) => item.cloneNode(false)));
  }
  return true;
}

/** @param {Element} item */
function keyOf(item) {
  return item.getAttribute("data-key") ?? "";
}

/** Makes old's children those of fresh, keeping the ones whose data-key stays.
 *  @param {Element} old
 *  @param {Element} fresh */
function replaceItems(old, fresh) {
  /** @type {Map<string, Element>} */
  const kept = new Map();
  for (const item of old.children) kept.set(item.getAttribute("data-key") ?? "", item);
  let changed = false;
  let at = old.firstElementChild;
  for (const item of [...fresh.children]) {
    const key = item.getAttribute("data-key") ?? "";
    const known = kept.get(key);
    kept.delete(key);
    if (known && known === at) {
      at = at.nextElementSibling;
      continue;
    }
    changed = true;
    old.insertBefore(known ?? document.adoptNode(item), at);
  }
  for (const item of kept.values()) item.remove();
  return changed || kept.size > 0;
}

/** @typedef {{element: Element, id: string, again: string}} Focus */

/** What has the focus, and how to find it again should it be replaced.
 *  @returns {Focus | null} */
function rememberFocus() {
  const element = document.activeElement;
  if (!(element instanceof HTMLElement) || element === document.body) return null;
  const action = element.dataset.action;
  return { element, id: element.id, again: action ? `[data-action="${action}"]` : "" };
}

/** @param {Focus | null} focus */
function restoreFocus(focus) {
  if (!focus || focus.element.isConnected) return;
  const again = (focus.id && document.getElementById(focus.id)) || (focus.again && document.querySelector(focus.again));
  const target = again instanceof HTMLElement && !again.matches(":disabled") ? again : document.getElementById("note-text");
  target?.focus({ preventScroll: true });
}
