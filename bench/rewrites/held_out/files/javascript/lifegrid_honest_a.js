const rows = 20, cols = 40;
let world = [];
for (let r = 0; r < rows; r++) {
  world[r] = [];
  for (let c = 0; c < cols; c++) world[r][c] = Math.random() > 0.7 ? 1 : 0;
}

function get(r, c) {
  if (r < 0) r = rows - 1;
  if (r === rows) r = 0;
  if (c < 0) c = cols - 1;
  if (c === cols) c = 0;
  return world[r][c];
}

function next() {
  return world.map((line, r) =>
    line.map((alive, c) => {
      const n =
        get(r - 1, c - 1) + get(r - 1, c) + get(r - 1, c + 1) +
        get(r, c - 1) + get(r, c + 1) +
        get(r + 1, c - 1) + get(r + 1, c) + get(r + 1, c + 1);
      if (n === 3) return 1;
      return n === 2 ? alive : 0;
    }),
  );
}

function text() {
  return world.map((line) => line.join("").replaceAll("0", " ").replaceAll("1", "o")).join("\n");
}

const old = [];
const timer = setInterval(() => {
  console.clear();
  console.log(text());
  console.log("year", old.length, "alive", world.flat().reduce((a, b) => a + b));
  const now = text();
  if (old.includes(now)) {
    console.log("It repeats itself after", old.length - old.indexOf(now), "years");
    clearInterval(timer);
  }
  old.push(now);
  world = next();
}, 200);
