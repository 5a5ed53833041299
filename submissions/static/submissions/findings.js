// Displays a notice when a request for the pairs fails, from the threshold, the filter or a link of the table.

const notice = document.querySelector("[data-failed]");

function setFailed(failed) {
  return ({ detail }) => {
    if (detail.target?.id === "findings") notice.hidden = !failed;
  };
}

document.addEventListener("htmx:beforeRequest", setFailed(false));
for (const error of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) document.addEventListener(error, setFailed(true));
