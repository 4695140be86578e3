// SPDX-License-Identifier: Apache-2.0

// This page answers a form that was refused. In the history it stands for the page
// that the form is on, so that neither reloading nor going back sends it again: both
// show the page as it is then.

const script = /** @type {HTMLElement} */ (document.querySelector("script[data-from]"));
history.replaceState(null, "", script.dataset.from);
