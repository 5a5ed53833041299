// Draws the best match of every submission as bars, with a movable threshold that filters the report.

import { moveByArrows } from "./arrows.js";
import { textsOf } from "./texts.js";

const HEIGHT = 190;
const LEFT = 44;  // charts.css aligns the slider with LEFT and RIGHT
const RIGHT = 20;
const TICK_FONT_SIZE = 11;
const HEADROOM = 1.05;
const DRAGGED = 4;  // pixels from which on a press is no click
const GRID = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];  // numbers of submissions with a grid line

const readJson = (id) => JSON.parse(document.getElementById(id).textContent);
const cssVariable = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const percent = (share) => `${Math.round(share * 100)}\u202f%`;

// Returns the lower ends of the bins, in percent, and the number of submissions in each.
function binCounts({ from_percent: from, width }) {
  const lows = [];
  for (let low = 0; low < 100; low += width) lows.push(low);
  return [lows, lows.map((low) => from[low] - (low + width < 100 ? from[low + width] : 0))];
}

// Bars are painted in other colours exactly from where pairs are to be looked at, and from where they stand out.
function barGradient(plot, at, { threshold, look, stands_out: standsOut }) {
  const { left, width } = plot.bbox;
  const gradient = plot.ctx.createLinearGradient(left, 0, left + width, 0);
  const edges = [0, at === threshold ? look : at, Math.max(at, standsOut), 1];
  ["--bar", "--look", "--accent"].forEach((name, band) => {
    for (const edge of edges.slice(band, band + 2)) gradient.addColorStop(Math.min(1, Math.max(0, edge)), cssVariable(name));
  });
  return gradient;
}

// uPlot caches the colours of bars until new data is set.
const repaint = (plot) => plot.setData(plot.data);

function drawDashedLine(plot, share) {
  const x = plot.valToPos(share * 100, "x", true);
  plot.ctx.save();
  plot.ctx.strokeStyle = cssVariable("--soft");
  plot.ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
  plot.ctx.lineWidth = devicePixelRatio;
  plot.ctx.beginPath();
  plot.ctx.moveTo(x, plot.bbox.top);
  plot.ctx.lineTo(x, plot.bbox.top + plot.bbox.height);
  plot.ctx.stroke();
  plot.ctx.restore();
}

// Heights are logarithmic, so that a single submission is visible beside hundreds.
const heightOf = (count) => Math.log2(count + 1);
const countOf = (height) => Math.round(2 ** height - 1);

function axes(highest) {
  const shared = { stroke: () => cssVariable("--soft"), font: `${TICK_FONT_SIZE}px ${cssVariable("--sans")}`, ticks: { show: false } };
  return [
    { ...shared, size: 22, gap: 4, grid: { show: false }, values: (_, values) => values.map((value) => `${value}\u202f%`) },
    {
      ...shared,
      size: LEFT,
      gap: 6,
      splits: () => GRID.filter((count) => count <= highest).map(heightOf),
      values: (_, heights) => heights.map(countOf),
      grid: { stroke: () => cssVariable("--rule"), width: 1 },
    },
  ];
}

// `threshold` is a function, called on every repaint.
function draw(container, data, threshold) {
  const [lows, counts] = binCounts(data);
  const highest = Math.max(1, ...counts);
  const middles = lows.map((low) => low + data.width / 2);
  const options = {
    width: container.clientWidth,
    height: HEIGHT,
    padding: [10, RIGHT, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    select: { show: false },
    scales: { x: { time: false, range: [0, 100] }, y: { range: [0, heightOf(highest) * HEADROOM] } },
    axes: axes(highest),
    series: [{}, { fill: (plot) => barGradient(plot, threshold(), data), width: 0, points: { show: false }, paths: uPlot.paths.bars({ size: [0.86] }) }],
    hooks: { draw: [(plot) => drawDashedLine(plot, data.suggested)] },
  };
  const heights = counts.map((count) => (count ? heightOf(count) : null));
  const plot = new uPlot(options, [middles, heights], container);
  new ResizeObserver(() => plot.setSize({ width: container.clientWidth, height: HEIGHT })).observe(container);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => repaint(plot));
  return plot;
}

function addMarker(plot, name) {
  const mark = document.createElement("div");
  mark.className = name;
  plot.over.append(mark);
  return mark;
}

// Calls `move` with the percentage under the pointer while it is dragged over the plot, or where it is clicked, and `done`
// at the end. A click on a bar is for its button.
function listenForDrag(plot, move, done) {
  const moveToPointer = (event) => {
    const box = plot.over.getBoundingClientRect();
    move(Math.round(((event.clientX - box.left) / box.width) * 100));
  };
  let pressed = null;
  plot.over.addEventListener("pointerdown", (event) => { if (!event.button) pressed = event.clientX; });
  addEventListener("pointerup", () => { pressed = null; });
  plot.over.addEventListener("pointermove", (event) => {
    if (pressed !== null && Math.abs(event.clientX - pressed) >= DRAGGED) plot.over.setPointerCapture(event.pointerId);
    if (plot.over.hasPointerCapture(event.pointerId)) moveToPointer(event);
  });
  plot.over.addEventListener("lostpointercapture", done);
  plot.over.addEventListener("click", (event) => {
    if (event.target !== plot.over || !event.detail) return;
    moveToPointer(event);
    done();
  });
}

