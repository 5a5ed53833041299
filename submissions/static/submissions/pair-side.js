// One side of a pair: its files, of which one is displayed, and the positions of their lines.

import { Blocks, fill, fillNear } from "./pair-blocks.js";

// Returns the last of `items` that begins at or above `y`, by binary search.
function lastAbove(items, y) {
  let low = 0;
  let high = items.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (items[middle].getBoundingClientRect().top <= y) low = middle;
    else high = middle - 1;
  }
  return items[low];
}

export class Side {
  constructor(pane) {
    this.pane = pane;
    this.letter = pane.dataset.side;
    this.files = [...pane.querySelectorAll("[data-file]")];
    this.choice = pane.closest(".side").querySelector("[data-files]");
    this.maps = [...pane.closest(".side").querySelectorAll("[data-map]")];
    this.notices = [...pane.closest(".side").querySelectorAll("[data-odd]")];
    this.blocks = new Map(this.files.map((file) => [file, new Blocks(file)]));
    // Increased by each `align`, so that the frames of an earlier one stop.
    this.alignment = 0;
    this.choice?.addEventListener("change", () => this.show(this.choice.value));
    fillNear(pane);
    if (this.files.length) this.show(this.files[0].dataset.file);
  }

  get active() {
    return this.files.find((file) => !file.hidden);
  }

  get map() {
    return this.maps.find((map) => map.dataset.map === this.active?.dataset.file);
  }

  // Displays the file of that name; returns whether another one was displayed before.
  show(name) {
    const before = this.active;
    this.files.forEach((file, index) => {
      const chosen = file.dataset.file === name;
      file.hidden = !chosen;
      this.maps[index].toggleAttribute("hidden", !chosen);
    });
    if (this.choice) this.choice.value = name;
    for (const notice of this.notices) notice.hidden = notice.dataset.odd !== name;
    if (before === this.active) return false;
    this.pane.scrollTop = 0;
    this.pane.dispatchEvent(new Event("scroll"));
    return true;
  }

  // The lines of the file that is displayed.
  get lines() {
    return this.blocks.get(this.active);
  }

  // Number of the first line of the file that is displayed: of a long file the page has a part only.
  get firstLine() {
    return this.lines.first;
  }

  get lastLine() {
    return this.lines.last;
  }

  // Returns the line of that number of the displayed file, or the nearest one that the page has.
  lineNumbered(number) {
    return this.lines.line(number);
  }

  blocksOf(name) {
    return this.blocks.get(this.files.find((candidate) => candidate.dataset.file === name));
  }

  // Returns those of the lines [first, after) of the file of that name that are elements already.
  linesBetween(name, [first, after]) {
    return this.blocksOf(name).linesBetween(first, after);
  }

  numberOf(line) {
    return Number(line.dataset.n);
  }

  get top() {
    return this.pane.getBoundingClientRect().top + this.pane.clientTop;
  }

  // Returns how many pixels lower than `other` this side begins; 0 if the two are not side by side.
  lowerThan(other) {
    const offset = this.top - other.top;
    return Math.abs(offset) < Math.min(this.pane.clientHeight, other.pane.clientHeight) ? offset : 0;
  }

  // Returns the distance in pixels from the top of the displayed file to one of its lines.
  depth(number) {
    return this.lineNumbered(number).getBoundingClientRect().top - this.top + this.pane.scrollTop;
  }

  // Returns the line `offset` pixels below the top, from 1, with the fraction of it that is above that.
  lineAt(offset) {
    const y = this.top + offset;
    const block = lastAbove(this.lines.blocks, y);
    fill(block);
    const line = lastAbove(block.children, y);
    const box = line.getBoundingClientRect();
    const inside = Math.min(Math.max((y - box.top) / box.height, 0), 1);
    return this.numberOf(line) + inside;
  }

  // Stops an earlier `align` that has not finished.
  stopAligning() {
    this.alignment += 1;
  }

  // Scrolls so that a line, from 1 with a fraction, is `offset` pixels below the top.
  align(line, offset, tries = 8) {
    this.stopAligning();
    this.scrollToLine(line, offset, tries, this.alignment);
  }

  scrollToLine(line, offset, tries, alignment) {
    const number = Math.min(Math.max(Math.floor(line), this.firstLine), this.lastLine);
    const box = this.lineNumbered(number).getBoundingClientRect();
    const distance = box.top + Math.min(Math.max(line - number, 0), 1) * box.height - this.top - offset;
    const before = this.pane.scrollTop;
    this.pane.scrollBy({ top: distance, behavior: "instant" });
    // Blocks outside the view have estimated heights until they are drawn: check again on the next frame.
    if (tries > 0 && Math.abs(distance) > 1 && this.pane.scrollTop !== before) {
      requestAnimationFrame(() => {
        if (alignment === this.alignment) this.scrollToLine(line, offset, tries - 1, alignment);
      });
    }
  }
}
