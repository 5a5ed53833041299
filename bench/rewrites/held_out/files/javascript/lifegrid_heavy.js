// Cellular automaton on a ring-shaped board; only living cells are stored, as numbers.
const COLS = 30;
const ROWS = 15;
const wrap = (value, limit) => ((value % limit) + limit) % limit;
const id = (col, row) => wrap(row, ROWS) * COLS + wrap(col, COLS);

const OFFSETS = [-1, 0, 1].flatMap((dr) => [-1, 0, 1].map((dc) => [dc, dr])).filter(([dc, dr]) => dc || dr);

function stamp(shape, col, row) {
  return shape
    .split("/")
    .flatMap((text, dr) => [...text].flatMap((sign, dc) => (sign === "#" ? [id(col + dc, row + dr)] : [])));
}

/** Count for every cell beside a living one how many living ones touch it. */
function contacts(living) {
  const touched = new Map();
  for (const cell of living) {
    for (const [dc, dr] of OFFSETS) {
      const other = id((cell % COLS) + dc, Math.floor(cell / COLS) + dr);
      touched.set(other, (touched.get(other) ?? 0) + 1);
    }
  }
  return touched;
}

function successor(living) {
  const next = new Set();
  for (const [cell, n] of contacts(living)) {
    if (n === 3 || (n === 2 && living.has(cell))) next.add(cell);
  }
  return next;
}

const missing = (from, other) => [...from].filter((cell) => !other.has(cell)).length;

function* evolve(living, limit) {
  for (let age = 1; age <= limit; age++) {
    const next = successor(living);
    const fresh = missing(next, living);
    const gone = missing(living, next);
    living = next;
    yield { age, living, fresh, gone };
    if (!fresh && !gone) return;
  }
}

const seed = new Set([...stamp(".#./..#/###", 2, 2), ...stamp("###", 15, 7), ...stamp(".#./..#/###", 28, 13)]);
let latest = seed;
for (const { age, living, fresh, gone } of evolve(seed, 50)) {
  latest = living;
  console.log(`t=${age} size=${living.size} new=${fresh} gone=${gone}`);
}
const picture = Array.from({ length: COLS * ROWS }, (_, cell) => (latest.has(cell) ? "#" : ".")).join("");
console.log(picture.match(new RegExp(`.{${COLS}}`, "g")).join("\n"));
