// Draws the linked submissions, cluster by cluster: circles and lines are links to submissions and pairs.

const SVG = "http://www.w3.org/2000/svg";
const RADIUS = 13;
const LABELLED = 40;  // members up to which a cluster has room for names
const ROOMS = { labelled: 46, bare: 24 };  // half the width that a submission takes
const FLAT = 0.68;  // names are wide and low
const GAP = 16;
const BESIDE = 8;
const PAIR = 180;  // width of a cluster of two: three stand side by side in the report's column, two on a telephone
const LETTER = 7.8;  // its width
const TICKS = 240;

function element(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// Names of one class often begin alike, so both ends are kept.
function shortened(name, width) {
  const letters = [...name];
  const most = Math.floor(width / LETTER);
  if (letters.length <= most) return name;
  const first = Math.ceil((most - 1) / 2);
  return `${letters.slice(0, first).join("")}…${letters.slice(first + 1 - most).join("")}`;
}

function clustersOf({ nodes, links }) {
  const found = new Map();
  for (const node of nodes) {
    if (!found.has(node.cluster)) found.set(node.cluster, { nodes: [], links: [] });
    found.get(node.cluster).nodes.push(node);
  }
  for (const link of links) found.get(nodes[link.source].cluster).links.push({ ...link, source: nodes[link.source], target: nodes[link.target] });
  return [...found.values()];
}

function within(nodes, half) {
  return () => {
    for (const node of nodes) node.x = Math.min(half, Math.max(-half, node.x));
  };
}

function roomOf({ nodes, labelled }, width) {
  if (nodes.length === 2) return Math.min(PAIR, (width - BESIDE) / 2) / 4;
  return labelled ? ROOMS.labelled : ROOMS.bare;
}

// d3-force starts from fixed places and draws its chances from a fixed seed: a reload looks the same.
function layOut(cluster, width) {
  const { nodes, links } = cluster;
  cluster.labelled = nodes.length <= LABELLED;
  const room = roomOf(cluster, width);
  cluster.room = room;
  if (nodes.length === 2) {
    [nodes[0].x, nodes[0].y, nodes[1].x, nodes[1].y] = [-room, 0, room, 0];
  } else {
    const inside = within(nodes, Math.max(0, width / 2 - room));
    d3.forceSimulation(nodes)
      .force("link", d3.forceLink(links).distance(2.2 * room).strength((link) => 0.2 + 0.5 * link.similarity))
      .force("charge", d3.forceManyBody().strength(-4 * room))
      .force("x", d3.forceX().strength(0.05))
      .force("y", d3.forceY().strength(0.08))
      .force("apart", d3.forceCollide(room).iterations(2))
      .force("inside", inside)
      .stop()
      .tick(TICKS);
    inside();  // the last tick moves once more
    for (const node of nodes) node.y *= FLAT;
  }
  const xs = nodes.map((node) => node.x);
  const ys = nodes.map((node) => node.y);
  cluster.box = {
    left: Math.min(...xs) - room,
    top: Math.min(...ys) - RADIUS - 6,
    width: Math.max(...xs) - Math.min(...xs) + 2 * room,
    height: Math.max(...ys) - Math.min(...ys) + 2 * RADIUS + (cluster.labelled ? 30 : 12),
  };
}

// A small cluster goes where a larger one left room: under another in a column, else beside the last column of a row.
function placeFor(box, rows, width) {
  for (const row of rows) {
    const column = row.columns.find((one) => box.width <= one.width && one.height + GAP + box.height <= row.height);
    if (column) return [row, column];
    const x = row.columns.reduce((sum, one) => sum + one.width + BESIDE, 0);
    if (x + box.width <= width && box.height <= row.height) {
      row.columns.push({ x, width: box.width, height: -GAP });
      return [row, row.columns.at(-1)];
    }
  }
  const below = rows.at(-1);
  rows.push({ y: below ? below.y + below.height + GAP : 0, height: box.height, columns: [{ x: 0, width: box.width, height: -GAP }] });
  return [rows.at(-1), rows.at(-1).columns[0]];
}

// Gives the height of the whole.
function arrange(clusters, width) {
  const rows = [];
  for (const cluster of clusters) {
    const { box } = cluster;
    const [row, column] = placeFor(box, rows, width);
    [cluster.dx, cluster.dy] = [column.x - box.left, row.y + column.height + GAP - box.top];
    column.height += GAP + box.height;
  }
  return rows.length ? rows.at(-1).y + rows.at(-1).height : 0;
}

function linked(url, label, className, ...children) {
  const title = element("title", {});
  title.textContent = label;
  if (!url) return element("g", { class: className }, title, ...children);
  return element("a", { class: className, href: url, "aria-label": label, tabindex: -1 }, title, ...children);
}

function edge(link, cluster) {
  const ends = { x1: link.source.x, y1: link.source.y, x2: link.target.x, y2: link.target.y };
  const made = linked(
    link.url,
    `${link.source.name} and ${link.target.name}, ${link.percent}`,
    `edge c${link.source.colour}`,
    element("line", { ...ends, class: "reach" }),
    element("line", { ...ends, "stroke-width": 1 + 4 * link.similarity ** 2 }),
  );
  if (cluster.nodes.length > 2) return made;
  const share = element("text", { x: (ends.x1 + ends.x2) / 2, y: (ends.y1 + ends.y2) / 2 - 5, class: "share" });
  share.textContent = link.percent;
  made.append(share);
  return made;
}

function circle(node, cluster) {
  const number = element("text", { class: "number", dy: "0.35em" });
  number.textContent = node.cluster;
  const made = linked(node.url, `${node.name}, cluster ${node.cluster}`, `node c${node.colour}`, element("circle", { r: RADIUS }), number);
  made.setAttribute("transform", `translate(${node.x} ${node.y})`);
  const name = element("text", { class: "name", y: RADIUS + 14 });
  name.textContent = cluster.labelled ? shortened(node.name, 2 * cluster.room) : node.name;
  made.append(name);
  return made;
}

function drawn(cluster) {
  const parts = [...cluster.links.map((link) => edge(link, cluster)), ...cluster.nodes.map((node) => circle(node, cluster))];
  return element("g", { transform: `translate(${cluster.dx} ${cluster.dy})`, class: cluster.labelled ? "labelled" : "bare" }, ...parts);
}

// One stop for the tab key; the arrows walk from there.
function walk(frame) {
  const stops = [...frame.querySelectorAll("a.node"), ...frame.querySelectorAll("a.edge")];
  if (!stops.length) return;
  let at = 0;
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -stops.length, End: stops.length };
  const stop = (to) => {
    stops[at].setAttribute("tabindex", -1);
    at = to;
    stops[at].setAttribute("tabindex", 0);
  };
  stop(0);
  frame.addEventListener("focusin", ({ target }) => stop(Math.max(0, stops.indexOf(target))));
  frame.addEventListener("keydown", (event) => {
    if (!(event.key in steps)) return;
    event.preventDefault();
    stops[Math.min(stops.length - 1, Math.max(0, at + steps[event.key]))].focus();
  });
}

