// The pair page: scrolls both sides to a passage after a click on it, on its row or on a map, or after the keys n and p.
// Without this script the links still work.

import { fillWhenIdle } from "./pair-blocks.js";
import { linkScrolling } from "./pair-link.js";
import { followWithMap } from "./pair-map.js";
import { listenToNames, listenToSwitch } from "./pair-names.js";
import { Side } from "./pair-side.js";
import { hideTip, listenForTips } from "./pair-tip.js";
import { isShortcut, storedSetting, storeSetting } from "./settings.js";
import { textsOf } from "./texts.js";

const text = textsOf("pair");
const bench = document.querySelector("[data-bench]");
const panel = bench.querySelector(".panel");
const list = bench.querySelector(".passages");
const link = bench.querySelector("[data-link]");
const status = bench.querySelector("[data-status]");
const keys = document.querySelector("[data-keys]");
const nextPair = document.querySelector("[data-key=u]");
const sides = [...document.querySelectorAll("[data-side]")].map((pane) => new Side(pane));
const rows = [...list.querySelectorAll("[data-passage]")];
const narrow = matchMedia("(max-width: 50rem)");
let current = 0;
// The line that a click has just put into the address: it must not scroll.
let linkedLine = null;

function parseLocation(data) {
  const [file, first, last] = data.split(" ");
  return { file, lines: [Number(first), Number(last) + 1] };
}

const numberOf = (row) => Number(row.dataset.passage);
const rowsByNumber = new Map(rows.map((row) => [numberOf(row), row]));
const rowOf = (number) => rowsByNumber.get(number);
const passages = new Map(
  rows.map((row) => [numberOf(row), { L: parseLocation(row.dataset.left), R: parseLocation(row.dataset.right) }]),
);
// Scrolling follows the pieces of a passage; what is inserted between them is on one side only.
function piecesOf(row) {
  const { L, R } = passages.get(numberOf(row));
  const lines = row.dataset.pieces?.split(" ").map(Number) ?? [];
  if (!lines.length) return [{ L, R }];
  return Array.from({ length: lines.length / 4 }, (_, at) => {
    const [first, last, otherFirst, otherLast] = lines.slice(4 * at, 4 * at + 4);
    return { L: { file: L.file, lines: [first, last + 1] }, R: { file: R.file, lines: [otherFirst, otherLast + 1] } };
  });
}

// Of large files and of many passages the page has a part.
const isShown = (number) => rowOf(number)?.hasAttribute("data-shown") ?? false;
const partsOf = (number) => document.querySelectorAll(`[data-passage="${number}"]`);

// The rows in the order of the list, without those that a filter leaves out.
const listedRows = () => [...list.children].filter((row) => !row.hidden);

// Scrolls only the list, not the page.
function showInList(row) {
  const top = row.offsetTop;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + row.offsetHeight > list.scrollTop + list.clientHeight) {
    // The beginning of a row that is higher than the list, else all of it.
    list.scrollTop = Math.min(top, top + row.offsetHeight - list.clientHeight);
  }
}

function markCurrent(number) {
  for (const old of document.querySelectorAll(".current")) old.classList.remove("current");
  for (const part of partsOf(number)) part.classList.add("current");
  for (const side of sides) {
    const { file, lines } = passages.get(number)[side.letter];
    // If the passage begins in the collapsed rest of a long line, open that.
    const rest = side.pane.querySelector(`mark[data-passage="${number}"]`)?.closest("details.rest");
    if (rest) rest.open = true;
    for (const line of side.linesBetween(file, lines)) line.classList.add("current");
  }
  current = number;
  const total = Number(bench.dataset.passages);
  const position = rows.length === total ? [...list.children].indexOf(rowOf(number)) + 1 : number;
  const isLast = rowOf(number) === listedRows().at(-1) && !panel.querySelector(".pages [rel=next]");
  const last = nextPair ? "last_before_next" : "last";
  status.textContent = text(isLast ? last : "position", { position, total });
  showInList(rowOf(number));
}

// Writes the passage into the address, without scrolling to it.
function writeAddress(number) {
  history.replaceState(null, "", `#L-p${number}`);
}

// Shows the passage on `side`, with its first line `offset` pixels below the top of the side `from`.
function scrollToPassage(side, number, offset, from) {
  const { file, lines } = passages.get(number)[side.letter];
  side.show(file);
  side.align(lines[0], Math.max(offset + from.lowerThan(side), 0));
}

// Loads the page with the parts that have the passage.
function load(number) {
  const address = new URL(location.href);
  for (const side of ["left", "right"]) address.searchParams.delete(side);
  address.searchParams.set("passage", number);
  address.hash = `L-p${number}`;
  location.assign(address);
}

