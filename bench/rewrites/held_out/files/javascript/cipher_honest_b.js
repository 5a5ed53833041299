const fs = require("fs");

function makeTable(offset) {
  const table = {};
  for (let i = 0; i < 26; i++) {
    const from = "abcdefghijklmnopqrstuvwxyz"[i];
    const to = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"[i + offset];
    table[from] = to;
    table[from.toUpperCase()] = to.toUpperCase();
  }
  return table;
}

function encode(text, keyword, backwards) {
  const tables = [];
  for (const c of keyword) {
    let offset = c.charCodeAt(0) - 97;
    if (backwards) offset = (26 - offset) % 26;
    tables.push(makeTable(offset));
  }
  let out = "";
  let n = 0;
  for (const c of text) {
    const table = tables[n];
    if (table[c] === undefined) {
      out += c;
    } else {
      out += table[c];
      n++;
      if (n === tables.length) n = 0;
    }
  }
  return out;
}

function score(text) {
  let s = 0;
  const words = [" the ", " and ", " of ", " is ", " in ", "ing", "th"];
  words.forEach((w) => {
    s += (text.split(w).length - 1) * w.length;
  });
  return s;
}

function attack(text) {
  let best = text;
  for (const key of "abcdefghijklmnopqrstuvwxyz") {
    const attempt = encode(text, key, true);
    if (score(attempt) > score(best)) best = attempt;
  }
  return best;
}

const text = fs.readFileSync(0, "utf8");
const keyword = process.argv[3];
if (process.argv[2] === "-e") process.stdout.write(encode(text, keyword, false));
if (process.argv[2] === "-d") process.stdout.write(encode(text, keyword, true));
if (process.argv[2] === "-a") process.stdout.write(attack(text));
