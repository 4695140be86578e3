// SPDX-License-Identifier: Apache-2.0

// The first line of a CSV file, and which of its columns is which. The server
// decides; this only shows a guess before the file is sent.

/** The names in the first record of CSV text, with quotes and the separator that
 *  occurs most often.
 *  @param {string} text
 *  @returns {string[]} */
export function columnsOf(text) {
  const body = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const separator = likeliest(body);
  /** @type {string[]} */
  const names = [];
  let name = "";
  let quoted = false;
  for (let i = 0; i < body.length; i++) {
    const c = body[i];
    if (c === '"') {
      if (quoted && body[i + 1] === '"') name += body[++i];
      else quoted = !quoted;
    } else if (!quoted && c === separator) {
      names.push(name);
      name = "";
    } else if (!quoted && (c === "\n" || c === "\r")) {
      break;
    } else {
      name += c;
    }
  }
  names.push(name);
  return names.map((n) => n.trim()).filter(Boolean);
}

/** @param {string} text */
function likeliest(text) {
  const line = text.split(/[\r\n]/, 1)[0];
  const count = (/** @type {string} */ c) => line.split(c).length - 1;
  return [",", ";", "\t", "|"].reduce((best, c) => (count(c) > count(best) ? c : best), ",");
}

const WORDS = {
  id: ["id", "note_id", "noteid", "doc_id", "document_id", "documentid", "row_id", "name", "filename"],
  text: ["text", "note_text", "note", "body", "content", "report", "document", "report_text"],
  patient: ["patient", "patient_id", "patientid", "mrn", "subject_id", "subject", "person_id"],
};

/** @param {string[]} names
 *  @returns {{id: string, text: string, patient: string}} "" where nothing fits */
export function guess(names) {
  const find = (/** @type {string[]} */ words) => {
    for (const word of words) {
      const hit = names.find((name) => name.toLowerCase() === word);
      if (hit) return hit;
    }
    return "";
  };
  return { id: find(WORDS.id), text: find(WORDS.text), patient: find(WORDS.patient) };
}
