// One side of a pair: its files, one shown at a time as tabs, and where their lines are on the screen.

// The last of `items` that begins at or above `y`, by halving.
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
    this.tabs = [...pane.closest(".side").querySelectorAll(".files a")];
    this.maps = [...pane.closest(".side").querySelectorAll("[data-map]")];
    this.odd = [...pane.closest(".side").querySelectorAll("[data-odd]")];
    this.lines = new Map();
    this.aim = 0;
    this.makeTabs();
    if (this.files.length) this.show(this.files[0].dataset.file);
  }

  makeTabs() {
    if (!this.tabs.length) return;
    const list = this.tabs[0].parentElement;
    list.setAttribute("role", "tablist");
    this.tabs.forEach((tab, at) => {
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-controls", `${this.files[at].dataset.file}-panel`);
      this.files[at].id = `${this.files[at].dataset.file}-panel`;
      this.files[at].setAttribute("role", "tabpanel");
      tab.addEventListener("click", (event) => {
        event.preventDefault();
        this.show(this.files[at].dataset.file);
      });
    });
    list.addEventListener("keydown", (event) => this.step(event));
  }

  step(event) {
    const last = this.tabs.length - 1;
    const at = this.tabs.indexOf(document.activeElement);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: last, " ": at }[event.key];
    if (next === undefined || at < 0) return;
    event.preventDefault();
    const tab = this.tabs[(next + this.tabs.length) % this.tabs.length];
    tab.focus();
    tab.click();
  }

  get active() {
    return this.files.find((file) => !file.hidden);
  }

  get map() {
    return this.maps.find((map) => map.dataset.map === this.active?.dataset.file);
  }

  // True when another file was shown before.
  show(name) {
    const before = this.active;
    this.files.forEach((file, at) => {
      const chosen = file.dataset.file === name;
      file.hidden = !chosen;
      this.maps[at].toggleAttribute("hidden", !chosen);
      if (!this.tabs.length) return;
      this.tabs[at].setAttribute("aria-selected", String(chosen));
      this.tabs[at].tabIndex = chosen ? 0 : -1;
      if (chosen && before !== file) this.tabs[at].scrollIntoView({ block: "nearest", inline: "nearest" });
    });
    for (const odd of this.odd) odd.hidden = odd.dataset.odd !== name;
    if (before === this.active) return false;
    this.pane.scrollTop = 0;
    this.pane.dispatchEvent(new Event("scroll"));
    return true;
  }

  linesOf(file) {
    if (!this.lines.has(file)) this.lines.set(file, [...file.querySelectorAll(".line")]);
    return this.lines.get(file);
  }

  // Lines of the file that is shown.
  get shown() {
    return this.linesOf(this.active);
  }

  // Lines [first, after) of the file of that name.
  part(name, [first, after]) {
    return this.linesOf(this.files.find((file) => file.dataset.file === name)).slice(first - 1, after - 1);
  }

  get top() {
    return this.pane.getBoundingClientRect().top + this.pane.clientTop;
  }

  // How much lower this side begins than another that stands beside it; 0 where that stands below or above.
  lowerThan(other) {
    const by = this.top - other.top;
    return Math.abs(by) < Math.min(this.pane.clientHeight, other.pane.clientHeight) ? by : 0;
  }

  // How far a line of the file that is shown is from its top.
  depth(number) {
    return this.shown[number - 1].getBoundingClientRect().top - this.top + this.pane.scrollTop;
  }

  // Which line is `offset` pixels under the top, from 1, with the part of it that lies above.
  lineAt(offset) {
    const y = this.top + offset;
    const block = lastAbove(this.active.querySelectorAll(".block"), y);
    const line = lastAbove(block.children, y);
    const box = line.getBoundingClientRect();
    const inside = Math.min(Math.max((y - box.top) / box.height, 0), 1);
    return this.shown.indexOf(line) + 1 + inside;
  }

  // Ends what an earlier `align` still has to do.
  stay() {
    this.aim += 1;
  }

  // Puts a line, counted from 1 with a fraction, `offset` pixels under the top.
  align(place, offset, tries = 8) {
    this.stay();
    this.moveTo(place, offset, tries, this.aim);
  }

  moveTo(place, offset, tries, aim) {
    const number = Math.min(Math.max(Math.floor(place), 1), this.shown.length);
    const box = this.shown[number - 1].getBoundingClientRect();
    const off = box.top + Math.min(Math.max(place - number, 0), 1) * box.height - this.top - offset;
    const before = this.pane.scrollTop;
    this.pane.scrollBy({ top: off, behavior: "instant" });
    // Blocks off screen have estimated heights until they are drawn: look again on the next frame.
    if (tries > 0 && Math.abs(off) > 1 && this.pane.scrollTop !== before) {
      requestAnimationFrame(() => {
        if (aim === this.aim) this.moveTo(place, offset, tries - 1, aim);
      });
    }
  }
}
