// Reloads a page when its report is ready, or goes from an upload to its report, unless the user is typing or has
// chosen files: a link to the report is displayed in any case.

function inUse() {
  const typing = document.activeElement?.matches("input, select, textarea");
  const hasFiles = [...document.querySelectorAll("input[type=file]")].some((input) => input.files.length > 0);
  return typing || hasFiles;
}

// A page restored from the back/forward cache would show old decisions.
addEventListener("pageshow", ({ persisted }) => {
  if (persisted && !inUse()) location.reload();
});

document.addEventListener("htmx:afterSettle", () => {
  if (inUse()) return;
  const end = document.querySelector("[data-leads-to]");
  if (end) location.assign(end.dataset.leadsTo);
  else if (document.querySelector("[data-show]")) location.reload();
});
