"use strict";

function zeros(rows, cols) {
  return Array.from({ length: rows }, () => new Array(cols).fill(0));
}

function times(a, b) {
  if (a[0].length !== b.length) {
    throw new Error(`cannot multiply ${a.length}x${a[0].length} by ${b.length}x${b[0].length}`);
  }
  const out = zeros(a.length, b[0].length);
  a.forEach((row, i) => {
    row.forEach((value, k) => {
      b[k].forEach((other, j) => {
        out[i][j] += value * other;
      });
    });
  });
  return out;
}

function identity(n) {
  const m = zeros(n, n);
  for (let i = 0; i < n; i += 1) {
    m[i][i] = 1;
  }
  return m;
}

function power(m, exponent) {
  let result = identity(m.length);
  let base = m;
  while (exponent > 0) {
    if (exponent % 2 === 1) {
      result = times(result, base);
    }
    base = times(base, base);
    exponent = Math.floor(exponent / 2);
  }
  return result;
}

function transpose(m) {
  return m[0].map((_, j) => m.map((row) => row[j]));
}

function isSymmetric(m) {
  const t = transpose(m);
  return m.every((row, i) => row.every((value, j) => value === t[i][j]));
}

const fibonacci = [
  [1, 1],
  [1, 0],
];
for (let n = 1; n <= 12; n += 1) {
  console.log(n, power(fibonacci, n)[0][1]);
}
console.log("symmetric?", isSymmetric(fibonacci));
console.table(times([[1, 2, 3]], [[4], [5], [6]]));
