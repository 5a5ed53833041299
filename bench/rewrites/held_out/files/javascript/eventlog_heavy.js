// Streaming report about requests: one pass, several collectors.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

class Tally extends Map {
  hit(key) {
    this.set(key, (this.get(key) ?? 0) + 1);
  }

  leaders(n) {
    return [...this].sort(([ka, a], [kb, b]) => b - a || (ka < kb ? -1 : 1)).slice(0, n);
  }
}

const collectors = {
  volume: {
    total: 0,
    requests: 0,
    see({ size }) {
      this.requests += 1;
      this.total += size;
    },
    *lines() {
      yield `${this.requests} requests moved ${(this.total / 2 ** 20).toFixed(1)} MB`;
    },
  },
  pages: ranking("Popular addresses", "address", 10),
  answers: ranking("Answers", "code", 5),
  hours: {
    tally: new Tally(),
    see({ clock }) {
      this.tally.hit(Number.parseInt(clock, 10));
    },
    *lines() {
      yield `Most requests in hour ${this.tally.leaders(1)[0]?.[0] ?? 0}`;
    },
  },
  intruders: {
    tally: new Tally(),
    see({ code, host }) {
      if ([401, 403].includes(code)) this.tally.hit(host);
    },
    *lines() {
      const hosts = [...this.tally].filter(([, refused]) => refused > 4).map(([host]) => host);
      yield `Refused five times or more: ${hosts.join(", ")}`;
    },
  },
};

function ranking(heading, property, limit) {
  return {
    tally: new Tally(),
    see(request) {
      this.tally.hit(request[property]);
    },
    *lines() {
      yield heading;
      for (const [key, n] of this.tally.leaders(limit)) yield `  ${String(key).padEnd(30)}${n}`;
    },
  };
}

function decode(text) {
  const [host, clock, , target, code, size] = text.split(" ");
  if (size === undefined || Number.isNaN(Number.parseInt(code, 10))) return undefined;
  return { host, clock, address: target.replace(/\?.*/, ""), code: Number(code), size: Number(size) || 0 };
}

let unreadable = 0;
for await (const text of createInterface({ input: createReadStream(process.argv[2]) })) {
  if (!text) continue;
  const request = decode(text);
  if (request) Object.values(collectors).forEach((collector) => collector.see(request));
  else unreadable += 1;
}
for (const collector of Object.values(collectors)) {
  for (const text of collector.lines()) console.log(text);
}
console.log(`${unreadable} unreadable`);
