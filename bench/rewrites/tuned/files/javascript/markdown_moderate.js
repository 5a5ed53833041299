// Renders notes written with light markup as a web page fragment.
const { readFileSync } = require("node:fs");

const MARKERS = [
  { sign: "**", tag: "strong" },
  { sign: "*", tag: "em" },
];

class Renderer {
  constructor() {
    this.html = [];
    this.pending = [];
    this.listOpen = false;
  }

  endList() {
    if (!this.listOpen) return;
    this.listOpen = false;
    this.html.push("</ul>");
  }

  endText() {
    if (!this.pending.length) return;
    this.html.push(`<p>${Renderer.spans(this.pending.join(" "))}</p>`);
    this.pending.length = 0;
  }

  static safe(raw) {
    const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
    return raw.replace(/[&<>]/g, (sign) => entities[sign]);
  }

  static spans(raw) {
    const open = { code: false, strong: false, em: false };
    const toggle = (tag) => {
      open[tag] = !open[tag];
      return open[tag] ? `<${tag}>` : `</${tag}>`;
    };
    let html = "";
    for (let at = 0; at < raw.length; ) {
      const marker = open.code ? undefined : MARKERS.find(({ sign }) => raw.startsWith(sign, at));
      if (raw[at] === "`") {
        html += toggle("code");
        at++;
      } else if (marker) {
        html += toggle(marker.tag);
        at += marker.sign.length;
      } else {
        html += raw[at++];
      }
    }
    return html;
  }

  row(raw) {
    const row = Renderer.safe(raw.trim());
    if (!row) {
      this.endText();
      this.endList();
      return;
    }
    if (row.startsWith("- ")) {
      this.endText();
      if (!this.listOpen) this.html.push("<ul>");
      this.listOpen = true;
      this.html.push(`<li>${Renderer.spans(row.substring(2))}</li>`);
      return;
    }
    let depth = 0;
    for (; row.charAt(depth) === "#"; ) depth += 1;
    if (depth >= 1 && depth < 7 && row.charAt(depth) === " ") {
      this.endText();
      this.endList();
      this.html.push(`<h${depth}>${Renderer.spans(row.substring(depth + 1))}</h${depth}>`);
      return;
    }
    this.endList();
    this.pending.push(row);
  }

  render(notes) {
    notes.split("\n").forEach((raw) => this.row(raw));
    this.endText();
    this.endList();
    return this.html.join("\n");
  }
}

console.log(new Renderer().render(readFileSync(process.argv[2], "utf8")));
