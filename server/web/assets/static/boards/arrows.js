/** Arrows on a board that point at moves. */

import { STEP, points, svg } from "./svg.js";

const HEAD = 30; // length of an arrow's head
const BEYOND = 22; // an arrow ends before the middle of its field

/**
 * Draw arrows, and rings for moves that have one place; the last ones lie below.
 * @param {{points: string[], rank: number}[]} list
 * @param {(name: string) => ?[string, number, number]} where [name, x, y] of a field or dot
 * @returns {SVGElement[]}
 */
export function draw(list, where) {
  const drawn = list.toReversed().map(({ points: names, rank }) => {
    const places = names.map(where).filter(Boolean);
    const className = `arrow${rank === 1 ? " best" : ""}`;
    if (places.length === 1) {
      const [[, x, y]] = places;
      return svg("g", { class: className }, [svg("circle", { cx: x * STEP, cy: y * STEP, r: 36, class: "round" })]);
    }
    return places.length ? arrow(places[0], places[1], className) : null;
  });
  return drawn.filter(Boolean);
}

function arrow([, x1, y1], [, x2, y2], className) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [right, down] = [(x2 - x1) / length, (y2 - y1) / length];
  const tip = [x2 * STEP - right * BEYOND, y2 * STEP - down * BEYOND];
  const neck = [tip[0] - right * HEAD, tip[1] - down * HEAD];
  const wing = (side) => [neck[0] - down * side * HEAD * 0.75, neck[1] + right * side * HEAD * 0.75];
  return svg("g", { class: className }, [
    svg("line", { x1: x1 * STEP, y1: y1 * STEP, x2: neck[0], y2: neck[1], class: "shaft" }),
    svg("polygon", { points: points([tip, wing(1), wing(-1)]), class: "head" }),
  ]);
}
