import readline from "node:readline/promises";
import data from "./questions.json" with { type: "json" };

const rl = readline.createInterface({ input: process.stdin, output: process.stdout });
const letters = "abcdefgh";

async function question({ title, right, wrong }) {
  const options = [right, ...wrong].map((text) => ({ text, key: Math.random() })).sort((a, b) => a.key - b.key);
  const lines = options.map((o, i) => `${letters[i]} ${o.text}`);
  const reply = await rl.question([title, ...lines, "> "].join("\n"));
  return options[letters.indexOf(reply.trim().toLowerCase())]?.text === right;
}

async function game() {
  const results = [];
  for (const q of data) {
    const begin = Date.now();
    const good = await question(q);
    const seconds = (Date.now() - begin) / 1000;
    results.push({ title: q.title, good, points: good ? Math.max(1, 20 - Math.floor(seconds)) : 0 });
    console.log(good ? "ok" : `no, it is ${q.right}`);
  }
  return results;
}

const results = await game();
rl.close();
console.table(results);
const sum = results.reduce((s, r) => s + r.points, 0);
const good = results.filter((r) => r.good).length;
console.log(`${good} of ${results.length} right, ${sum} points, ${Math.round((100 * good) / results.length)} %`);
