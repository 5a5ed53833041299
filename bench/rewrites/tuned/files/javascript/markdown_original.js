// Convert a small subset of Markdown to HTML.
const fs = require("fs");

function escapeHtml(text) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

function inline(text) {
  let result = "";
  let bold = false;
  let italic = false;
  let code = false;
  let i = 0;
  while (i < text.length) {
    if (text[i] === "`") {
      result += code ? "</code>" : "<code>";
      code = !code;
      i += 1;
    } else if (!code && text.slice(i, i + 2) === "**") {
      result += bold ? "</strong>" : "<strong>";
      bold = !bold;
      i += 2;
    } else if (!code && text[i] === "*") {
      result += italic ? "</em>" : "<em>";
      italic = !italic;
      i += 1;
    } else {
      result += text[i];
      i += 1;
    }
  }
  return result;
}

function headingLevel(line) {
  let level = 0;
  while (line[level] === "#") {
    level++;
  }
  if (level > 0 && level <= 6 && line[level] === " ") {
    return level;
  }
  return 0;
}

function convert(source) {
  const output = [];
  let paragraph = [];
  let inList = false;

  function closeParagraph() {
    if (paragraph.length > 0) {
      output.push("<p>" + inline(paragraph.join(" ")) + "</p>");
      paragraph = [];
    }
  }

  function closeList() {
    if (inList) {
      output.push("</ul>");
      inList = false;
    }
  }

  for (const raw of source.split("\n")) {
    const line = escapeHtml(raw.trim());
    const level = headingLevel(line);
    if (line === "") {
      closeParagraph();
      closeList();
    } else if (level > 0) {
      closeParagraph();
      closeList();
      output.push("<h" + level + ">" + inline(line.slice(level + 1)) + "</h" + level + ">");
    } else if (line.startsWith("- ")) {
      closeParagraph();
      if (!inList) {
        output.push("<ul>");
        inList = true;
      }
      output.push("<li>" + inline(line.slice(2)) + "</li>");
    } else {
      closeList();
      paragraph.push(line);
    }
  }
  closeParagraph();
  closeList();
  return output.join("\n");
}

console.log(convert(fs.readFileSync(process.argv[2], "utf8")));