function choose(number) {
  if (!isShown(number)) {
    load(number);
    return;
  }
  linking.stop();
  hideTip();
  const lower = sides[0].lowerThan(sides[1]) < 0 ? sides[1] : sides[0];
  for (const side of sides) side.show(passages.get(number)[side.letter].file);
  // A passage near the top of its file cannot be lower than that on the screen.
  const depths = sides.map((side) => {
    return side.depth(passages.get(number)[side.letter].lines[0]) - lower.lowerThan(side);
  });
  const offset = Math.max(Math.min(lower.pane.clientHeight / 5, ...depths), 0);
  for (const side of sides) scrollToPassage(side, number, offset, lower);
  markCurrent(number);
}

// After the last passage of all comes the next pair.
function step(by) {
  if (!rows.length) return;
  const listed = listedRows();
  const next = current ? listed.indexOf(rowOf(current)) + by : 0;
  const part = panel.querySelector(next < 0 ? ".pages [rel=prev]" : ".pages [rel=next]") ?? (by > 0 && nextPair);
  const row = listed[next];
  if (part && !row) location.assign(part.href);
  if (!row) return;
  choose(numberOf(row));
  writeAddress(numberOf(row));
  if (narrow.matches) bench.scrollIntoView({ block: "start" });
}

// Shows a word of a passage on its side and, on the other one, the line that corresponds to it.
function showWord(word) {
  choose(Number(word.closest("mark").dataset.passage));
  const line = sides[0].numberOf(word.closest(".line"));
  const offset = sides[0].pane.clientHeight / 3;
  sides[0].align(line, offset);
  linking.follow(sides[0], line, offset);
}

// Lists only the passages in which that is written differently, or all again.
function listenToFilters() {
  const buttons = [...panel.querySelectorAll("[data-filter]")];
  for (const button of buttons) {
    button.addEventListener("click", () => {
      const kind = button.getAttribute("aria-pressed") === "true" ? "" : button.dataset.filter;
      for (const other of buttons) other.setAttribute("aria-pressed", String(other.dataset.filter === kind));
      for (const row of rows) row.hidden = Boolean(kind) && !row.dataset.kinds.split(" ").includes(kind);
      bench.dataset.filtered = kind;
    });
  }
}

// Scrolls the other side to the passage that was clicked on `side`.
function followPassage(side, part) {
  const number = Number(part.dataset.passage);
  if (!isShown(number)) {
    load(number);
    return;
  }
  const other = sides.find((candidate) => candidate !== side);
  const line = part.closest(".line").getBoundingClientRect();
  const first = side.lineNumbered(passages.get(number)[side.letter].lines[0]).getBoundingClientRect();
  // Align with the first line of the passage if that is visible, otherwise with the line that was clicked.
  const top = first.top < side.top ? line.top : first.top;
  linking.stop();
  scrollToPassage(other, number, top - side.top, side);
  markCurrent(number);
  writeAddress(number);
}

// Marks the parts of the current passage in a block that has just become elements.
function markBlock(block) {
  const side = sides.find((candidate) => candidate.pane.contains(block));
  for (const part of block.querySelectorAll(`[data-passage="${current}"]`)) part.classList.add("current");
  const { file, lines } = passages.get(current)[side.letter];
  if (block.closest("[data-file]").dataset.file !== file) return;
  for (const line of side.linesBetween(file, lines)) line.classList.add("current");
}

// Returns the element of that id; the block of lines that has it becomes elements.
function elementOf(id) {
  const [, letter, passage, file, line] = id.match(/^([LR])(?:-p(\d+)|(?:(\d+)-)?(\d+))$/) ?? [];
  const ofLine = line && { file: `${letter}-f${file ?? 1}`, lines: [Number(line)] };
  const place = passages.get(Number(passage))?.[letter] ?? ofLine;
  const wasThere = document.getElementById(id);
  if (place) sides.find((side) => side.letter === letter).blocksOf(place.file)?.line(place.lines[0]);
  const element = document.getElementById(id);
  // The browser looked for the target of the address before it was there.
  if (element && !wasThere) location.replace(`#${id}`);
  return element;
}

function goTo(hash) {
  const target = hash && elementOf(decodeURIComponent(hash.slice(1)));
  const side = target && sides.find((candidate) => candidate.pane.contains(target));
  if (!side) return false;
  if (target.dataset.passage) {
    choose(Number(target.dataset.passage));
    return true;
  }
  side.show(target.closest("[data-file]").dataset.file);
  side.stopAligning();
  if (target.matches(".line") && target !== linkedLine) {
    side.align(side.numberOf(target), side.pane.clientHeight / 3);
  }
  return true;
}

