// Blocks of lines that the page defers are text without elements. They become elements when they come near the view,
// and one after the other while the browser is idle, so that it finds text in them.

const NEAR = "1500px";
// As in `screen.py`.
const LINES_PER_BLOCK = 100;
const whenIdle = globalThis.requestIdleCallback ?? ((callback) => setTimeout(callback, 50));

// Turns a deferred block into elements. The server has escaped the text as it does that of every other block.
export function fill(block) {
  if (!block.hasAttribute("data-deferred")) return;
  block.innerHTML = block.firstElementChild.textContent;
  block.removeAttribute("data-deferred");
  block.dispatchEvent(new Event("filled", { bubbles: true }));
}

export class Blocks {
  constructor(file) {
    this.file = file;
    this.blocks = [...file.querySelectorAll(".block")];
    this.first = Number(file.dataset.first);
    this.last = Number(file.dataset.last);
  }

  // Returns the line of that number, or the nearest one that the page has; its block becomes elements.
  line(number) {
    const index = Math.min(Math.max(number, this.first), this.last) - this.first;
    const block = this.blocks[Math.floor(index / LINES_PER_BLOCK)];
    fill(block);
    return block.children[index % LINES_PER_BLOCK];
  }

  // Returns those of the lines [first, after) that are elements already.
  linesBetween(first, after) {
    const [low, high] = [Math.max(first - this.first, 0), Math.max(after - this.first, 0)];
    const blocks = this.blocks.slice(Math.floor(low / LINES_PER_BLOCK), Math.ceil(high / LINES_PER_BLOCK));
    return blocks
      .flatMap((block) => (block.hasAttribute("data-deferred") ? [] : [...block.children]))
      .filter((line) => Number(line.dataset.n) >= first && Number(line.dataset.n) < after);
  }
}

// Fills blocks of a pane that come near the view, and before the page is printed all of those that are displayed.
export function fillNear(pane) {
  const near = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      fill(target);
    }
  }, { root: pane, rootMargin: NEAR });
  for (const block of pane.querySelectorAll("[data-deferred]")) near.observe(block);
  addEventListener("beforeprint", () => {
    for (const block of pane.querySelectorAll(".file:not([hidden]) [data-deferred]")) fill(block);
  });
}

// Fills the blocks of the files that are displayed, one at a time.
export function fillWhenIdle(panes) {
  const next = () => {
    for (const pane of panes) {
      const block = pane.querySelector(".file:not([hidden]) [data-deferred]");
      if (!block) continue;
      fill(block);
      whenIdle(next);
      return;
    }
  };
  whenIdle(next);
}
