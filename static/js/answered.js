// SPDX-License-Identifier: Apache-2.0

// This page is the response to a refused form. It replaces the page of the form in
// the history, so that neither reloading nor going back sends the form again: both
// show the current page.

const script = /** @type {HTMLElement} */ (document.querySelector("script[data-from]"));
history.replaceState(null, "", script.dataset.from);
