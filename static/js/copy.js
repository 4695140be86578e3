// SPDX-License-Identifier: Apache-2.0

// Buttons that copy the text of another element, whose id is in data-copy. Browsers
// allow copying on https and on this machine only; elsewhere the buttons stay hidden.

if (navigator.clipboard) {
  for (const button of document.querySelectorAll("button[data-copy]")) {
    const copy = /** @type {HTMLButtonElement} */ (button);
    const said = document.getElementById(`${copy.dataset.copy}-copied`);
    copy.hidden = false;
    copy.addEventListener("click", async () => {
      const text = document.getElementById(copy.dataset.copy).textContent;
      try {
        await navigator.clipboard.writeText(text.trim());
        said.textContent = "Copied.";
      } catch {
        said.textContent = "The browser did not copy it: select it and copy it yourself.";
      }
    });
  }
}
