// Upload forms: dropping files, listing the chosen files, and a progress bar. Without this script the plain form works.

import { PART, sendInParts } from "./upload-parts.js";
import { textsOf } from "./texts.js";

const text = textsOf("upload");
const UNITS = ["B", "kB", "MB", "GB"];

function formatSize(bytes) {
  const power = bytes ? Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1) : 0;
  const value = bytes / 1000 ** power;
  return `${value < 10 && power ? value.toFixed(1) : Math.round(value)} ${UNITS[power]}`;
}

function showError(form, reason) {
  const message = document.createElement("p");
  message.className = "error";
  message.role = "alert";
  message.textContent = reason;
  form.querySelector("[data-errors]").replaceChildren(message);
}

// As many files as the server takes in one request, and as many as are listed before they are sent.
const MOST_FILES = 10_000;
const MOST_LISTED = 50;

function listRow(...parts) {
  const row = document.createElement("li");
  row.append(...parts);
  return row;
}

function listFiles(form, paths = []) {
  const list = form.querySelector("[data-chosen]");
  const files = [...form.elements.files.files];
  form.elements.paths.value = paths.length ? JSON.stringify(paths) : "";
  list.replaceChildren(...files.slice(0, MOST_LISTED).map((file, index) => {
    const bytes = document.createElement("span");
    bytes.textContent = formatSize(file.size);
    return listRow(paths[index] ?? file.name, bytes);
  }));
  if (files.length > MOST_LISTED) list.append(listRow(text("more", { n: files.length - MOST_LISTED })));
  list.hidden = files.length === 0;
  form.querySelector("[data-errors]").replaceChildren();
}

// A folder gives its entries some at a time, and at last none.
async function childrenOf(folder) {
  const reader = folder.createReader();
  const children = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return children;
    children.push(...some);
  }
}

// Adds the files of what was dropped, each with the path of the folders around it.
async function collect(entries, folder, found) {
  for (const entry of entries) {
    if (found.length > MOST_FILES) return;
    const path = `${folder}${entry.name}`;
    if (entry.isDirectory) await collect(await childrenOf(entry), `${path}/`, found);
    else found.push({ path, file: await new Promise((resolve, reject) => entry.file(resolve, reject)) });
  }
}

async function dropFolders(form, entries) {
  const found = [];
  try {
    await collect(entries, "", found);
  } catch (error) {
    showError(form, text("unreadable", { error: error.name }));
    return;
  }
  if (found.length === 0 || found.length > MOST_FILES) {
    showError(form, found.length ? text("too_many", { n: MOST_FILES }) : text("empty"));
    return;
  }
  found.sort((one, other) => one.path < other.path ? -1 : 1);
  const data = new DataTransfer();
  for (const { file } of found) data.items.add(file);
  form.elements.files.files = data.files;
  listFiles(form, found.map(({ path }) => path));
}

function drop(form, event) {
  const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.());
  if (entries.some((entry) => entry?.isDirectory)) {
    dropFolders(form, entries.filter(Boolean));
    return;
  }
  form.elements.files.files = event.dataTransfer.files;
  listFiles(form);
}

function watchDrops(form) {
  const zone = form.querySelector("[data-drop]");
  const highlight = (on) => (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    zone.classList.toggle("over", on);
    if (event.type === "drop") drop(form, event);
  };
  zone.addEventListener("dragenter", highlight(true));
  zone.addEventListener("dragover", highlight(true));
  zone.addEventListener("dragleave", highlight(false));
  zone.addEventListener("drop", highlight(false));
}

function showProgress(form, sent, total) {
  const sending = form.querySelector("[data-sending]");
  sending.hidden = false;
  const bar = sending.querySelector("progress");
  bar.max = total || 1;
  bar.value = sent;
  sending.querySelector("[data-sent]").textContent =
    sent < total ? text("sending", { sent: formatSize(sent), total: formatSize(total) }) : text("sent");
  // Once everything is sent, only the upload's own page can cancel it.
  sending.querySelector("[data-stop]").hidden = sent >= total;
}

// Shows why the upload failed, and lets the form be sent again.
function reportFailure(form, reason) {
  form.querySelector("[data-sending]").hidden = true;
  form.querySelector("[data-send]").disabled = false;
  showError(form, reason);
}

// A single file of several parts is sent in them, so that a lost connection costs only one.
function isSentInParts(form) {
  const { files, paths } = form.elements;
  return form.dataset.parts && files.files.length === 1 && files.files[0].size > PART && !paths.value;
}

function startParts(form) {
  const stop = form.querySelector("[data-stop]");
  stop.disabled = true;
  const cancel = sendInParts(form, {
    started: () => { stop.disabled = false; },
    progress: (sent, total) => showProgress(form, sent, total),
    waits: () => { form.querySelector("[data-sent]").textContent = text("waits"); },
    failed: (reason) => reportFailure(form, reason || `${text("broken")} ${text("rest")}`),
    cancelled: () => reportFailure(form, `${text("cancelled")} ${text("not_sent")}`),
  });
  stop.onclick = () => {
    stop.disabled = true;
    cancel();
  };
}

function finish(form, request) {
  const page = new DOMParser().parseFromString(request.responseText, "text/html");
  const error = page.querySelector(`form[action="${form.getAttribute("action")}"] .error`);
  if (request.status < 400) {
    location.assign(request.responseURL);
    return;
  }
  reportFailure(form, error?.textContent || page.querySelector("h1 + p")?.textContent || text("refused"));
}

function send(form, event) {
  event.preventDefault();
  const limit = Number(form.dataset.limit);
  const total = [...form.elements.files.files].reduce((sum, file) => sum + file.size, 0);
  if (total > limit) {
    showError(form, text("too_large", { size: formatSize(total), limit: formatSize(limit) }));
    return;
  }
  form.querySelector("[data-errors]").replaceChildren();
  if (isSentInParts(form)) startParts(form);
  else sendAtOnce(form);
  form.querySelector("[data-send]").disabled = true;
  showProgress(form, 0, total);
}

function sendAtOnce(form) {
  const request = new XMLHttpRequest();
  request.open("POST", form.action);
  // Once everything is sent, the server may have accepted the upload even if no response arrives.
  let sent = false;
  request.upload.addEventListener("load", () => { sent = true; });
  const outcome = () => text(sent ? "was_sent" : "not_sent");
  request.upload.addEventListener("progress", (event) => showProgress(form, event.loaded, event.total));
  request.addEventListener("load", () => finish(form, request));
  request.addEventListener("error", () => reportFailure(form, `${text("broken")} ${outcome()}`));
  request.addEventListener("abort", () => reportFailure(form, `${text("cancelled")} ${outcome()}`));
  form.querySelector("[data-stop]").onclick = () => request.abort();
  request.send(new FormData(form));
}

for (const form of document.querySelectorAll("[data-upload]")) {
  watchDrops(form);
  form.elements.files.addEventListener("change", () => listFiles(form));
  form.addEventListener("submit", (event) => send(form, event));
}
// A file dropped outside a drop zone must not replace the page.
for (const name of ["dragover", "drop"]) {
  window.addEventListener(name, (event) => event.dataTransfer?.types.includes("Files") && event.preventDefault());
}
