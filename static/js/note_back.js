// SPDX-License-Identifier: Apache-2.0

// The way from a note back to the list that it was opened from. It is kept for this
// tab only, as an address of this server, and holds no text.

const STORED = "hide.back";

/** Remembers the page and the element on it that a note is opened from.
 *  @param {string} id of the element */
export function leave(id) {
  try {
    sessionStorage.setItem(STORED, `${location.pathname}${location.search}#${id}`);
  } catch {
    // A browser without storage has its own way back.
  }
}

/** Forgets the way: this is where it leads. */
export function arrived() {
  try {
    sessionStorage.removeItem(STORED);
  } catch {
    // Nothing was kept.
  }
}

/** Shows the link back on a note, if there is a way.
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
    // Without storage there is no way.
  }
}
