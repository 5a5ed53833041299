// Scrolling one side moves the other to the place that answers it, told by the passages of both files.

// The passages that keep their order on both sides, the most lines of them: between these one can interpolate.
function inOrder(passages) {
  const sorted = passages.toSorted((a, b) => a.here[0] - b.here[0]);
  const best = sorted.map((one) => ({ lines: one.here[1] - one.here[0], before: -1 }));
  sorted.forEach((one, at) => {
    const own = best[at].lines;
    for (let earlier = 0; earlier < at; earlier += 1) {
      const follows = sorted[earlier].here[1] <= one.here[0] && sorted[earlier].there[1] <= one.there[0];
      if (follows && best[earlier].lines + own > best[at].lines) {
        best[at] = { lines: best[earlier].lines + own, before: earlier };
      }
    }
  });
  const chain = [];
  let at = best.reduce((most, one, index) => (one.lines > (best[most]?.lines ?? -1) ? index : most), -1);
  for (; at >= 0; at = best[at].before) chain.unshift(sorted[at]);
  return chain;
}

function between(place, [from, to], [low, high]) {
  return low + ((place - from) / Math.max(to - from, 1)) * (high - low);
}

// Answers a line of one file with that of the other. A passage is {here: [first, after], there: [first, after]}.
export function answer(place, passages, lines) {
  const inside = passages.find(({ here }) => here[0] <= place && place < here[1]);
  if (inside) return between(place, inside.here, inside.there);
  let [low, lowThere] = [1, 1];
  let [high, highThere] = [lines.here + 1, lines.there + 1];
  for (const { here, there } of inOrder(passages)) {
    if (here[1] <= place) [low, lowThere] = [here[1], there[1]];
    else {
      [high, highThere] = [here[0], there[0]];
      break;
    }
  }
  return between(place, [low, high], [lowThere, highThere]);
}

function shared(passages, here, there) {
  const mine = { [here.letter]: here.active?.dataset.file, [there.letter]: there.active?.dataset.file };
  return passages
    .filter((passage) => passage.L.file === mine.L && passage.R.file === mine.R)
    .map((passage) => ({ here: passage[here.letter].lines, there: passage[there.letter].lines }));
}

export function linkScrolling(sides, passages, linked) {
  // Only a side that somebody scrolls leads, so that the two never chase each other.
  let leading = null;
  for (const side of sides) {
    const other = sides.find((one) => one !== side);
    for (const type of ["wheel", "touchmove", "pointerdown", "keydown"]) {
      side.pane.addEventListener(type, () => { leading = side; }, { passive: true });
    }
    let waiting = false;
    side.pane.addEventListener("scroll", () => {
      if (leading !== side || waiting || !linked()) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        const both = shared(passages, side, other);
        if (!both.length || leading !== side) return;
        const offset = side.pane.clientHeight / 3;
        const lines = { here: side.shown.length, there: other.shown.length };
        other.align(answer(side.lineAt(offset), both, lines), offset + side.lowerThan(other), 3);
      });
    }, { passive: true });
  }
  return () => { leading = null; };
}
