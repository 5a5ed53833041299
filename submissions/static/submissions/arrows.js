// Makes some elements one stop for the tab key; the arrow keys move the focus among them.

// `down` is how many elements the arrow down goes on: the width of a table, for its cells.
export function moveByArrows(frame, stops, down = 1) {
  if (!stops.length) return;
  let current = 0;
  const steps = { ArrowRight: 1, ArrowDown: down, ArrowLeft: -1, ArrowUp: -down, Home: -stops.length, End: stops.length };
  const setCurrent = (index) => {
    stops[current].setAttribute("tabindex", -1);
    current = index;
    stops[current].setAttribute("tabindex", 0);
  };
  for (const stop of stops) stop.setAttribute("tabindex", -1);
  setCurrent(0);
  frame.addEventListener("focusin", ({ target }) => stops.includes(target) && setCurrent(stops.indexOf(target)));
  frame.addEventListener("keydown", (event) => {
    if (!(event.key in steps) || !stops.includes(event.target)) return;
    event.preventDefault();
    stops[Math.min(stops.length - 1, Math.max(0, current + steps[event.key]))].focus();
  });
}

// The cells of a table of pairs; a cell without a link has the focus itself.
for (const table of document.querySelectorAll("[data-grid]")) {
  const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].filter((cell) => cell.matches("td")));
  moveByArrows(table, rows.flat().map((cell) => cell.querySelector("a") ?? cell), rows[0].length);
}
