const fs = require("fs");

let total = 0;
let size = 0;
let pages = [];
let statusCodes = {};
let hourTable = {};
let attackers = {};

function countPage(name) {
  for (let p of pages) {
    if (p.name == name) {
      p.count++;
      return;
    }
  }
  pages.push({ name, count: 1 });
}

fs.readFile("access.log", "utf8", function (error, content) {
  if (error) {
    console.log("cannot read the file");
    return;
  }
  let start = 0;
  while (start < content.length) {
    let end = content.indexOf("\n", start);
    if (end < 0) end = content.length;
    const fields = content.substring(start, end).split(" ");
    start = end + 1;
    if (fields.length != 6) {
      console.log("skipped:", fields.join(" "));
      continue;
    }
    total++;
    if (fields[5] != "-") size += +fields[5];
    countPage(fields[3]);
    const code = fields[4];
    statusCodes[code] = code in statusCodes ? statusCodes[code] + 1 : 1;
    const h = fields[1].substring(0, 2);
    hourTable[h] = h in hourTable ? hourTable[h] + 1 : 1;
    if (code == "401" || code == "403") {
      if (!attackers[fields[0]]) attackers[fields[0]] = [];
      attackers[fields[0]].push(fields[3]);
    }
  }
  console.log(total, "requests,", size, "bytes");
  pages.sort((x, y) => y.count - x.count);
  for (let i = 0; i < Math.min(10, pages.length); i++) console.log(pages[i].count + " times " + pages[i].name);
  console.log(statusCodes);
  for (const h in hourTable) console.log(h + " h: " + "+".repeat(hourTable[h]));
  for (const ip in attackers) {
    if (attackers[ip].length >= 5) console.log("ATTACK from", ip, "on", attackers[ip]);
  }
});
