// SPDX-License-Identifier: Apache-2.0

// Opens a note at the place that a link of the sanitize page names: the address
// ends in #at-START-END, in code points. The passage is selected and brought into
// view; what follows the # is never sent to the server.

import { bringIntoView } from "./caret.js";
import { NoteText } from "./note_text.js";
import { Offsets } from "./offsets.js";
import { offer } from "./note_back.js";

/** @param {HTMLElement} root of the note
 *  @param {number} start
 *  @param {number} end */
function open(root, start, end) {
  const note = new NoteText(root);
  const offsets = new Offsets(note.text);
  if (start > end || end > offsets.length) return;
  const range = note.domRange({ start: offsets.toUnit(start), end: offsets.toUnit(end) });
  root.focus({ preventScroll: true });
  getSelection()?.setBaseAndExtent(range.startContainer, range.startOffset, range.endContainer, range.endOffset);
  bringIntoView(range);
}

const place = /^#at-(\d{1,9})-(\d{1,9})$/.exec(location.hash);
const root = document.getElementById("note-text");
if (place && root) open(root, Number(place[1]), Number(place[2]));
offer(document.getElementById("note-back"));
