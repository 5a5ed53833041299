// Keyboard shortcuts for decisions: 1 to 4 set the state, u opens the next undecided one. Says when a decision was not
// stored, and lets one that was stored be undone.

import { isShortcut } from "./settings.js";
import { textsOf } from "./texts.js";

// Milliseconds after which the keys work again if the next page does not come.
const PATIENCE = 10_000;
const text = textsOf("decide");
const NOT_SAVED = text("not_saved");
let leaving = false;

function isTextInput(target) {
  return target instanceof Element && target.matches("input:not([type=checkbox], [type=radio]), select, textarea");
}

// While the next page loads, this one is still there: a key that is meant for the next would decide it.
function leave() {
  leaving = true;
  setTimeout(() => { leaving = false; }, PATIENCE);
}

document.addEventListener("keydown", (event) => {
  if (!isShortcut(event) || event.repeat) return;
  if (isTextInput(event.target) || document.querySelector("dialog[open]")) return;
  const control = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!control) return;
  event.preventDefault();
  if (leaving) return;
  control.click();
  if (control instanceof HTMLAnchorElement) leave();
});
addEventListener("pageshow", () => { leaving = false; });

const form = () => document.querySelector("#decision-panel form");
let stored = form()?.elements.state.value;

function showError(text) {
  const answer = document.getElementById("decision-answer");
  const error = document.createElement("span");
  error.className = "error";
  error.setAttribute("role", "alert");
  error.textContent = text;
  answer.querySelector(".error")?.remove();
  answer.querySelector("[role=status]").textContent = "";
  answer.append(error);
}

const isDecision = ({ detail }) => detail.elt?.closest?.("#decision-panel");

// Only a state that the server has stored stays selected; what was typed into the notes stays typed.
function notStored(text) {
  form().elements.state.value = stored;
  showError(text);
}

// A button beside "Saved" that decides as it was before.
function offerUndo(before) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "link";
  button.textContent = text("undo");
  button.addEventListener("click", () => {
    const state = form().querySelector(`[name=state][value="${before}"]`);
    state.checked = true;
    state.focus();
    state.dispatchEvent(new Event("change", { bubbles: true }));
  });
  document.querySelector("#decision-answer [role=status]").after(button);
}

document.addEventListener("htmx:afterSettle", ({ detail }) => {
  const current = form();
  if (!current || !["decision-answer", "decision-panel"].includes(detail.target?.id)) return;
  if (current.querySelector("#decision-answer .error")) {
    current.elements.state.value = stored;
    return;
  }
  const before = stored;
  stored = current.elements.state.value;
  if (before !== stored) offerUndo(before);
});
for (const name of ["htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(name, (event) => isDecision(event) && notStored(NOT_SAVED));
}
document.addEventListener("htmx:responseError", (event) => {
  if (!isDecision(event)) return;
  const { xhr } = event.detail;
  notStored(xhr.status === 409 ? xhr.responseText : NOT_SAVED);
});
