// The strip beside a source: shows which part is on the screen; a click or a drag goes there.

function drawView(side) {
  const { map } = side;
  if (!map) return;
  const first = side.lineAt(0);
  const view = map.querySelector(".view");
  view.setAttribute("y", String(first - 1));
  view.setAttribute("height", String(Math.max(side.lineAt(side.pane.clientHeight) - first, 1)));
}

function placeOn(map, event) {
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
    const go = (event) => side.align(placeOn(map, event), side.pane.clientHeight / 2);
    map.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      const number = event.target.dataset.passage;
      if (number) return choose(Number(number));
      map.setPointerCapture(event.pointerId);
      go(event);
    });
    map.addEventListener("pointermove", (event) => {
      if (map.hasPointerCapture(event.pointerId)) go(event);
    });
  }
}
