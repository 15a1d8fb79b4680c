/** Small helpers for SVG. Lengths of views are in steps between fields; a step is drawn as STEP units. */

const SPACE = "http://www.w3.org/2000/svg";

export const STEP = 100;

/**
 * Make an SVG element.
 * @param {string} name tag name
 * @param {Object<string, string|number>} [attributes]
 * @param {Element[]} [children]
 * @returns {SVGElement}
 */
export function svg(name, attributes = {}, children = []) {
  const element = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/**
 * Make a text element; whatever the text holds is shown as it is.
 * @param {string} content
 * @param {Object<string, string|number>} attributes
 */
export function text(content, attributes) {
  const element = svg("text", attributes);
  element.textContent = content;
  return element;
}

/** Points as the attribute of a polygon or polyline, from [x, y] in units. */
export function points(places) {
  return places.map(([x, y]) => `${x},${y}`).join(" ");
}
