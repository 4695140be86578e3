// SPDX-License-Identifier: Apache-2.0

// The end of a job that a live part shows with data-running.

/** Calls then when the job of a part has ended without an error.
 *  @param {string} part the selector of the live part
 *  @param {() => void} then */
export function whenEnded(part, then) {
  const running = () => document.querySelector(part)?.hasAttribute("data-running") ?? false;
  let was = running();
  new MutationObserver(() => {
    const is = running();
    if (was && !is && !document.querySelector(`${part} .error`)) then();
    was = is;
  }).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["data-running"] });
}
