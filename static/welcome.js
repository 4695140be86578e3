// SPDX-License-Identifier: Apache-2.0
// A one-time link was opened: its token stands behind "#", where no server and no
// log sees it. It is taken out of the address and posted.

const form = document.getElementById("open-link");
const token = location.hash.slice(1);

if (token) {
  history.replaceState(null, "", location.pathname);
  document.getElementById("code").value = token;
  form.requestSubmit();
}