function draw(section) {
  section.hidden = false;
  const place = section.querySelector("[data-canvas]");
  const width = place.clientWidth;
  if (!width || section.dataset.drawn === `${width}`) return;
  section.dataset.drawn = width;
  const clusters = clustersOf(JSON.parse(section.querySelector("script").textContent));
  for (const cluster of clusters) layOut(cluster, width);
  const height = Math.ceil(arrange(clusters, width));
  const svg = element(
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-labelledby": "graph-heading", "aria-describedby": "graph-hint" },
    ...clusters.map(drawn),
  );
  // An SVG element that listens to the focus would be a stop itself.
  const frame = document.createElement("div");
  frame.append(svg);
  walk(frame);
  place.replaceChildren(frame);
  section.querySelector("[data-whole]").hidden = place.scrollHeight <= place.clientHeight;
}

// As much is seen as leaves the pairs in sight; the rest can be scrolled to, or opened.
document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-whole]");
  if (!button) return;
  const whole = button.previousElementSibling.classList.toggle("whole");
  button.textContent = whole ? button.dataset.less : button.dataset.more;
});

function drawAgain() {
  const section = document.querySelector("[data-graph]");
  if (section) draw(section);
}

let waiting = 0;
addEventListener("resize", () => {
  clearTimeout(waiting);
  waiting = setTimeout(drawAgain, 150);
});
document.body.addEventListener("htmx:afterSettle", drawAgain);
drawAgain();
