// Asks the learning platform that opened this page, in a frame or a window, to close it: LTI's message.

const opener = window.opener ?? (window.parent === window ? null : window.parent);

for (const button of document.querySelectorAll("[data-close-frame]")) {
  button.hidden = opener === null;
  button.addEventListener("click", () => opener.postMessage({ subject: "org.imsglobal.lti.close" }, "*"));
}
