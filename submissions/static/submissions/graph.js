// Draws the graph of every case: circles link to submissions, lines link to pairs.

import { moveByArrows } from "./arrows.js";
import { textsOf } from "./texts.js";

const text = textsOf("graph");
const SVG = "http://www.w3.org/2000/svg";
const RADIUS = 13;
const MAX_LABELLED = 40;  // members up to which a case has room for names
const HALF_WIDTHS = { labelled: 52, bare: 24 };  // half the width that a submission needs
const FLATTENING = 0.68;  // factor for heights, since names are wide and low
const ROW_GAP = 16;
const COLUMN_GAP = 8;
const PAIR_WIDTH = 180;  // width of a case of two: three fit into the report's column, two on a telephone
const NEARER = 12;  // by how much the half width of identical submissions is less
const NAME_SIZE = 12;
const NAME_GAP = 5;  // between a name and the circle or name beside or below it
const LINE_HEIGHT = 13;  // of a name under its circle
const TICKS = 240;

function svgElement(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// Returns the words of a name, each with the spaces and signs after it.
const wordsOf = (name) => name.match(/[^\s\-_.@]*[\s\-_.@]*/gu).filter(Boolean);
const pen = document.createElement("canvas").getContext("2d");
pen.font = `${NAME_SIZE}px ${getComputedStyle(document.body).fontFamily}`;
const widthOf = (word) => pen.measureText(word.trimEnd()).width + NAME_GAP;

// Returns the lines of a whole name, which is broken after spaces and signs and never within a word.
function brokenName(name, width) {
  const lines = [""];
  for (const word of wordsOf(name)) {
    if (lines.at(-1) && widthOf(lines.at(-1) + word) > width) lines.push("");
    lines[lines.length - 1] += word;
  }
  return lines.map((line) => line.trim()).filter(Boolean);
}

function groupByCase({ nodes, links, far }) {
  const cases = new Map();
  for (const node of nodes) {
    if (!cases.has(node.case)) cases.set(node.case, { nodes: [], links: [] });
    cases.get(node.case).nodes.push(node);
  }
  for (const link of links) cases.get(nodes[link.source].case).links.push({ ...link, source: nodes[link.source], target: nodes[link.target], look: link.similarity < far });
  return [...cases.values()];
}

// Returns a force that keeps nodes between -half and half.
function boundingForce(nodes, half) {
  return () => {
    for (const node of nodes) node.x = Math.min(half, Math.max(-half, node.x));
  };
}

// Returns half the width that a submission of a case needs: its longest word is whole, as far as the picture is wide enough.
function nodeHalfWidth({ nodes, links, labelled }, width) {
  const words = nodes.flatMap((node) => wordsOf(node.name).map(widthOf));
  const most = (width - COLUMN_GAP) / 4;
  if (nodes.length === 2) return Math.min(most, Math.max(PAIR_WIDTH / 4 - NEARER * links[0].similarity, ...words.map((word) => word / 2)));
  return labelled ? Math.min(most, Math.max(HALF_WIDTHS.labelled, ...words.map((word) => word / 2))) : HALF_WIDTHS.bare;
}

// Returns the box of a circle with its name.
function nodeBox({ x, y, lines, scale, named }) {
  const half = named ? Math.max(RADIUS, (scale * Math.max(...lines.map(widthOf))) / 2) : RADIUS;
  return { left: x - half, right: x + half, top: y - RADIUS - 2, bottom: y + RADIUS + (named ? 5 + LINE_HEIGHT * lines.length : 2) };
}

// Moves circles down until none is over another one or its name.
function moveApart(nodes) {
  const placed = [];
  for (const node of nodes.toSorted((one, other) => one.y - other.y)) {
    for (let above = true; above; ) {
      const box = nodeBox(node);
      above = placed.find((other) => box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom);
      if (above) node.y += above.bottom - box.top + 1;
    }
    placed.push(nodeBox(node));
  }
}

// Sets the positions of a case's nodes, and its bounding box. d3-force starts from fixed positions and has a fixed
// random seed, so a reload gives the same layout.
function layOut(group, width) {
  const { nodes, links } = group;
  group.labelled = nodes.length <= MAX_LABELLED;
  const halfWidth = nodeHalfWidth(group, width);
  for (const node of nodes) {
    node.lines = group.labelled ? brokenName(node.name, 2 * halfWidth) : [node.name];
    node.scale = Math.min(1, (2 * halfWidth) / Math.max(...node.lines.map(widthOf)));
    node.named = group.labelled;
    node.from = Math.max(0, ...links.filter(({ source, target }) => source === node || target === node).map((link) => link.similarity));
  }
  if (nodes.length === 2) {
    [nodes[0].x, nodes[0].y, nodes[1].x, nodes[1].y] = [-halfWidth, 0, halfWidth, 0];
  } else {
    const bound = boundingForce(nodes, Math.max(0, width / 2 - halfWidth));
    d3.forceSimulation(nodes)
      .force("link", d3.forceLink(links).distance((link) => (3.6 - 1.6 * link.similarity) * halfWidth).strength((link) => 0.2 + 0.5 * link.similarity))
      .force("charge", d3.forceManyBody().strength(-4 * halfWidth))
      .force("x", d3.forceX().strength(0.05))
      .force("y", d3.forceY().strength(0.08))
      .force("apart", d3.forceCollide(halfWidth).iterations(2))
      .force("inside", bound)
      .stop()
      .tick(TICKS);
    bound();  // the last tick may have moved nodes out again
    for (const node of nodes) node.y *= FLATTENING;
    moveApart(nodes);
  }
  const xs = nodes.map((node) => node.x);
  const ys = nodes.map((node) => node.y);
  group.box = {
    left: Math.min(...xs) - halfWidth,
    top: Math.min(...ys) - RADIUS - 6,
    width: Math.max(...xs) - Math.min(...xs) + 2 * halfWidth,
    height: Math.max(...ys) - Math.min(...ys) + 2 * RADIUS + (group.labelled ? 17 + LINE_HEIGHT * Math.max(...nodes.map((node) => node.lines.length)) : 12),
  };
}

// Returns the row and the column for a case: under another one in a column, otherwise in a new column of a row,
// otherwise in a new row.
function findSpace(box, rows, width) {
  for (const row of rows) {
    const column = row.columns.find((candidate) => box.width <= candidate.width && candidate.height + ROW_GAP + box.height <= row.height);
    if (column) return [row, column];
    const x = row.columns.reduce((sum, { width: columnWidth }) => sum + columnWidth + COLUMN_GAP, 0);
    if (x + box.width <= width && box.height <= row.height) {
      row.columns.push({ x, width: box.width, height: -ROW_GAP });
      return [row, row.columns.at(-1)];
    }
  }
  const last = rows.at(-1);
  rows.push({ y: last ? last.y + last.height + ROW_GAP : 0, height: box.height, columns: [{ x: 0, width: box.width, height: -ROW_GAP }] });
  return [rows.at(-1), rows.at(-1).columns[0]];
}

// Sets the offset of every case, and returns the rows.
function arrange(cases, width) {
  const rows = [];
  for (const group of cases) {
    const { box } = group;
    const [row, column] = findSpace(box, rows, width);
    [group.dx, group.dy] = [column.x - box.left, row.y + column.height + ROW_GAP - box.top];
    column.height += ROW_GAP + box.height;
  }
  return rows;
}

// Returns the lower end of a row, with half of the gap below it.
const lowerEnd = (row) => row.y + row.height + ROW_GAP / 2;

// Lets the canvas end below a row, so that none is cut.
function showWholeRows(canvas, rows) {
  canvas.style.removeProperty("--whole-rows");
  const { maxHeight, paddingTop } = getComputedStyle(canvas);
  const ends = rows.map((row) => lowerEnd(row) + parseFloat(paddingTop));
  const fitting = ends.findLast((end) => end <= parseFloat(maxHeight));
  if (fitting && fitting < ends.at(-1)) canvas.style.setProperty("--whole-rows", `${fitting}px`);
}

function linkElement(url, label, className, ...children) {
  const title = svgElement("title", {});
  title.textContent = label;
  if (!url) return svgElement("g", { class: className }, title, ...children);
  return svgElement("a", { class: className, href: url, "aria-label": label, tabindex: -1 }, title, ...children);
}

function edgeElement(link, group) {
  const ends = { x1: link.source.x, y1: link.source.y, x2: link.target.x, y2: link.target.y };
  const edge = linkElement(
    link.url,
    text("edge", { left: link.source.name, right: link.target.name, share: link.percent }),
    `edge c${link.source.colour}${link.look ? " look" : ""}`,
    svgElement("line", { ...ends, class: "reach" }),
    svgElement("line", { ...ends, "stroke-width": 1 + 4 * link.similarity ** 2 }),
  );
  edge.dataset.from = link.similarity;
  if (group.nodes.length > 2) return edge;
  const share = svgElement("text", { x: (ends.x1 + ends.x2) / 2, y: (ends.y1 + ends.y2) / 2 - 5, class: "share" });
  share.textContent = link.percent;
  edge.append(share);
  return edge;
}

function nodeElement(node) {
  const number = svgElement("text", { class: "number", dy: "0.35em" });
  number.textContent = node.case;
  const circle = linkElement(node.url, text("node", { name: node.name, number: node.case }), `node c${node.colour}`, svgElement("circle", { r: RADIUS }), number);
  circle.setAttribute("transform", `translate(${node.x} ${node.y})`);
  const name = svgElement("text", { class: "name", y: RADIUS + 14 });
  if (node.scale < 1) name.style.fontSize = `${NAME_SIZE * node.scale}px`;  // an attribute would yield to the stylesheet
  name.append(...node.lines.map((line, index) => svgElement("tspan", { x: 0, dy: index && LINE_HEIGHT }, line)));
  circle.append(name);
  circle.dataset.name = node.name;
  circle.dataset.from = node.from;
  circle.dataset.index = node.index;
  return circle;
}

// Writes the whole name of a circle over everything else while it is pointed at or has the focus: crowded circles have
// none under them.
function showNames(frame, svg, width) {
  const label = svgElement("text", { class: "whole-name", visibility: "hidden" });
  svg.append(label);
  const show = (node) => {
    const box = svg.getBoundingClientRect();
    if (!box.width) return;  // replaced by a picture of another width
    const circle = node.querySelector("circle").getBoundingClientRect();
    const scale = width / box.width;
    label.textContent = node.dataset.name;
    const half = label.getComputedTextLength() / 2 + 4;
    const middle = (circle.left + circle.width / 2 - box.left) * scale;
    label.setAttribute("x", Math.max(half, Math.min(middle, width - half)));
    label.setAttribute("y", (circle.bottom - box.top) * scale + 14);
    label.setAttribute("visibility", "visible");
  };
  const hide = () => label.setAttribute("visibility", "hidden");
  for (const type of ["pointerover", "focusin"]) {
    frame.addEventListener(type, ({ target }) => {
      const node = target.closest(".node");
      if (node) show(node);
      else hide();
    });
  }
  for (const type of ["pointerleave", "focusout"]) frame.addEventListener(type, hide);
  return { show, hide };
}

// Marks the circle of a submission while its name in the list is pointed at or has the focus.
function followList(section, frame, names) {
  const mark = (row) => {
    for (const old of frame.querySelectorAll(".pointed")) old.classList.remove("pointed");
    const node = row && frame.querySelector(`.node[data-index="${row.dataset.node}"]`);
    if (!node) return names.hide();
    node.classList.add("pointed");
    names.show(node);
  };
  const list = section.querySelector(".drawn");
  for (const type of ["pointerover", "focusin"]) list?.addEventListener(type, ({ target }) => mark(target.closest("[data-node]")));
  for (const type of ["pointerleave", "focusout"]) list?.addEventListener(type, () => mark(null));
}

function caseElement(group) {
  const parts = [...group.links.map((link) => edgeElement(link, group)), ...group.nodes.map(nodeElement)];
  return svgElement("g", { transform: `translate(${group.dx} ${group.dy})`, class: group.labelled ? "labelled" : "bare" }, ...parts);
}

function draw(section) {
  section.hidden = false;
  const canvas = section.querySelector("[data-canvas]");
  const width = canvas.clientWidth;
  if (!width || section.dataset.drawn === `${width}`) return;
  section.dataset.drawn = width;
  const cases = groupByCase(JSON.parse(section.querySelector("script").textContent));
  for (const group of cases) layOut(group, width);
  const rows = arrange(cases, width);
  const height = Math.ceil(rows.length && lowerEnd(rows.at(-1)));
  const svg = svgElement(
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-labelledby": "graph-heading", "aria-describedby": "graph-hint" },
    ...cases.map(caseElement),
  );
  // Listen on a div: an SVG element with focus listeners would be a tab stop itself.
  const frame = document.createElement("div");
  frame.append(svg);
  moveByArrows(frame, [...frame.querySelectorAll("a.node"), ...frame.querySelectorAll("a.edge")]);
  canvas.replaceChildren(frame);
  showWholeRows(canvas, rows);
  followList(section, frame, showNames(frame, svg, width));
  section.querySelector("[data-whole]").hidden = canvas.scrollHeight <= canvas.clientHeight;
}

// The canvas is so low that the pairs below it stay visible; this button shows all of it.
document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-whole]");
  if (!button) return;
  const whole = button.previousElementSibling.classList.toggle("whole");
  button.textContent = whole ? button.dataset.less : button.dataset.more;
});

function redraw() {
  const section = document.querySelector("[data-graph]");
  if (section) draw(section);
}

let waiting = 0;
addEventListener("resize", () => {
  clearTimeout(waiting);
  waiting = setTimeout(redraw, 150);
});
document.body.addEventListener("htmx:afterSettle", redraw);
document.addEventListener("graph:new", redraw);
redraw();
