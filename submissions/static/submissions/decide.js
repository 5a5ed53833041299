// Keys of whoever decides many pairs: 1 to 4 set the state, u opens the next undecided pair. All of it can be clicked too.

function typing(target) {
  return target instanceof Element && target.matches("input:not([type=checkbox], [type=radio]), select, textarea");
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.repeat) return;
  if (typing(event.target) || document.querySelector("dialog[open]")) return;
  const chosen = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!chosen) return;
  event.preventDefault();
  chosen.click();
});