// A click on a line's number puts the line into the address, without scrolling.
function linkTo(line, side, event) {
  const box = line.getBoundingClientRect();
  if (event.clientX - box.left > parseFloat(getComputedStyle(line).paddingLeft)) return;
  const { scrollTop } = side.pane;
  const page = scrollY;
  linkedLine = line;
  location.hash = line.id;
  side.pane.scrollTop = scrollTop;
  scrollTo({ top: page, behavior: "instant" });
}

function sortList(order) {
  const linePosition = (row) => {
    const { file, lines } = passages.get(numberOf(row)).L;
    return Number(file.split("-f")[1]) * 1e7 + lines[0];
  };
  const by = order === "place" ? (a, b) => linePosition(a) - linePosition(b) : (a, b) => rows.indexOf(a) - rows.indexOf(b);
  list.append(...rows.toSorted(by));
  if (current) markCurrent(current);
}

function onKey(event) {
  if (event.key === "Escape") hideTip();
  if (!isShortcut(event) || keys.open) return;
  if (event.target instanceof Element && event.target.matches("input:not([type=checkbox], [type=radio]), select, textarea")) return;
  if (event.key === "n") step(1);
  else if (event.key === "p") step(-1);
  else if (event.key === "s") link.click();
  else if (event.key === "?") keys.showModal();
}

const linking = linkScrolling(sides, rows.flatMap(piecesOf), () => link.checked);

function listenToSides() {
  for (const side of sides) {
    followWithMap(side, choose);
    listenForTips(side, rowOf);
    side.pane.addEventListener("filled", ({ target }) => current && markBlock(target));
    side.pane.addEventListener("click", (event) => {
      if (!getSelection().isCollapsed) return;
      const part = event.target.closest("[data-passage]");
      if (event.target.matches(".line")) linkTo(event.target, side, event);
      if (!part) return;
      event.preventDefault();
      followPassage(side, part);
    });
  }
}

function listenToPanel() {
  bench.querySelector(".matrix")?.addEventListener("click", (event) => {
    const cell = event.target.closest("[data-passage]");
    if (!cell) return;
    event.preventDefault();
    choose(numberOf(cell));
    writeAddress(numberOf(cell));
  });
  for (const row of rows) {
    row.addEventListener("click", (event) => {
      if (event.target.closest(".about")) return;
      event.preventDefault();
      choose(numberOf(row));
      writeAddress(numberOf(row));
    });
  }
  const setting = storedSetting("panel");
  panel.open = narrow.matches ? false : setting !== "shut";
  panel.addEventListener("toggle", () => {
    if (!narrow.matches) storeSetting("panel", bench.querySelector("details[name=bar][open]") ? "open" : "shut");
  });
  bench.querySelector("[data-order]")?.addEventListener("change", (event) => sortList(event.target.value));
}

// Long lines are wrapped, or else each pane scrolls sideways.
function listenToWrap() {
  const wrap = bench.querySelector("[data-wrap]");
  const apply = () => bench.classList.toggle("unwrapped", !wrap.checked);
  wrap.checked = storedSetting("wrap") !== "off";
  apply();
  wrap.addEventListener("change", () => {
    const top = sides.map((side) => side.lineAt(0));
    storeSetting("wrap", wrap.checked ? "on" : "off");
    apply();
    sides.forEach((side, index) => { side.align(top[index], 0); });
  });
}

function listenToTools() {
  listenToWrap();
  link.checked = storedSetting("link") !== "off";
  link.addEventListener("change", () => storeSetting("link", link.checked ? "on" : "off"));
  for (const button of bench.querySelectorAll("[data-step]")) {
    button.disabled = !rows.length;
    button.addEventListener("click", () => step(Number(button.dataset.step)));
  }
  bench.querySelector("[data-help]").addEventListener("click", () => keys.showModal());
  const single = keys.querySelector("[data-single-keys]");
  single.checked = storedSetting("keys") !== "off";
  single.addEventListener("change", () => storeSetting("keys", single.checked ? "on" : "off"));
  document.addEventListener("keydown", onKey);
  addEventListener("hashchange", () => goTo(location.hash));
}

bench.classList.add("scripted");
for (const part of document.querySelectorAll("[data-with-scripts]")) part.hidden = false;
listenToSides();
listenToPanel();
listenToFilters();
listenToNames(bench, sides, showWord, (place, total) => { status.textContent = text("place", { place, total }); });
listenToSwitch(bench, sides[1]);
listenToTools();
// Start at the passage that the page was loaded for, at first the one with the highest weight, unless the address
// names a line, a passage, or a part of a file.
const start = Number(bench.dataset.passageShown);
if (!goTo(location.hash) && isShown(start)) choose(start);
addEventListener("load", () => fillWhenIdle(sides.map((side) => side.pane)));
