// Moves both sides to a passage: by a click on it or on its row, from the maps, or with n and p. Links work without this.

import { linkScrolling } from "./pair-link.js";
import { followWithMap } from "./pair-map.js";
import { Side } from "./pair-side.js";
import { explain, hideTip } from "./pair-tip.js";

const bench = document.querySelector("[data-bench]");
const panel = bench.querySelector(".panel");
const list = bench.querySelector(".passages");
const link = bench.querySelector("[data-link]");
const status = bench.querySelector("[data-status]");
const keys = document.querySelector("[data-keys]");
const sides = [...document.querySelectorAll("[data-side]")].map((pane) => new Side(pane));
const rows = [...list.querySelectorAll("[data-passage]")];
const narrow = matchMedia("(max-width: 50rem)");
let current = 0;
// The line that somebody has just put into the address: it stays where it is.
let linked = null;

// Private windows and strict settings may refuse storage: the page then forgets, and works.
function remembered(name) {
  try {
    return localStorage.getItem(`moss-pair-${name}`);
  } catch {
    return null;
  }
}

function remember(name, value) {
  try {
    localStorage.setItem(`moss-pair-${name}`, value);
  } catch {
    return;
  }
}

function placeOf(data) {
  const [file, first, last] = data.split(" ");
  return { file, lines: [Number(first), Number(last) + 1] };
}

const passages = rows.map((row) => ({ L: placeOf(row.dataset.left), R: placeOf(row.dataset.right) }));
const rowOf = (number) => rows[number - 1];
const parts = (number) => document.querySelectorAll(`[data-passage="${number}"]`);

// Scrolls the list alone: the page stays where somebody reads.
function showInList(row) {
  const top = row.offsetTop;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + row.offsetHeight > list.scrollTop + list.clientHeight) {
    list.scrollTop = top + row.offsetHeight - list.clientHeight;
  }
}

function mark(number) {
  for (const old of document.querySelectorAll(".current")) old.classList.remove("current");
  for (const part of parts(number)) part.classList.add("current");
  for (const side of sides) {
    const { file, lines } = passages[number - 1][side.letter];
    // A passage that begins in the rest of a long line is shown with it.
    const rest = side.pane.querySelector(`mark[data-passage="${number}"]`)?.closest("details.rest");
    if (rest) rest.open = true;
    for (const line of side.part(file, lines)) line.classList.add("current");
  }
  current = number;
  const order = [...list.children].indexOf(rowOf(number)) + 1;
  status.textContent = `Passage ${order} of ${rows.length}`;
  showInList(rowOf(number));
}

// Shows the passage on a side, its first line `offset` pixels under the top of `from`.
function bring(side, number, offset, from) {
  const { file, lines } = passages[number - 1][side.letter];
  side.show(file);
  side.align(lines[0], Math.max(offset + from.lowerThan(side), 0));
}

function choose(number) {
  stopLeading();
  hideTip();
  const lower = sides[0].lowerThan(sides[1]) < 0 ? sides[1] : sides[0];
  for (const side of sides) side.show(passages[number - 1][side.letter].file);
  // No lower than the side where it begins nearest to the top of its file can show it.
  const depths = sides.map((side) => {
    return side.depth(passages[number - 1][side.letter].lines[0]) - lower.lowerThan(side);
  });
  const offset = Math.max(Math.min(lower.pane.clientHeight / 5, ...depths), 0);
  for (const side of sides) bring(side, number, offset, lower);
  mark(number);
}

function step(by) {
  if (!rows.length) return;
  const at = [...list.children].indexOf(rowOf(current));
  const next = Math.min(Math.max(current ? at + by : 0, 0), rows.length - 1);
  choose(Number(list.children[next].dataset.passage));
}

