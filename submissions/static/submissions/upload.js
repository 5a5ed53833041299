// Dropping files, naming what was chosen, and a bar while it is sent. Without this the plain form does the same.

const UNITS = ["B", "kB", "MB", "GB"];

function size(bytes) {
  const power = bytes ? Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1) : 0;
  const value = bytes / 1000 ** power;
  return `${value < 10 && power ? value.toFixed(1) : Math.round(value)} ${UNITS[power]}`;
}

function say(place, text) {
  const line = document.createElement("p");
  line.className = "error";
  line.role = "alert";
  line.textContent = text;
  place.replaceChildren(line);
}

function listChosen(form) {
  const list = form.querySelector("[data-chosen]");
  const files = [...form.elements.files.files];
  list.replaceChildren(...files.map((file) => {
    const row = document.createElement("li");
    const bytes = document.createElement("span");
    bytes.textContent = size(file.size);
    row.append(file.name, bytes);
    return row;
  }));
  list.hidden = files.length === 0;
  form.querySelector("[data-errors]").replaceChildren();
}

function drop(form, event) {
  const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.());
  if (entries.some((entry) => entry?.isDirectory)) {
    say(form.querySelector("[data-errors]"), "A folder cannot be dropped: make a zip of it, then its names are kept.");
    return;
  }
  form.elements.files.files = event.dataTransfer.files;
  listChosen(form);
}

function watchDrops(form) {
  const zone = form.querySelector("[data-drop]");
  const over = (on) => (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    zone.classList.toggle("over", on);
    if (event.type === "drop") drop(form, event);
  };
  zone.addEventListener("dragenter", over(true));
  zone.addEventListener("dragover", over(true));
  zone.addEventListener("dragleave", over(false));
  zone.addEventListener("drop", over(false));
}

function showProgress(form, sent, total) {
  const place = form.querySelector("[data-sending]");
  place.hidden = false;
  const bar = place.querySelector("progress");
  bar.max = total || 1;
  bar.value = sent;
  place.querySelector("[data-sent]").textContent =
    sent < total ? `${size(sent)} of ${size(total)} sent` : "Sent. Waiting for the answer";
  // From then on the server has it: the upload's own page stops it.
  place.querySelector("[data-stop]").hidden = sent >= total;
}

// Lets the form be sent again, and says why it was not.
function giveBack(form, reason) {
  form.querySelector("[data-sending]").hidden = true;
  form.querySelector("[data-send]").disabled = false;
  say(form.querySelector("[data-errors]"), reason);
}

function finish(form, request) {
  const page = new DOMParser().parseFromString(request.responseText, "text/html");
  const error = page.querySelector(`form[action="${form.getAttribute("action")}"] .error`);
  if (request.status < 400) {
    location.assign(request.responseURL);
    return;
  }
  giveBack(form, error?.textContent || page.querySelector("h1 + p")?.textContent || "The upload was refused.");
}

function send(form, event) {
  event.preventDefault();
  const limit = Number(form.dataset.limit);
  const total = [...form.elements.files.files].reduce((sum, file) => sum + file.size, 0);
  if (total > limit) {
    say(form.querySelector("[data-errors]"), `These are ${size(total)}; at most ${size(limit)} can be sent at once.`);
    return;
  }
  form.querySelector("[data-errors]").replaceChildren();
  const request = new XMLHttpRequest();
  request.open("POST", form.action);
  // Whether the server has it all: then it may have been taken, whatever becomes of the answer.
  let sent = false;
  request.upload.addEventListener("load", () => { sent = true; });
  const kept = () => sent ? "It had been sent already: reload this page to see whether it was taken." : "Nothing was kept.";
  request.upload.addEventListener("progress", (step) => showProgress(form, step.loaded, step.total));
  request.addEventListener("load", () => finish(form, request));
  request.addEventListener("error", () => giveBack(form, `The connection broke. ${kept()}`));
  request.addEventListener("abort", () => giveBack(form, `Cancelled. ${kept()}`));
  form.querySelector("[data-stop]").onclick = () => request.abort();
  request.send(new FormData(form));
  form.querySelector("[data-send]").disabled = true;
  showProgress(form, 0, total);
}

for (const form of document.querySelectorAll("[data-upload]")) {
  watchDrops(form);
  form.elements.files.addEventListener("change", () => listChosen(form));
  form.addEventListener("submit", (event) => send(form, event));
}
// A file dropped beside a zone must not replace the page.
for (const name of ["dragover", "drop"]) {
  window.addEventListener(name, (event) => event.dataTransfer?.types.includes("Files") && event.preventDefault());
}
