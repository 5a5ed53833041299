// Says that the pairs could not be fetched, whether the line, the filter or a link of the table asked for them.

const said = document.querySelector("[data-failed]");

function tell(is) {
  return ({ detail }) => {
    if (detail.target?.id === "findings") said.hidden = !is;
  };
}

document.addEventListener("htmx:beforeRequest", tell(false));
for (const fault of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) document.addEventListener(fault, tell(true));
