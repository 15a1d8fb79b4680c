/** Small helpers for pages. Text is always set as text: whatever a name holds, it is shown and never read as markup. */

/**
 * Make an element.
 * @param {string} tag a tag name, with classes behind dots
 * @param {Object<string, string|number|boolean|Function>} [attributes] functions become listeners of the event named
 * @param {...(Node|string|null)} children
 * @returns {HTMLElement}
 */
export function el(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null) element.setAttribute(key, String(value));
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** Find an element that the page has. */
export function find(selector) {
  const element = document.querySelector(selector);
  if (!element) throw new Error(`the page has no ${selector}`);
  return element;
}

/** Set the text of an element, where it differs: a screen reader says again what is set again. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
