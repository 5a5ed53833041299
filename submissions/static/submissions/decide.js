// Keyboard shortcuts for deciding pairs: 1 to 4 set the state, u opens the next undecided pair.

function isTextInput(target) {
  return target instanceof Element && target.matches("input:not([type=checkbox], [type=radio]), select, textarea");
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.repeat) return;
  if (isTextInput(event.target) || document.querySelector("dialog[open]")) return;
  const control = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!control) return;
  event.preventDefault();
  control.click();
});