// Lists the submissions of a bar, the most similar first, with links to them.
function listBar(panel, title, { page, students }) {
  const items = students.map(([name, pk]) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    [link.href, link.textContent] = [page.replace(/0(\/?)$/, `${pk}$1`), name];
    item.append(link);
    return item;
  });
  panel.querySelector("p").textContent = title;
  panel.querySelector("ul").replaceChildren(...items);
  panel.hidden = false;
}

// Lays a button over every bar, which lists its submissions below the chart; Escape closes the list.
function barButtons(plot, panel, data) {
  const text = textsOf("histogram");
  const { page, students } = readJson("histogram-students");
  const [lows, counts] = binCounts(data);
  const highest = heightOf(Math.max(1, ...counts)) * HEADROOM;
  const buttons = lows.flatMap((low, at) => (counts[at] ? [[low, counts[at]]] : [])).map(([low, count]) => {
    const button = document.createElement("button");
    const title = text(count === 1 ? "bar_one" : "bar_many", { low, high: low + data.width, n: count });
    [button.type, button.className, button.ariaLabel, button.ariaExpanded] = ["button", "bar-of", title, "false"];
    Object.assign(button.style, { left: `${low}%`, width: `${data.width}%`, height: `${(100 * heightOf(count)) / highest}%` });
    button.addEventListener("click", () => {
      const isOpen = button.ariaExpanded === "true";
      for (const one of buttons) one.ariaExpanded = `${one === button && !isOpen}`;
      const first = low + data.width < 100 ? data.from_percent[low + data.width] : 0;
      listBar(panel, title, { page, students: students.slice(first, first + count) });
      panel.hidden = isOpen;
    });
    return button;
  });
  plot.over.append(...buttons);
  moveByArrows(plot.over, buttons);
  panel.closest("section").addEventListener("keydown", ({ key }) => {
    const open = buttons.find((one) => one.ariaExpanded === "true");
    if (key !== "Escape" || !open) return;
    open.click();
    open.focus();
  });
}

// The slider and the filter's field `threshold` have the same value; an empty field is the assignment's threshold.
// A change of the field makes `form` fetch the filtered report.
function thresholdSlider(section, data, form) {
  const text = textsOf("histogram");
  const part = (name) => section.querySelector(`[data-${name}]`);
  const input = part("line");
  const field = form.elements.threshold;
  const fieldValue = () => (field.value >= 1 && field.value <= 100 ? Math.round(field.value) : null);
  let selected = fieldValue();  // percent, or null for the assignment's threshold
  const threshold = () => (selected === null ? data.threshold : selected / 100);
  const plot = draw(part("plot"), data, threshold);
  const mark = addMarker(plot, "mark");

  function show() {
    const above = selected === null ? data.from_threshold : data.from_percent[selected];
    input.value = Math.round(threshold() * 100);
    input.setAttribute("aria-valuetext", text("value", { share: percent(threshold()), above, total: data.from_percent[0] }));
    part("at").textContent = percent(threshold());
    part("above").textContent = above;
    part("reset").hidden = selected === null;
    mark.style.left = `${threshold() * 100}%`;
    repaint(plot);
  }
  function move(value) {
    selected = value === null ? null : Math.min(100, Math.max(1, value));
    show();
  }
  function send() {
    field.value = selected ?? "";
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  input.addEventListener("input", () => move(Number(input.value)));
  input.addEventListener("change", send);
  listenForDrag(plot, move, send);
  if (document.getElementById("histogram-students")) barButtons(plot, part("bar"), data);
  part("reset").addEventListener("click", () => { move(null); send(); input.focus(); });
  field.addEventListener("input", () => move(fieldValue()));
  // A link in the report may have changed the filter.
  document.body.addEventListener("htmx:afterSettle", () => {
    const value = new URLSearchParams(location.search).get("threshold") ?? "";
    if (document.activeElement === field || document.activeElement === input || field.value === value) return;
    field.value = value;
    move(fieldValue());
  });
  show();
}

const box = document.querySelector("[data-histogram]");
if (box) {
  box.hidden = false;
  const data = readJson("histogram-data");
  const form = document.getElementById("filter");
  if (form) thresholdSlider(box.closest("section"), data, form);
  else addMarker(draw(box.querySelector("[data-plot]"), data, () => Number(box.dataset.place)), "mark").style.left = `${box.dataset.place * 100}%`;
}
