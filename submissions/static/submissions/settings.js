// Settings that a browser remembers. Private windows and strict settings may refuse: pages then work without them.

export function storedSetting(name) {
  try {
    return localStorage.getItem(`moss-pair-${name}`);
  } catch {
    return null;
  }
}

export function storeSetting(name, value) {
  try {
    localStorage.setItem(`moss-pair-${name}`, value);
  } catch {
    return;
  }
}

// Single keys are shortcuts unless their user switched them off: speech input may press any key.
export function isShortcut(event) {
  return !(event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) && storedSetting("keys") !== "off";
}
