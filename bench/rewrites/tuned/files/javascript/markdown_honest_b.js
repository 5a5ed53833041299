const readline = require("readline");
const reader = readline.createInterface({ input: process.stdin });

let state = "none";

function change(next) {
  if (state === next) return;
  if (state === "text") console.log("</p>");
  if (state === "list") console.log("</ul>");
  if (next === "text") console.log("<p>");
  if (next === "list") console.log("<ul>");
  state = next;
}

function pairs(line, sign, tag) {
  const parts = line.split(sign);
  let s = parts[0];
  for (let k = 1; k < parts.length; k++) {
    if (k % 2 === 1 && k < parts.length - 1) s += "<" + tag + ">" + parts[k];
    else if (k % 2 === 0) s += "</" + tag + ">" + parts[k];
    else s += sign + parts[k];
  }
  return s;
}

function format(line) {
  line = line.split("&").join("&amp;").split("<").join("&lt;");
  line = pairs(line, "**", "strong");
  line = pairs(line, "*", "em");
  return pairs(line, "`", "code");
}

reader.on("line", (line) => {
  if (line.trim() === "") {
    change("none");
    return;
  }
  const space = line.indexOf(" ");
  const first = line.substring(0, space);
  const rest = line.substring(space + 1);
  if (first !== "" && first === "#".repeat(first.length)) {
    change("none");
    console.log("<h" + first.length + ">" + format(rest) + "</h" + first.length + ">");
  } else if (first === "-") {
    change("list");
    console.log("  <li>" + format(rest));
  } else {
    change("text");
    console.log(format(line));
  }
});
reader.on("close", () => change("none"));
