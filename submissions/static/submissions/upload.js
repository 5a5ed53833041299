// Upload forms: dropping files, listing the chosen files, and a progress bar. Without this script the plain form works.

const UNITS = ["B", "kB", "MB", "GB"];

function formatSize(bytes) {
  const power = bytes ? Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1) : 0;
  const value = bytes / 1000 ** power;
  return `${value < 10 && power ? value.toFixed(1) : Math.round(value)} ${UNITS[power]}`;
}

function showError(form, text) {
  const message = document.createElement("p");
  message.className = "error";
  message.role = "alert";
  message.textContent = text;
  form.querySelector("[data-errors]").replaceChildren(message);
}

function listFiles(form) {
  const list = form.querySelector("[data-chosen]");
  const files = [...form.elements.files.files];
  list.replaceChildren(...files.map((file) => {
    const row = document.createElement("li");
    const bytes = document.createElement("span");
    bytes.textContent = formatSize(file.size);
    row.append(file.name, bytes);
    return row;
  }));
  list.hidden = files.length === 0;
  form.querySelector("[data-errors]").replaceChildren();
}

function drop(form, event) {
  const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.());
  if (entries.some((entry) => entry?.isDirectory)) {
    showError(form, "A folder cannot be dropped: make a zip of it, then its names are kept.");
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
    sent < total ? `${formatSize(sent)} of ${formatSize(total)} sent` : "Sent. Waiting for the answer";
  // Once everything is sent, only the upload's own page can cancel it.
  sending.querySelector("[data-stop]").hidden = sent >= total;
}

// Shows why the upload failed, and lets the form be sent again.
function reportFailure(form, reason) {
  form.querySelector("[data-sending]").hidden = true;
  form.querySelector("[data-send]").disabled = false;
  showError(form, reason);
}

function finish(form, request) {
  const page = new DOMParser().parseFromString(request.responseText, "text/html");
  const error = page.querySelector(`form[action="${form.getAttribute("action")}"] .error`);
  if (request.status < 400) {
    location.assign(request.responseURL);
    return;
  }
  reportFailure(form, error?.textContent || page.querySelector("h1 + p")?.textContent || "The upload was refused.");
}

function send(form, event) {
  event.preventDefault();
  const limit = Number(form.dataset.limit);
  const total = [...form.elements.files.files].reduce((sum, file) => sum + file.size, 0);
  if (total > limit) {
    showError(form, `These are ${formatSize(total)}; at most ${formatSize(limit)} can be sent at once.`);
    return;
  }
  form.querySelector("[data-errors]").replaceChildren();
  const request = new XMLHttpRequest();
  request.open("POST", form.action);
  // Once everything is sent, the server may have accepted the upload even if no response arrives.
  let sent = false;
  request.upload.addEventListener("load", () => { sent = true; });
  const outcome = () => sent ? "It had been sent already: reload this page to see whether it was taken." : "Nothing was kept.";
  request.upload.addEventListener("progress", (event) => showProgress(form, event.loaded, event.total));
  request.addEventListener("load", () => finish(form, request));
  request.addEventListener("error", () => reportFailure(form, `The connection broke. ${outcome()}`));
  request.addEventListener("abort", () => reportFailure(form, `Cancelled. ${outcome()}`));
  form.querySelector("[data-stop]").onclick = () => request.abort();
  request.send(new FormData(form));
  form.querySelector("[data-send]").disabled = true;
  showProgress(form, 0, total);
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
