// Mine field puzzle: the state is three sets of cell numbers.
import { createInterface } from "node:readline/promises";

const COLUMNS = 9;
const ROWS = 9;
const BOMBS = 10;
const cells = [...Array(COLUMNS * ROWS).keys()];

const around = (cell) => {
  const column = cell % COLUMNS;
  const row = (cell - column) / COLUMNS;
  return cells.filter((other) => {
    const c = other % COLUMNS;
    const r = (other - c) / COLUMNS;
    return other !== cell && Math.abs(c - column) < 2 && Math.abs(r - row) < 2;
  });
};

function scatter(amount) {
  const bombs = new Set();
  for (; bombs.size < amount; bombs.add(Math.trunc(cells.length * Math.random())));
  return bombs;
}

const danger = (bombs, cell) => around(cell).filter((other) => bombs.has(other)).length;

function uncover({ bombs, uncovered, marked }, start) {
  const todo = [start];
  while (todo.length) {
    const cell = todo.pop();
    if (uncovered.has(cell) || marked.has(cell)) continue;
    uncovered.add(cell);
    if (!bombs.has(cell) && !danger(bombs, cell)) todo.push(...around(cell));
  }
}

function mark({ uncovered, marked }, cell) {
  if (uncovered.has(cell)) return;
  marked.delete(cell) || marked.add(cell);
}

function glyph({ bombs, uncovered, marked }, cell, reveal) {
  if (!reveal && marked.has(cell)) return "F";
  if (!reveal && !uncovered.has(cell)) return "#";
  return bombs.has(cell) ? "*" : String(danger(bombs, cell) || ".");
}

function draw(state, reveal = false) {
  const signs = cells.map((cell) => glyph(state, cell, reveal));
  for (let at = 0; at < signs.length; at += COLUMNS) {
    console.log(signs.slice(at, at + COLUMNS).join(" "));
  }
}

const exploded = ({ bombs, uncovered }) => [...bombs].some((cell) => uncovered.has(cell));
const cleared = ({ bombs, uncovered }) => uncovered.size + bombs.size === cells.length;

const actions = { open: uncover, flag: mark };
const state = { bombs: scatter(BOMBS), uncovered: new Set(), marked: new Set() };
const terminal = createInterface({ input: process.stdin, output: process.stdout });
while (!exploded(state) && !cleared(state)) {
  draw(state);
  const [verb, column, row] = (await terminal.question("what, column, row? ")).split(" ");
  actions[verb]?.(state, Number(row) * COLUMNS + Number(column));
}
draw(state, true);
console.log(exploded(state) ? "That was a bomb." : "All clear!");
terminal.close();
