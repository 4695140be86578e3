// SPDX-License-Identifier: Apache-2.0

// The link from a note back to the list from which it was opened. It is stored for this
// tab only, as an address of this server, without text.

const STORED = "hide.back";

/** Remembers the page and the element on it that a note is opened from.
 *  @param {string} id of the element */
export function leave(id) {
  try {
    sessionStorage.setItem(STORED, `${location.pathname}${location.search}#${id}`);
  } catch {
    // Without storage, the browser's back button remains.
  }
}

/** Forgets the way: this is where it leads. */
export function arrived() {
  try {
    sessionStorage.removeItem(STORED);
  } catch {
    // Nothing was stored.
  }
}

/** Shows the back link on a note, if one is stored.
 *  @param {HTMLElement | null} place that holds the link */
export function offer(place) {
  const link = place?.querySelector("a");
  if (!place || !link) return;
  try {
    const way = sessionStorage.getItem(STORED);
    const to = way ? new URL(way, location.origin) : null;
    if (!to || to.origin !== location.origin) return;
    link.href = to.href;
    place.hidden = false;
  } catch {
    // Without storage there is no link.
  }
}
