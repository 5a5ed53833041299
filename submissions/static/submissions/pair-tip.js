// Explains a passage where it is pointed at or has the focus: what was written differently, and how rare it is.

const PAUSE = 300;
const tip = document.querySelector("[data-tip]");
let timer = 0;
// The badge that has the focus: what is shown for it stays until the focus goes.
let held = null;

function says(tag, text) {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

// What a token is on either side.
function token(part, letter) {
  const line = document.createElement("p");
  const there = letter === "L" ? "right" : "left";
  line.append(says("code", part.textContent), " here, ", says("code", part.dataset.there), ` on the ${there}`);
  return line;
}

function fill(part, row, letter) {
  const head = says("p", `Passage ${row.dataset.passage}: ${row.querySelector(".size").textContent}`);
  const held = row.querySelector(".meta");
  if (held) head.append(`, ${held.textContent}`);
  const about = document.createElement("p");
  about.append(...row.querySelector(".about p").cloneNode(true).childNodes);
  head.className = "head";
  tip.replaceChildren(...(part.dataset.there ? [token(part, letter)] : []), head, about);
}

function put(part) {
  tip.hidden = false;
  const box = part.getClientRects()[0] ?? part.getBoundingClientRect();
  const own = tip.getBoundingClientRect();
  const below = box.bottom + 6;
  const top = below + own.height < innerHeight ? below : Math.max(box.top - own.height - 6, 4);
  tip.style.top = `${top}px`;
  tip.style.left = `${Math.max(Math.min(box.left, document.documentElement.clientWidth - own.width - 8), 8)}px`;
}

export function hideTip() {
  clearTimeout(timer);
  tip.hidden = true;
  held = null;
}

export function explain(side, rowOf) {
  const show = (target, pause) => {
    const part = target.closest("[data-passage]");
    if (!part) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      fill(target.closest("[data-there]") ?? part, rowOf(Number(part.dataset.passage)), side.letter);
      put(target.closest("[data-there]") ?? part);
    }, pause);
  };
  side.pane.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "touch" && !held) show(event.target, PAUSE);
  });
  side.pane.addEventListener("pointerout", () => {
    if (held) return;
    clearTimeout(timer);
    timer = setTimeout(hideTip, PAUSE);
  });
  side.pane.addEventListener("focusin", (event) => {
    if (!event.target.matches(".badge:focus-visible")) return;
    held = event.target;
    show(held, 0);
  });
  side.pane.addEventListener("focusout", hideTip);
  side.pane.addEventListener("scroll", () => {
    if (tip.hidden) return;
    if (held) put(held);
    else hideTip();
  }, { passive: true });
}

tip.addEventListener("pointerenter", () => clearTimeout(timer));
tip.addEventListener("pointerleave", () => {
  if (!held) hideTip();
});
