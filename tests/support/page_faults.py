"""Faults of a page that eyes would see: text that is cut off or leaves its box, controls over others."""

from playwright.sync_api import Page

FAULTS = r"""() => {
  const visible = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const shown = (element) => {
    let around = element.parentElement;
    while (around !== document.body && !/auto|scroll/.test(getComputedStyle(around).overflowY))
      around = around.parentElement;
    const view = around.getBoundingClientRect();
    return (box) => around === document.body || (box.top >= view.top - 1 && box.bottom <= view.bottom + 1);
  };
  const where = (element) => `${element.tagName.toLowerCase()}.${element.className}`;
  const elements = [...document.querySelectorAll("body *:not(svg, svg *)")].filter(visible);
  const pen = document.createElement("canvas").getContext("2d");
  const faults = [];
  const check = (fault, element, text, width) => {
    if (width > element.clientWidth + 1) faults.push(`${fault}: ${where(element)} ${text.slice(0, 60)}`);
  };
  const written = (element, style, text) => {
    pen.font = style.font;
    return pen.measureText(text).width + parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
  };
  for (const element of elements) {
    const style = getComputedStyle(element);
    const text = (element.innerText || "").trim();
    if (element.clientWidth < 2 || element.closest(".aside-text") || style.display === "inline") continue;
    if (element.matches("option")) check("cut choice", element, text, element.scrollWidth);
    else if (element.matches("select:not([multiple])")) {
      const chosen = element.selectedOptions[0]?.text || "";
      check("cut choice", element, chosen, written(element, style, chosen));
    } else if (element.matches("input[placeholder]") && !element.value)
      check("cut example", element, element.placeholder, written(element, style, element.placeholder));
    else if (text && ["hidden", "clip"].includes(style.overflowX))
      check("cut text", element, text, element.scrollWidth);
    else if (text && !element.children.length && style.overflowX === "visible")
      check("text beside its box", element, text, element.scrollWidth);
  }
  const controls = elements.filter((one) => one.matches("a[href], button, input, select, textarea, summary"));
  const boxes = controls.map((one) => [...one.getClientRects()].filter(shown(one)));
  const meet = (a, b) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
  controls.forEach((one, at) => {
    for (let next = at + 1; next < Math.min(at + 40, controls.length); next++)
      if (!one.contains(controls[next]) && boxes[at].some((a) => boxes[next].some((b) => meet(a, b))))
        faults.push(`on top of each other: ${where(one)} ${where(controls[next])}`);
  });
  return faults;
}"""


def faults_of(page: Page) -> list[str]:
    """Return a line for each fault of the page in its present size."""
    faults: list[str] = page.evaluate(FAULTS)
    return faults
