// Draws everybody's best match as bars, and lets the line be moved that filters the report.

const HEIGHT = 190;
const LEFT = 44;  // charts.css aligns the slider with these two
const RIGHT = 20;
const TICK = 11;  // as small as text gets
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];  // submissions between two rules
const LEAST = 0.03;  // of the highest bar: a single submission is still seen beside a hundred

const read = (id) => JSON.parse(document.getElementById(id).textContent);
const variable = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const percent = (share) => `${Math.round(share * 100)}\u202f%`;

function counts({ from_percent: from, width }) {
  const lows = [];
  for (let low = 0; low < 100; low += width) lows.push(low);
  return [lows, lows.map((low) => from[low] - (low + width < 100 ? from[low + width] : 0))];
}

// Bars right of the line have the accent, exactly from the line on.
function painted(plot, line) {
  const { left, width } = plot.bbox;
  const gradient = plot.ctx.createLinearGradient(left, 0, left + width, 0);
  const colours = [variable("--bar"), variable("--accent")];
  for (const [at, colour] of [[0, colours[0]], [line, colours[0]], [line, colours[1]], [1, colours[1]]])
    gradient.addColorStop(Math.min(1, Math.max(0, at)), colour);
  return gradient;
}

// uPlot keeps a bar's colours until its figures are set.
const repaint = (plot) => plot.setData(plot.data);

function dashes(plot, at) {
  const x = plot.valToPos(at * 100, "x", true);
  plot.ctx.save();
  plot.ctx.strokeStyle = variable("--soft");
  plot.ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
  plot.ctx.lineWidth = devicePixelRatio;
  plot.ctx.beginPath();
  plot.ctx.moveTo(x, plot.bbox.top);
  plot.ctx.lineTo(x, plot.bbox.top + plot.bbox.height);
  plot.ctx.stroke();
  plot.ctx.restore();
}

function axes() {
  const shared = { stroke: () => variable("--soft"), font: `${TICK}px ${variable("--sans")}`, ticks: { show: false } };
  return [
    { ...shared, size: 22, gap: 4, grid: { show: false }, values: (_, values) => values.map((value) => `${value}\u202f%`) },
    { ...shared, size: LEFT, gap: 6, space: 34, incrs: STEPS, grid: { stroke: () => variable("--rule"), width: 1 } },
  ];
}

// `line` gives where the line is; everything that changes with it is drawn from there.
function draw(place, data, line) {
  const [lows, bars] = counts(data);
  const most = Math.max(1, ...bars);
  const middles = lows.map((low) => low + data.width / 2);
  const options = {
    width: place.clientWidth,
    height: HEIGHT,
    padding: [10, RIGHT, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    select: { show: false },
    scales: { x: { time: false, range: [0, 100] }, y: { range: [0, most * 1.05] } },
    axes: axes(),
    series: [{}, { fill: (plot) => painted(plot, line()), width: 0, points: { show: false }, paths: uPlot.paths.bars({ size: [0.86] }) }],
    hooks: { draw: [(plot) => dashes(plot, data.suggested)] },
  };
  const seen = bars.map((count) => (count ? Math.max(count, most * LEAST) : null));
  const plot = new uPlot(options, [middles, seen], place);
  new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: HEIGHT })).observe(place);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => repaint(plot));
  return plot;
}

function marker(plot, name) {
  const mark = document.createElement("div");
  mark.className = name;
  plot.over.append(mark);
  return mark;
}

function drag(plot, move, done) {
  const at = (event) => {
    const box = plot.over.getBoundingClientRect();
    move(Math.round(((event.clientX - box.left) / box.width) * 100));
  };
  plot.over.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    plot.over.setPointerCapture(event.pointerId);
    at(event);
  });
  plot.over.addEventListener("pointermove", (event) => plot.over.hasPointerCapture(event.pointerId) && at(event));
  plot.over.addEventListener("lostpointercapture", done);
}

// The line is the filter's field `minimum`, and an empty field the suggested one: `form` fetches what it filters.
function lineOf(section, data, form) {
  const part = (name) => section.querySelector(`[data-${name}]`);
  const input = part("line");
  const field = form.elements.minimum;
  const inField = () => (field.value >= 1 && field.value <= 100 ? Math.round(field.value) : null);
  let asked = inField();
  const line = () => (asked === null ? data.suggested : asked / 100);
  const plot = draw(part("plot"), data, line);
  const mark = marker(plot, "mark");

  function show() {
    const above = asked === null ? data.from_suggested : data.from_percent[asked];
    input.value = Math.round(line() * 100);
    input.setAttribute("aria-valuetext", `${percent(line())}, ${above} of ${data.from_percent[0]} submissions there or above`);
    part("at").textContent = percent(line());
    part("above").textContent = above;
    part("reset").hidden = asked === null;
    mark.style.left = `${line() * 100}%`;
    repaint(plot);
  }
  function move(to) {
    asked = to === null ? null : Math.min(100, Math.max(1, to));
    show();
  }
  function send() {
    field.value = asked ?? "";
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  input.addEventListener("input", () => move(Number(input.value)));
  input.addEventListener("change", send);
  drag(plot, move, send);
  part("reset").addEventListener("click", () => { move(null); send(); input.focus(); });
  field.addEventListener("input", () => move(inField()));
  // A link in the report may have changed the filter.
  document.body.addEventListener("htmx:afterSettle", () => {
    const given = new URLSearchParams(location.search).get("minimum") ?? "";
    if (document.activeElement === field || document.activeElement === input || field.value === given) return;
    field.value = given;
    move(inField());
  });
  show();
}

const box = document.querySelector("[data-histogram]");
if (box) {
  box.hidden = false;
  const data = read("histogram-data");
  const form = document.getElementById("filter");
  if (form) lineOf(box.closest("section"), data, form);
  else marker(draw(box.querySelector("[data-plot]"), data, () => Number(box.dataset.place)), "mark").style.left = `${box.dataset.place * 100}%`;
}
