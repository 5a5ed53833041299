// A page that had no report yet shows the one that has become ready, unless somebody is typing or has chosen files:
// the link to it stays in any case.

function inUse() {
  const typing = document.activeElement?.matches("input, select, textarea");
  const chosen = [...document.querySelectorAll("input[type=file]")].some((input) => input.files.length > 0);
  return typing || chosen;
}

// Going back to a page that the browser kept as it was would show decisions as they were.
addEventListener("pageshow", ({ persisted }) => {
  if (persisted && !inUse()) location.reload();
});

document.addEventListener("htmx:afterSettle", () => {
  if (document.querySelector("[data-show]") && !inUse()) location.reload();
});
