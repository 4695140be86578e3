// SPDX-License-Identifier: Apache-2.0

// The release table: ticks all rows at once, says how many are ticked, sends a change once,
// says when somebody else has changed the table, and loads the page again when a preparation
// has ended. The forms work without this module.

import { whenEnded } from "./ended.js";

const form = document.getElementById("decide");
const working = form?.querySelector("[data-working]");
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
  show();
}

// A change of thousands of places takes seconds. Meanwhile no form sends another. A page that
// comes back from the history is loaded again, see session.js.
let sent = false;
for (const once of document.querySelectorAll("form[data-once]")) {
  once.addEventListener("submit", (event) => {
    if (sent) return event.preventDefault();
    sent = true;
    document.querySelector(".draft")?.setAttribute("aria-busy", "true");
    if (working) working.textContent = "Changing places … Thousands of them take some seconds. Stay on this page.";
  });
}

// The table is not a live part: it would move under the cursor.
whenEnded("#draft-state", () => location.assign(location.pathname));
const seen = document.getElementById("draft-standing")?.dataset.version;
new MutationObserver(() => {
  const now = document.getElementById("draft-standing")?.dataset.version;
  const changed = document.getElementById("draft-changed");
  if (changed && !sent) changed.hidden = !now || now === seen;
}).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["data-version"] });
