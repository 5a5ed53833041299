// Renamed words: a click on a row of the map goes through the places of a name, and a switch shows the right side with
// the left names. The words as handed in stay in the page and come back for printing.

import { fill } from "./pair-blocks.js";

// Goes to the next place of a renaming on the left side with `goTo`, and says which one it is with `say`.
export function listenToNames(bench, [left], goTo, say) {
  const last = new Map();
  bench.querySelector(".renamings")?.addEventListener("click", (event) => {
    const number = event.target.closest("[data-renaming]")?.dataset.renaming;
    if (!number) return;
    for (const block of left.pane.querySelectorAll("[data-deferred]")) fill(block);
    const places = [...left.pane.querySelectorAll(`[data-name="${number}"]`)];
    if (!places.length) return;
    const next = last.has(number) ? (last.get(number) + 1) % places.length : 0;
    last.set(number, next);
    goTo(places[next]);
    for (const old of bench.querySelectorAll(".at-name")) old.classList.remove("at-name", "now");
    for (const part of bench.querySelectorAll(`.pane [data-name="${number}"]`)) part.classList.add("at-name");
    places[next].classList.add("now");
    say(next + 1, places.length);
  });
}

// Writes a word as the other side does, or again as it was handed in.
function write(part, undone) {
  part.own ??= part.textContent;
  part.textContent = undone ? part.dataset.there : part.own;
}

export function listenToSwitch(bench, right) {
  const box = bench.querySelector("[data-left-names]");
  if (!box) return;
  const apply = (within, undone) => {
    for (const part of within.querySelectorAll("[data-name]")) write(part, undone);
  };
  box.checked = false;
  box.addEventListener("change", () => {
    apply(right.pane, box.checked);
    right.pane.classList.toggle("left-names", box.checked);
    bench.querySelector("[data-undone]").hidden = !box.checked;
  });
  right.pane.addEventListener("filled", ({ target }) => box.checked && apply(target, true));
  addEventListener("beforeprint", () => apply(right.pane, false));
  addEventListener("afterprint", () => apply(right.pane, box.checked));
}
