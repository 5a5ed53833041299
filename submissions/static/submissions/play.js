// Plays the threshold from 100 to 20 percent: circles and lines of the graph appear as it passes them, and who joins is named.

import { textsOf } from "./texts.js";

const FIRST = 100;
const LAST = 20;
const STEP = 40;  // milliseconds of a percent
const PAUSE = 900;  // milliseconds that newcomers can be read
const MAX_NAMES = 6;

const text = textsOf("histogram");
const button = document.querySelector("[data-play]");
const part = (name) => document.querySelector(`[data-${name}]`);
const percent = (share) => `${share}\u202f%`;
const wait = (time) => new Promise((done) => { setTimeout(done, time); });
let playing = false;

// Puts the graph of all pairs from LAST on in the place of the one that is shown.
async function fetchGraph() {
  const response = await fetch(`${location.pathname}?threshold=${LAST}`, { headers: { "HX-Request": "true" } });
  if (!response.ok) throw new Error(`${response.status}`);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const graph = page.querySelector("[data-graph]");
  if (!graph) return [];
  part("graph")?.remove();
  document.getElementById("findings").prepend(graph);
  graph.classList.add("playing");
  document.dispatchEvent(new Event("graph:new"));
  return [...graph.querySelectorAll("[data-from]")].sort((one, other) => other.dataset.from - one.dataset.from);
}

function say(share, names) {
  const shown = names.slice(0, MAX_NAMES).join(", ");
  const more = names.length > MAX_NAMES ? text("more", { n: names.length - MAX_NAMES }) : "";
  part("newcomers").textContent = text("newcomers", { share: percent(share), names: `${shown} ${more}`.trim() });
}

// Moves the slider to `share`, and returns the names of the circles that appear there.
function pass(share, elements) {
  const slider = part("line");
  slider.value = share;
  slider.dispatchEvent(new Event("input"));
  const appearing = elements.filter((one) => one.classList.contains("ahead") && one.dataset.from * 100 >= share);
  for (const one of appearing) one.classList.remove("ahead");
  return appearing.filter((one) => one.dataset.name).map((one) => one.dataset.name);
}

async function sweep(elements, last) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  for (const one of elements) one.classList.add("ahead");
  for (let share = FIRST; share >= last && playing; share -= 1) {
    const names = pass(share, elements);
    if (names.length) say(share, names);
    // Without motion the line goes on to the next newcomers at once.
    if (names.length) await wait(PAUSE);
    else if (!calm) await wait(STEP);
  }
}

function setPlaying(value) {
  playing = value;
  button.textContent = value ? button.dataset.stop : button.dataset.start;
}

async function play() {
  setPlaying(true);
  const stopsThere = part("stop-there").checked;
  const suggested = Math.round(part("play").dataset.suggested * 100);
  try {
    await sweep(await fetchGraph(), stopsThere ? Math.max(LAST, suggested) : LAST);
    if (stopsThere && playing && suggested >= LAST) part("reset").click();
    else part("line").dispatchEvent(new Event("change"));
  } catch {
    document.querySelector("[data-failed]").hidden = false;
  }
  setPlaying(false);
  button.focus();
}

if (button) {
  button.closest("[hidden]").hidden = false;
  button.addEventListener("click", () => (playing ? setPlaying(false) : play()));
}
