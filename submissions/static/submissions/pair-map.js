// The map beside a source: marks the part that is visible; a click or a drag scrolls to another part.

function drawView(side) {
  const { map } = side;
  if (!map) return;
  const first = side.lineAt(0);
  const view = map.querySelector(".view");
  view.setAttribute("y", String(first - 1));
  view.setAttribute("height", String(Math.max(side.lineAt(side.pane.clientHeight) - first, 1)));
}

function lineOnMap(map, event) {
  const box = map.getBoundingClientRect();
  return 1 + ((event.clientY - box.top) / box.height) * map.viewBox.baseVal.height;
}

export function followWithMap(side, choose) {
  let waiting = false;
  const redraw = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      drawView(side);
    });
  };
  side.pane.addEventListener("scroll", redraw, { passive: true });
  new ResizeObserver(redraw).observe(side.pane);
  for (const map of side.maps) {
    const showLine = (event) => side.align(lineOnMap(map, event), side.pane.clientHeight / 2);
    map.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      const number = event.target.dataset.passage;
      if (number) return choose(Number(number));
      map.setPointerCapture(event.pointerId);
      showLine(event);
    });
    map.addEventListener("pointermove", (event) => {
      if (map.hasPointerCapture(event.pointerId)) showLine(event);
    });
  }
}
