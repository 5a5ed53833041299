// Copies the address of a share link. If the clipboard is not accessible, selects the address instead.

import { textsOf } from "./texts.js";

const text = textsOf("copy");

for (const button of document.querySelectorAll("[data-copy]")) {
  const link = button.closest(".shared-link");
  const address = link.querySelector("input[readonly]");
  const status = link.querySelector("[data-copied]");
  button.hidden = false;
  button.addEventListener("click", async () => {
    address.select();
    try {
      await navigator.clipboard.writeText(address.value);
      status.textContent = text("copied");
    } catch {
      status.textContent = text("by_keys");
    }
  });
}
