// SPDX-License-Identifier: Apache-2.0

// The queue next to a note can be folded; this browser remembers the state. On a
// narrow window it starts folded, so that the note is visible.

const STORED = "hide.queue-folded";
const narrow = matchMedia("(max-width: 70rem)");

/** @param {HTMLDetailsElement} queue */
export function wireFold(queue) {
  queue.open = !narrow.matches && read() !== "yes";
  queue.addEventListener("toggle", () => {
    if (!narrow.matches) write(queue.open ? "no" : "yes");
  });
}

function read() {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null; // without storage it begins open each time
  }
}

/** @param {string} folded */
function write(folded) {
  try {
    localStorage.setItem(STORED, folded);
  } catch {
    // Storage is optional.
  }
}
