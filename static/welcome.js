// SPDX-License-Identifier: Apache-2.0
// A one-time link was opened: its token stands behind "#", where no server and no
// log sees it. It is taken out of the address and posted.

function open() {
  const token = location.hash.slice(1);
  if (!token) return;
  history.replaceState(null, "", location.pathname);
  document.getElementById("code").value = token;
  document.getElementById("open-link").requestSubmit();
}

open();
addEventListener("hashchange", open); // the link was opened on this very page
