import { readFile, writeFile } from "node:fs/promises";

const rules = [
  [/&/g, "&amp;"],
  [/</g, "&lt;"],
  [/`([^`]+)`/g, "<code>$1</code>"],
  [/\*\*([^*]+)\*\*/g, "<b>$1</b>"],
  [/\*([^*]+)\*/g, "<i>$1</i>"],
  [/\[([^\]]+)\]\(([^)]+)\)/g, '<a href="$2">$1</a>'],
];

const spans = (text) => rules.reduce((t, [pattern, html]) => t.replace(pattern, html), text);

function block(text) {
  const lines = text.trim().split(/\n/);
  const heading = /^(#{1,6}) (.*)$/.exec(text);
  if (heading) {
    const n = heading[1].length;
    return `<h${n}>${spans(heading[2])}</h${n}>`;
  }
  if (lines.every((line) => /^[-*] /.test(line))) {
    return `<ul>${lines.map((line) => `<li>${spans(line.slice(2))}</li>`).join("")}</ul>`;
  }
  if (lines.every((line) => /^\d+\. /.test(line))) {
    return `<ol>${lines.map((line) => `<li>${spans(line.replace(/^\d+\. /, ""))}</li>`).join("")}</ol>`;
  }
  return `<p>${lines.map(spans).join("<br>")}</p>`;
}

const [, , from, to] = process.argv;
const markdown = await readFile(from, "utf8");
const html = markdown.split(/\n\s*\n/).filter(Boolean).map(block).join("\n");
await writeFile(to ?? from.replace(/\.md$/, ".html"), `<!doctype html>\n<meta charset="utf-8">\n${html}\n`);
