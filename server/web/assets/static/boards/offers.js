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

import { STEP, points, svg } from "./svg.js";

const REACH = 47;

/**
 * Draw offers.
 * @param {Offer[]} offers
 * @param {(name: string) => [string, number, number]} where [name, x, y] of a field or dot
 * @param {(offer: Offer) => void} choose
 * @returns {SVGElement[]}
 */
export function draw(offers, where, choose) {
  const elements = offers.map((offer) => {
    const element = offer.kind === "row" ? row(offer, where) : spot(offer, where(offer.name));
    for (const [key, value] of Object.entries({ role: "button", tabindex: 0, "aria-label": offer.label })) {
      element.setAttribute(key, String(value));
    }
    if (offer.chosen) element.setAttribute("aria-pressed", "true");
    element.addEventListener("click", () => choose(offer));
    element.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        choose(offer);
      } else if (event.key in STEPS) {
        const next = neighbour(element, elements, STEPS[event.key]);
        if (next) next.focus();
        event.preventDefault();
        event.stopPropagation();
      }
    });
    return element;
  });
  return elements;
}

const STEPS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

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

function spot(offer, [, x, y]) {
  const at = { cx: x * STEP, cy: y * STEP };
  return svg("g", { class: `offer ${offer.kind}${offer.chosen ? " chosen" : ""}` }, [
    svg("circle", { ...at, r: REACH, class: "reach" }),
    svg("circle", { ...at, r: 14, class: "hint" }),
  ]);
}

function row(offer, where) {
  const line = points(offer.fields.map(where).map(([, x, y]) => [x * STEP, y * STEP]));
  return svg("g", { class: `offer row${offer.chosen ? " chosen" : ""}` }, [
    svg("polyline", { points: line, class: "reach" }),
    svg("polyline", { points: line, class: "hint" }),
  ]);
}
