const W = 8, H = 8, N = 9;
let board = Array.from({ length: H + 2 }, () => Array(W + 2).fill(0));
let seen = Array.from({ length: H + 2 }, () => Array(W + 2).fill(" "));
let left = W * H - N;

const places = [];
for (let r = 1; r <= H; r++) for (let c = 1; c <= W; c++) places.push([r, c]);
places.sort(() => Math.random() - 0.5);
for (const [r, c] of places.slice(0, N)) board[r][c] = 9;

function bombsNear(r, c) {
  let n = 0;
  for (const row of board.slice(r - 1, r + 2)) {
    n += row.slice(c - 1, c + 2).filter((v) => v === 9).length;
  }
  return n;
}

function dig(r, c) {
  if (r < 1 || r > H || c < 1 || c > W || seen[r][c] !== " ") return;
  const n = bombsNear(r, c);
  seen[r][c] = n ? `${n}` : "-";
  left--;
  if (n === 0) {
    dig(r - 1, c); dig(r + 1, c); dig(r, c - 1); dig(r, c + 1);
    dig(r - 1, c - 1); dig(r + 1, c + 1); dig(r + 1, c - 1); dig(r - 1, c + 1);
  }
}

function show() {
  console.log("  " + [...Array(W).keys()].map((i) => i + 1).join(""));
  for (let r = 1; r <= H; r++) console.log(r + "|" + seen[r].slice(1, W + 1).join("") + "|");
}

process.stdin.setEncoding("utf8");
show();
process.stdin.on("data", (chunk) => {
  const m = chunk.match(/^(!?)(\d)(\d)/);
  if (!m) return console.log("row and column like 34, or !34 to mark");
  const r = +m[2], c = +m[3];
  if (m[1]) {
    seen[r][c] = seen[r][c] === "!" ? " " : "!";
  } else if (board[r][c] === 9) {
    console.log("You hit a mine");
    process.exit();
  } else {
    dig(r, c);
  }
  show();
  if (left === 0) {
    console.log("Congratulations");
    process.exit();
  }
});
