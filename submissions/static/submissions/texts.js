// The texts that scripts write, in the language of the page, which has them as JSON.

// Returns a function that returns a text of `script` by its name, with `values` for what is in braces.
export function textsOf(script) {
  const texts = JSON.parse(document.getElementById(`${script}-texts`).textContent);
  return (name, values = {}) => texts[name].replace(/\{(\w+)\}/g, (_whole, key) => values[key]);
}