function follow(side, part) {
  const number = Number(part.dataset.passage);
  const other = sides.find((one) => one !== side);
  const line = part.closest(".line").getBoundingClientRect();
  const first = side.shown[passages[number - 1][side.letter].lines[0] - 1].getBoundingClientRect();
  // A passage that starts above the view is answered at its own line, one in view at the same height.
  const top = first.top < side.top ? line.top : first.top;
  stopLeading();
  bring(other, number, top - side.top, side);
  mark(number);
}

function goTo(hash) {
  const target = hash && document.getElementById(decodeURIComponent(hash.slice(1)));
  const side = target && sides.find((one) => one.pane.contains(target));
  if (!side) return false;
  if (target.dataset.passage) {
    choose(Number(target.dataset.passage));
    return true;
  }
  side.show(target.closest("[data-file]").dataset.file);
  side.stay();
  if (target.matches(".line") && target !== linked) {
    side.align(side.shown.indexOf(target) + 1, side.pane.clientHeight / 3);
  }
  return true;
}

// A click on a line's number puts it into the address, and leaves the line where it is.
function linkTo(line, side, event) {
  const box = line.getBoundingClientRect();
  if (event.clientX - box.left > parseFloat(getComputedStyle(line).paddingLeft)) return;
  const { scrollTop } = side.pane;
  const page = scrollY;
  linked = line;
  location.hash = line.id;
  side.pane.scrollTop = scrollTop;
  scrollTo({ top: page, behavior: "instant" });
}

function sortList(order) {
  const place = (row) => {
    const { file, lines } = passages[rows.indexOf(row)].L;
    return Number(file.split("-f")[1]) * 1e7 + lines[0];
  };
  const by = order === "place" ? (a, b) => place(a) - place(b) : (a, b) => rows.indexOf(a) - rows.indexOf(b);
  list.append(...rows.toSorted(by));
  if (current) mark(current);
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || keys.open) return;
  if (event.target instanceof Element && event.target.matches("input:not([type=checkbox]), select, textarea")) return;
  if (event.key === "n") step(1);
  else if (event.key === "p") step(-1);
  else if (event.key === "s") link.click();
  else if (event.key === "?") keys.showModal();
  else if (event.key === "Escape") hideTip();
}

const stopLeading = linkScrolling(sides, passages, () => link.checked);

function listenToSides() {
  for (const side of sides) {
    followWithMap(side, choose);
    explain(side, rowOf);
    side.pane.addEventListener("click", (event) => {
      if (!getSelection().isCollapsed) return;
      const part = event.target.closest("[data-passage]");
      if (event.target.matches(".line")) linkTo(event.target, side, event);
      if (!part) return;
      event.preventDefault();
      follow(side, part);
    });
  }
}

function listenToPanel() {
  for (const row of rows) {
    row.addEventListener("click", (event) => {
      if (event.target.closest(".about")) return;
      event.preventDefault();
      choose(Number(row.dataset.passage));
    });
  }
  const shut = remembered("panel");
  panel.open = narrow.matches ? false : shut !== "shut";
  panel.addEventListener("toggle", () => {
    if (!narrow.matches) remember("panel", panel.open ? "open" : "shut");
  });
  bench.querySelector("[data-order]")?.addEventListener("change", (event) => sortList(event.target.value));
}

function listenToTools() {
  link.checked = remembered("link") !== "off";
  link.addEventListener("change", () => remember("link", link.checked ? "on" : "off"));
  for (const button of bench.querySelectorAll("[data-step]")) {
    button.disabled = !rows.length;
    button.addEventListener("click", () => step(Number(button.dataset.step)));
  }
  bench.querySelector("[data-help]").addEventListener("click", () => keys.showModal());
  document.addEventListener("keydown", onKey);
  addEventListener("hashchange", () => goTo(location.hash));
}

bench.classList.add("scripted");
for (const part of document.querySelectorAll("[data-with-scripts]")) part.hidden = false;
listenToSides();
listenToPanel();
listenToTools();
// What weighs most is what somebody came for, unless the address names a line.
if (!goTo(location.hash) && rows.length) choose(1);
