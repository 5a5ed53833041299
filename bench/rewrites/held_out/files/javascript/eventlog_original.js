// Summary of a web server's log.
const fs = require("fs");

function parseLine(line) {
  const parts = line.split(" ");
  if (parts.length < 6) {
    return null;
  }
  return {
    ip: parts[0],
    time: parts[1],
    method: parts[2],
    path: parts[3].split("?")[0],
    status: parseInt(parts[4]),
    bytes: parts[5] === "-" ? 0 : parseInt(parts[5]),
  };
}

function readLog(path) {
  const entries = [];
  let broken = 0;
  for (const line of fs.readFileSync(path, "utf8").split("\n")) {
    if (line === "") continue;
    const entry = parseLine(line);
    if (entry === null || isNaN(entry.status)) {
      broken++;
    } else {
      entries.push(entry);
    }
  }
  return { entries: entries, broken: broken };
}

function countBy(entries, field) {
  const counts = {};
  for (const entry of entries) {
    const key = entry[field];
    if (counts[key] === undefined) {
      counts[key] = 0;
    }
    counts[key]++;
  }
  return counts;
}

function top(counts, limit) {
  const keys = Object.keys(counts);
  keys.sort(function (a, b) {
    if (counts[a] !== counts[b]) {
      return counts[b] - counts[a];
    }
    return a < b ? -1 : 1;
  });
  return keys.slice(0, limit);
}

function printTop(title, counts, limit) {
  console.log(title);
  for (const key of top(counts, limit)) {
    console.log("  " + key.padEnd(30) + counts[key]);
  }
}

function busiestHour(entries) {
  const hours = new Array(24).fill(0);
  for (const entry of entries) {
    const hour = parseInt(entry.time.split(":")[0]);
    hours[hour]++;
  }
  let best = 0;
  for (let i = 1; i < 24; i++) {
    if (hours[i] > hours[best]) best = i;
  }
  return best;
}

function suspicious(entries) {
  const failures = {};
  for (const entry of entries) {
    if (entry.status === 401 || entry.status === 403) {
      failures[entry.ip] = (failures[entry.ip] || 0) + 1;
    }
  }
  return Object.keys(failures).filter((ip) => failures[ip] >= 5);
}

const log = readLog(process.argv[2]);
let bytes = 0;
for (const entry of log.entries) {
  bytes += entry.bytes;
}
console.log("Requests: " + log.entries.length + ", broken lines: " + log.broken);
console.log("Traffic: " + (bytes / 1024 / 1024).toFixed(1) + " MB");
printTop("Pages", countBy(log.entries, "path"), 10);
printTop("Status", countBy(log.entries, "status"), 5);
console.log("Busiest hour: " + busiestHour(log.entries));
console.log("Suspicious: " + suspicious(log.entries).join(", "));
