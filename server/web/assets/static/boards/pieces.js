/** How pieces look: as in every picture (engine/games/boards/shapes.py). A piece is a group placed by its `transform`; its drawing lies around (0, 0). */

import { STEP, points, svg } from "./svg.js";

/** @typedef {[field: string, side: number, direction: ?number]} Piece */

const ARROW = [
  [0, -31],
  [25, -3],
  [10, -3],
  [10, 30],
  [-10, 30],
  [-10, -3],
  [-25, -3],
]; // corners of one that points up

const CROSS = [
  [-24, -24, 24, 24],
  [24, -24, -24, 24],
];

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
    svg("polygon", { points: points(ARROW), transform: `rotate(${45 * (direction ?? 0)})`, class: "glyph" }),
  ];
}

function sign(side) {
  if (side === 1) return [svg("circle", { r: 25, class: "ring" })];
  return CROSS.map(([x1, y1, x2, y2]) => svg("line", { x1, y1, x2, y2, class: "cross" }));
}
