// SPDX-License-Identifier: Apache-2.0

// The release table: ticks all rows at once, says how many are ticked, and loads the page
// again when a preparation has ended. The form works without this module.

const form = document.getElementById("decide");
if (form) {
  const boxes = [...form.querySelectorAll('input[name="place"]')];
  const button = form.querySelector("[data-ticked]");
  const all = form.querySelector("[data-tick-all]");
  const count = () => boxes.filter((box) => box.checked).length;
  const show = () => {
    const n = count();
    button.textContent = n === 0 ? "Change the ticked places" : n === 1 ? "Change 1 ticked place" : `Change ${n} ticked places`;
    all.textContent = n === boxes.length ? "Tick none" : `Tick these ${boxes.length}`;
  };
  all.hidden = false;
  all.addEventListener("click", () => {
    const to = count() < boxes.length;
    for (const box of boxes) box.checked = to;
    show();
  });
  form.addEventListener("change", show);
  form.addEventListener("submit", (event) => {
    if (event.submitter) event.submitter.textContent = "Changing …"; // thousands of places take seconds
  });
  show();
}

// The table is not a live part: it would move under the cursor.
const running = () => document.querySelector("#draft-state")?.hasAttribute("data-running") ?? false;
let was = running();
new MutationObserver(() => {
  const is = running();
  if (was && !is && !document.querySelector("#draft-state .error")) location.assign(location.pathname);
  was = is;
}).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["data-running"] });
