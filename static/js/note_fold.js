// SPDX-License-Identifier: Apache-2.0

// The queue beside a note folds, and stays as it was left in this browser. On a
// narrow window it begins folded, so that the note is what one sees.

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
    // Nothing depends on it.
  }
}
