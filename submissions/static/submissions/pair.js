// Moves both sides to a passage: by a click on it, from the list, or with n and p. The links work without this.

const sides = [...document.querySelectorAll("[data-side]")];
const listed = [...document.querySelectorAll(".passages [data-passage]")];
let current = 0;

const parts = (root, number) => [...root.querySelectorAll(`[data-passage="${number}"]`)];

function headHeight(side) {
  return side.querySelector("header").offsetHeight;
}

// Puts the passage's start `offset` pixels under the top of its side.
function align(side, number, offset, tries = 8) {
  const line = parts(side, number)[0]?.closest(".line");
  if (!line) return;
  const off = line.getBoundingClientRect().top - side.getBoundingClientRect().top - side.clientTop - offset;
  const before = side.scrollTop;
  side.scrollBy({ top: off, behavior: "instant" });
  // Blocks off screen have estimated heights until they are drawn: look again on the next frame.
  if (tries > 0 && Math.abs(off) > 1 && side.scrollTop !== before) {
    requestAnimationFrame(() => align(side, number, offset, tries - 1));
  }
}

// Scrolls the list alone: the page stays where somebody reads.
function showInList(row) {
  const list = row.parentElement;
  const top = row.offsetTop - list.offsetTop;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + row.offsetHeight > list.scrollTop + list.clientHeight) {
    list.scrollTop = top + row.offsetHeight - list.clientHeight;
  }
}

function choose(number) {
  for (const old of document.querySelectorAll(".current")) old.classList.remove("current");
  for (const part of parts(document, number)) part.classList.add("current");
  current = number;
  showInList(listed[number - 1]);
}

function showBoth(number) {
  for (const side of sides) align(side, number, headHeight(side) + side.clientHeight / 5);
  choose(number);
}

function follow(side, part, number) {
  const other = sides.find((one) => one !== side);
  const line = part.closest(".line");
  const [start] = parts(side, number);
  const first = start.closest(".line");
  // A passage that starts above the view is answered at its own line, one in view at the same height.
  const top = (first.getBoundingClientRect().top < side.getBoundingClientRect().top ? line : first);
  const offset = top.getBoundingClientRect().top - side.getBoundingClientRect().top - side.clientTop;
  align(other, number, Math.max(offset, headHeight(other)));
  choose(number);
}

for (const side of sides) {
  side.addEventListener("click", (event) => {
    const part = event.target.closest("[data-passage]");
    if (!part || !getSelection().isCollapsed) return;
    event.preventDefault();
    follow(side, part, Number(part.dataset.passage));
  });
}
for (const row of listed) {
  row.addEventListener("click", (event) => {
    event.preventDefault();
    showBoth(Number(row.dataset.passage));
  });
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
  const step = { n: 1, p: -1 }[event.key];
  if (!step || !listed.length) return;
  showBoth(Math.min(Math.max(current + step, 1), listed.length));
});
if (listed.length) {
  document.querySelector("[data-keys]").hidden = false;
  // The longest passage is what somebody came for, unless the address names a line.
  if (!location.hash) showBoth(1);
}
