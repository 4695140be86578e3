// SPDX-License-Identifier: Apache-2.0

// A form that answers with the page it stands on takes along what was typed into
// another form there, which would be lost. What it asks for itself it takes from
// nowhere else: a box that is ticked there is no consent here.

for (const form of document.querySelectorAll("form[data-carries]")) {
  form.addEventListener("formdata", ({ formData }) => {
    const other = document.getElementById(/** @type {HTMLElement} */ (form).dataset.carries);
    for (const [name, value] of new FormData(other)) {
      if (!form.elements.namedItem(name)) formData.append(name, value);
    }
  });
}
