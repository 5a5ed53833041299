// Shows the best lines of a pair beside the line of the graph, the card or the row that is pointed at or has the focus. Enter
// keeps them, Escape closes them.

import { textsOf } from "./texts.js";

const DELAY = 400;  // milliseconds
const PLACES = "a.edge, .to-read li, .cases tbody tr";
const panel = document.createElement("div");
const answers = new Map();
let shown = null;  // the link whose lines are shown
let timer = 0;

// Returns the link to the pair of a line, a card or a row.
function linkOf(target) {
  const place = target instanceof Element ? target.closest(PLACES) : null;
  if (!place) return null;
  return place.matches("a") ? place : place.querySelector(place.matches("li") ? "a" : ".strongest a");
}

// `href` of a link in a picture is an object.
const addressOf = (link) => link.getAttribute("href").split("#")[0];

async function linesOf(address) {
  if (!answers.has(address)) {
    const response = await fetch(address, { headers: { "HX-Request": "true", "HX-Target": "best-lines" } });
    if (!response.ok) return null;
    answers.set(address, await response.text());
  }
  return answers.get(address);
}

function close() {
  clearTimeout(timer);
  if (panel.contains(document.activeElement)) shown?.focus();
  [panel.hidden, shown] = [true, null];
  panel.classList.remove("kept");
}

async function open(link) {
  const lines = await linesOf(addressOf(link)).catch(() => null);
  if (!lines || link !== shown) return;
  panel.innerHTML = lines;
  panel.classList.toggle("above", link.getBoundingClientRect().top > innerHeight / 2);
  panel.hidden = false;
}

function consider({ target, type, pointerType }) {
  if (pointerType === "touch" || panel.classList.contains("kept") || panel.contains(target)) return;
  const link = linkOf(target);
  // A page that scrolls to what has the focus moves below a pointer that rests.
  if (link === shown || (!link && type === "pointerover" && document.activeElement === shown)) return;
  close();
  if (!link) return;
  shown = link;
  timer = setTimeout(() => open(link), DELAY);
}

function keep(event) {
  event.preventDefault();
  panel.classList.add("kept");
  panel.querySelector("a").focus();
}

function onKey(event) {
  if (event.key === "Escape" && !panel.hidden) close();
  const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  if (event.key === "Enter" && isPlain && !panel.hidden && [shown, document.body].includes(event.target)) keep(event);
}

[panel.className, panel.hidden] = ["best-lines", true];
panel.setAttribute("role", "region");
panel.setAttribute("aria-label", textsOf("graph")("best"));
document.querySelector("main").append(panel);
document.addEventListener("pointerover", consider);
document.addEventListener("focusin", consider);
document.addEventListener("keydown", onKey);
document.body.addEventListener("htmx:beforeSwap", close);
