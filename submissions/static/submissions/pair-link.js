// Linked scrolling: scrolling one side moves the other to the corresponding line, computed from the passages.

// Returns the chain of passages in the same order on both sides that has the most lines, to interpolate between.
function longestChain(passages) {
  const sorted = passages.toSorted((a, b) => a.here[0] - b.here[0]);
  const best = sorted.map((passage) => ({ lines: passage.here[1] - passage.here[0], previous: -1 }));
  sorted.forEach((passage, index) => {
    const ownLines = best[index].lines;
    for (let earlier = 0; earlier < index; earlier += 1) {
      const follows = sorted[earlier].here[1] <= passage.here[0] && sorted[earlier].there[1] <= passage.there[0];
      if (follows && best[earlier].lines + ownLines > best[index].lines) {
        best[index] = { lines: best[earlier].lines + ownLines, previous: earlier };
      }
    }
  });
  const chain = [];
  let last = best.reduce((most, { lines }, index) => (lines > (best[most]?.lines ?? -1) ? index : most), -1);
  for (; last >= 0; last = best[last].previous) chain.unshift(sorted[last]);
  return chain;
}

function interpolate(line, [from, to], [low, high]) {
  return low + ((line - from) / Math.max(to - from, 1)) * (high - low);
}

// Returns the line of the other file that corresponds to `line`, both from 1 with fractions. A passage is
// {here: [first, after], there: [first, after]}; `lines` has the number of lines of both files.
export function correspondingLine(line, passages, lines) {
  const inside = passages.find(({ here }) => here[0] <= line && line < here[1]);
  if (inside) return interpolate(line, inside.here, inside.there);
  let [low, lowThere] = [1, 1];
  let [high, highThere] = [lines.here + 1, lines.there + 1];
  for (const { here, there } of longestChain(passages)) {
    if (here[1] <= line) [low, lowThere] = [here[1], there[1]];
    else {
      [high, highThere] = [here[0], there[0]];
      break;
    }
  }
  return interpolate(line, [low, high], [lowThere, highThere]);
}

// Returns the passages between the two files that are displayed, as `correspondingLine` expects them.
function visiblePassages(passages, here, there) {
  const files = { [here.letter]: here.active?.dataset.file, [there.letter]: there.active?.dataset.file };
  return passages
    .filter((passage) => passage.L.file === files.L && passage.R.file === files.R)
    .map((passage) => ({ here: passage[here.letter].lines, there: passage[there.letter].lines }));
}

export function linkScrolling(sides, passages, linked) {
  // Only the side that the user scrolls leads; otherwise each side would follow the other endlessly.
  let leading = null;
  // Moves the other side to what corresponds to the line that is `offset` pixels below the top of `side`, if passages tell.
  const follow = (side, line, offset) => {
    const other = sides.find((candidate) => candidate !== side);
    const visible = visiblePassages(passages, side, other);
    const lines = { here: side.lastLine, there: other.lastLine };
    if (visible.length) other.align(correspondingLine(line, visible, lines), offset + side.lowerThan(other), 3);
  };
  for (const side of sides) {
    for (const type of ["wheel", "touchmove", "pointerdown", "keydown"]) {
      side.pane.addEventListener(type, () => { leading = side; }, { passive: true });
    }
    let waiting = false;
    side.pane.addEventListener("scroll", () => {
      if (leading !== side || waiting || !linked()) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        const offset = side.pane.clientHeight / 3;
        if (leading === side) follow(side, side.lineAt(offset), offset);
      });
    }, { passive: true });
  }
  return { follow, stop: () => { leading = null; } };
}
