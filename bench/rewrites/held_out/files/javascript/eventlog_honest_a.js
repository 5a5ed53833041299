const { readFileSync } = require("fs");

const pattern = /^(\S+) (\d\d):(\d\d):\d\d (GET|POST|PUT|DELETE) (\S+) (\d{3}) (\d+|-)$/;
const rows = readFileSync(0, "utf8").trim().split(/\r?\n/).map((l) => pattern.exec(l));
const good = rows.filter(Boolean);

const groups = (list, f) => {
  const m = new Map();
  list.forEach((x) => m.set(f(x), [...(m.get(f(x)) || []), x]));
  return [...m.entries()].sort((a, b) => b[1].length - a[1].length);
};

const bytes = good.map((m) => Number(m[7]) || 0).reduce((a, b) => a + b, 0);
console.log(`${good.length} lines understood, ${rows.length - good.length} not`);
console.log(`${Math.round(bytes / 1000)} kB sent`);

console.log("\nmost visited:");
groups(good, (m) => m[5]).slice(0, 10).forEach(([path, list]) => console.log(list.length, path));

console.log("\nby status:");
groups(good, (m) => m[6][0] + "xx").forEach(([s, list]) => console.log(s, ((list.length / good.length) * 100).toFixed(1) + "%"));

const [[hour, list]] = groups(good, (m) => m[2]);
console.log(`\nmost in hour ${hour} (${list.length})`);

const bad = groups(good.filter((m) => m[6] === "401" || m[6] === "403"), (m) => m[1]);
bad.filter(([, l]) => l.length > 3).forEach(([ip, l]) => console.log(`look at ${ip}: ${l.length} refused logins`));
