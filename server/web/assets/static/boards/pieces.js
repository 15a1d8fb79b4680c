/** How pieces look. A piece is a group placed by its `transform`; its drawing lies around (0, 0). */

import { STEP, svg } from "./svg.js";

/** @typedef {[field: string, side: number, direction: ?number]} Piece */

const ARROW = "M 0 -31 L 25 -3 L 10 -3 L 10 30 L -10 30 L -10 -3 L -25 -3 Z";

/**
 * Draw a piece of a game.
 * @param {string} game
 * @param {number} side 0 or 1
 * @param {?number} direction of an arrow, 0 up to 7 up left
 */
export function piece(game, side, direction = null) {
  const draw = { gipf: disc, morris: disc, arrows: arrow, mnk: sign }[game] ?? disc;
  const inner = svg("g", { class: "shape" }, draw(side, direction));
  return svg("g", { class: `piece side${side} of-${game}` }, [inner]);
}

/** Put a piece on a place. */
export function put(element, [, x, y]) {
  element.setAttribute("transform", `translate(${x * STEP} ${y * STEP})`);
}

/** A turned disc with grooves. */
function disc() {
  return [
    svg("circle", { cx: 0, cy: 4, r: 41, class: "shade" }),
    svg("circle", { r: 41, class: "body" }),
    svg("circle", { r: 29, class: "groove" }),
    svg("circle", { r: 15, class: "groove" }),
  ];
}

function arrow(_side, direction) {
  return [
    svg("rect", { x: -42, y: -42, width: 84, height: 84, rx: 14, class: "body" }),
    svg("path", { d: ARROW, transform: `rotate(${45 * (direction ?? 0)})`, class: "glyph" }),
  ];
}

function sign(side) {
  if (side === 1) return [svg("circle", { r: 25, class: "ring" })];
  return [svg("path", { d: "M -24 -24 L 24 24 M 24 -24 L -24 24", class: "cross" })];
}
