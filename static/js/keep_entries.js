// SPDX-License-Identifier: Apache-2.0

// A form whose response is the same page also sends the contents of another form
// on the page, which would otherwise be lost. Its own fields come only from
// itself: a checkbox ticked in the other form is no consent here.

for (const form of document.querySelectorAll("form[data-keeps]")) {
  form.addEventListener("formdata", ({ formData }) => {
    const other = document.getElementById(/** @type {HTMLElement} */ (form).dataset.keeps);
    for (const [name, value] of new FormData(other)) {
      if (!form.elements.namedItem(name)) formData.append(name, value);
    }
  });
}
