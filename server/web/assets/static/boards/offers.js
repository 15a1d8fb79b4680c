/**
 * What can be chosen on a board: fields, dots and rows that react to mouse, touch and keyboard.
 *
 * @typedef {object} Offer
 * @property {"field"|"dot"|"row"} kind
 * @property {string} [name] of the field or dot
 * @property {string[]} [fields] of a row, from end to end
 * @property {string} label what a screen reader says
 * @property {boolean} [chosen] drawn as taken up already
 */

import { svg } from "../shared/dom.js";

const STEPS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

/**
 * Draw offers.
 * @param {Offer[]} offers
 * @param {(name: string) => [number, number]} where the place of a field or dot
 * @param {(offer: Offer) => void} choose
 * @returns {SVGElement[]}
 */
export function draw(offers, where, choose) {
  const elements = offers.map((offer, i) => {
    const label = { role: "button", tabindex: 0, "aria-label": offer.label, ...(offer.chosen && { "aria-pressed": "true" }) };
    const element = svg("g", { class: `offer ${offer.kind} hue${i % 3}${offer.chosen ? " chosen" : ""}`, ...label }, ...shapes(offer, where));
    element.addEventListener("click", () => choose(offer));
    element.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") choose(offer);
      else if (event.key in STEPS) neighbour(element, elements, STEPS[event.key])?.focus();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    return element;
  });
  return elements;
}

/** What reacts to a pointer, and what shows that it does. @param {Offer} offer @param {(name: string) => [number, number]} where */
function shapes({ kind, name, fields }, where) {
  if (kind === "row") {
    const points = fields.map((field) => where(field).join()).join(" ");
    return ["reach", "hint"].map((part) => svg("polyline", { points, class: part }));
  }
  const [cx, cy] = where(name);
  return [svg("circle", { cx, cy, r: 47, class: "reach" }), svg("circle", { cx, cy, r: 14, class: "hint" })];
}

/** Find the element that lies nearest in a direction; one straight ahead counts as nearer than one aside. */
function neighbour(from, elements, [right, down]) {
  const centre = (element) => {
    const box = element.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const [x, y] = centre(from);
  let best = null;
  let least = Infinity;
  for (const element of elements) {
    const [dx, dy] = centre(element).map((value, i) => value - [x, y][i]);
    const ahead = dx * right + dy * down;
    const aside = Math.abs(dx * down) + Math.abs(dy * right);
    if (ahead > 1 && ahead + 2 * aside < least) [best, least] = [element, ahead + 2 * aside];
  }
  return best;
}
