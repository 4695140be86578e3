// SPDX-License-Identifier: Apache-2.0

// The import page: files by drop, progress while the files are sent. The form works without
// this module.

/** @template {HTMLElement} T
 *  @param {string} id
 *  @returns {T} */
const byId = (id) => /** @type {T} */ (document.getElementById(id));

const form = /** @type {HTMLFormElement} */ (byId("import-form"));
const field = /** @type {HTMLInputElement} */ (byId("import-files"));
const drop = byId("import-drop");

/** @typedef {{file: File, path: string}} Chosen */
/** @type {Chosen[]} */
let chosen = [];
/** @type {XMLHttpRequest | null} */
let sending = null;

byId("import-drop-hint").hidden = false;
field.addEventListener("change", () => choose([...(field.files ?? [])].map((file) => ({ file, path: file.name }))));

// Dropping, anywhere on the page: a near miss must not open the file in the tab.
for (const name of ["dragover", "drop"]) document.addEventListener(name, (event) => event.preventDefault());
document.addEventListener("dragover", () => drop.setAttribute("data-over", ""));
document.addEventListener("dragleave", (event) => {
  if (event.relatedTarget === null) drop.removeAttribute("data-over");
});
document.addEventListener("drop", async (event) => {
  drop.removeAttribute("data-over");
  if (event.dataTransfer && !sending) choose(await dropped(event.dataTransfer));
});

/** The files of a drop, and of the folders in it.
 *  @param {DataTransfer} data
 *  @returns {Promise<Chosen[]>} */
async function dropped(data) {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry !== null && entry !== undefined);
  if (entries.length === 0) return [...data.files].map((file) => ({ file, path: file.name }));
  const lists = await Promise.all(entries.map((entry) => walk(entry, "")));
  return lists.flat();
}

/** @param {FileSystemEntry} entry
 *  @param {string} folder
 *  @returns {Promise<Chosen[]>} */
async function walk(entry, folder) {
  if (entry.isFile) {
    const file = await new Promise((done, failed) => /** @type {FileSystemFileEntry} */ (entry).file(done, failed));
    return [{ file, path: folder + entry.name }];
  }
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  /** @type {Chosen[]} */
  const all = [];
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (some.length === 0) return all;
    for (const child of some) all.push(...(await walk(child, `${folder}${entry.name}/`)));
  }
}

/** @param {Chosen[]} files */
function choose(files) {
  chosen = files.filter(({ path }) => !path.split("/").at(-1)?.startsWith("."));
  field.required = chosen.length === 0;
  byId("import-chosen").replaceChildren(...listed(chosen));
}

/** @param {Chosen[]} files */
function listed(files) {
  const shown = files.slice(0, 8).map(({ file, path }) => item(`${path}, ${size(file.size)}`));
  if (files.length > 8) {
    const total = files.reduce((sum, { file }) => sum + file.size, 0);
    shown.push(item(`and ${files.length - 8} more; ${files.length} files, ${size(total)} in all`));
  }
  return shown;
}

/** @param {string} words */
function item(words) {
  const li = document.createElement("li");
  li.textContent = words;
  return li;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (sending) return;
  const data = new FormData(form);
  data.delete("files");
  for (const { file, path } of chosen) data.append("files", file, path);
  send(data);
});

/** @param {FormData} data */
function send(data) {
  const request = new XMLHttpRequest();
  sending = request;
  request.open("POST", form.action);
  request.setRequestHeader("HX-Request", "true");
  request.upload.addEventListener("progress", (event) => progress(event.loaded, event.total));
  request.upload.addEventListener("load", () => says("The files have arrived. Reading them…"));
  request.addEventListener("load", () => finish(request));
  request.addEventListener("error", () => stop("The server does not answer. Nothing was imported; try again."));
  request.addEventListener("abort", () => stop("Stopped. Nothing was imported."));
  byId("messages").replaceChildren();
  byId("import-progress").hidden = false;
  byId("import-stop").hidden = false;
  /** @type {HTMLButtonElement} */ (byId("import-go")).disabled = true;
  progress(0, chosen.reduce((sum, { file }) => sum + file.size, 0));
  request.send(data);
}

/** @param {number} loaded
 *  @param {number} total */
function progress(loaded, total) {
  const share = total > 0 ? Math.min(100, (100 * loaded) / total) : 100;
  /** @type {HTMLProgressElement} */ (byId("import-bar")).value = share;
  says(`Sending: ${size(loaded)} of ${size(total)}`);
}

/** @param {string} words */
function says(words) {
  byId("import-says").textContent = words;
}

/** @param {string} words */
function stop(words) {
  sending = null;
  byId("import-stop").hidden = true;
  /** @type {HTMLButtonElement} */ (byId("import-go")).disabled = false;
  says(words);
}

/** Goes to the preview, or shows why there is none.
 *  @param {XMLHttpRequest} request */
function finish(request) {
  const preview = request.getResponseHeader("HX-Redirect");
  if (preview) {
    sending = null;
    location.assign(preview);
    return;
  }
  const answer = new DOMParser().parseFromString(request.responseText, "text/html").body;
  byId("messages").replaceChildren(...[...answer.childNodes].map((node) => document.adoptNode(node)));
  stop("");
  byId("import-progress").hidden = true;
  byId("messages").scrollIntoView({ block: "start" });
  byId("import-go").focus({ preventScroll: true }); // it was switched off, and lost the focus
}

byId("import-stop").addEventListener("click", () => sending?.abort());
addEventListener("beforeunload", (event) => {
  if (sending) event.preventDefault();
});

/** @param {number} bytes */
function size(bytes) {
  const units = ["bytes", "KB", "MB", "GB"];
  let i = 0;
  while (bytes >= 1024 && i < units.length - 1) {
    bytes /= 1024;
    i++;
  }
  return `${i === 0 ? bytes : bytes.toFixed(1)} ${units[i]}`;
}
