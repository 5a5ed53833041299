// The tooltip of a passage under the pointer or with the focus: what is written differently, and how rare it is.

import { textsOf } from "./texts.js";

const text = textsOf("pair");
const DELAY = 300;  // milliseconds
const tip = document.querySelector("[data-tip]");
let timer = 0;
// The badge that has the focus: its tooltip stays until it loses the focus.
let focusedBadge = null;

function textElement(tag, content) {
  const element = document.createElement(tag);
  element.textContent = content;
  return element;
}

// Returns a paragraph with the lexemes of a differing token on both sides.
function differenceText(part, letter) {
  const paragraph = document.createElement("p");
  const lexemes = { "{here}": part.own ?? part.textContent, "{there}": part.dataset.there };
  const sentence = text(letter === "L" ? "on_right" : "on_left", { here: "{here}", there: "{there}" });
  for (const piece of sentence.split(/(\{here\}|\{there\})/)) {
    paragraph.append(piece in lexemes ? textElement("code", lexemes[piece]) : piece);
  }
  return paragraph;
}

function fillTip(part, row, letter) {
  const head = textElement("p", text("tip", { number: row.dataset.passage, size: row.querySelector(".size").textContent }));
  const frequency = row.querySelector(".meta");
  if (frequency) head.append(`, ${frequency.textContent}`);
  const about = document.createElement("p");
  about.append(...row.querySelector(".about p").cloneNode(true).childNodes);
  head.className = "head";
  const first = part.dataset.there ? [differenceText(part, letter)] : [];
  const others = part.closest("[data-others]")?.dataset.others;
  if (others) first.push(textElement("p", text(others === "1" ? "common_one" : "common_many", { n: others })));
  else if (part.matches("mark.gap")) first.push(textElement("p", text("gap")));
  tip.replaceChildren(...first, head, about);
}

function placeTip(part) {
  tip.hidden = false;
  const box = part.getClientRects()[0] ?? part.getBoundingClientRect();
  const tipBox = tip.getBoundingClientRect();
  const below = box.bottom + 6;
  const top = below + tipBox.height < innerHeight ? below : Math.max(box.top - tipBox.height - 6, 4);
  tip.style.top = `${top}px`;
  tip.style.left = `${Math.max(Math.min(box.left, document.documentElement.clientWidth - tipBox.width - 8), 8)}px`;
}

export function hideTip() {
  clearTimeout(timer);
  tip.hidden = true;
  focusedBadge = null;
}

export function listenForTips(side, rowOf) {
  const show = (target, delay) => {
    const part = target.closest("[data-passage]");
    if (!part) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      const token = target.closest("[data-there]") ?? part;
      fillTip(token, rowOf(Number(part.dataset.passage)), side.letter);
      placeTip(token);
    }, delay);
  };
  side.pane.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "touch" && !focusedBadge) show(event.target, DELAY);
  });
  side.pane.addEventListener("pointerout", () => {
    if (focusedBadge) return;
    clearTimeout(timer);
    timer = setTimeout(hideTip, DELAY);
  });
  side.pane.addEventListener("focusin", (event) => {
    if (!event.target.matches(".badge:focus-visible")) return;
    focusedBadge = event.target;
    show(focusedBadge, 0);
  });
  side.pane.addEventListener("focusout", hideTip);
  side.pane.addEventListener("scroll", () => {
    if (tip.hidden) return;
    if (focusedBadge) placeTip(focusedBadge);
    else hideTip();
  }, { passive: true });
}

tip.addEventListener("pointerenter", () => clearTimeout(timer));
tip.addEventListener("pointerleave", () => {
  if (!focusedBadge) hideTip();
});
