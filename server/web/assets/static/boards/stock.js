/** What a side has beside the board: pieces in reserve as small discs, and a count of those it has lost. */

import { patch } from "../shared/dom.js";
import { piece } from "./pieces.js";
import { svg } from "./svg.js";

const MOST_DRAWN = 18;
const APART = 48;

/**
 * Draw the stock of a side into a container; nothing for a game without one.
 * @param {HTMLElement} container
 * @param {object} view
 * @param {number} side
 */
export function drawStock(container, view, side) {
  if (!view.stock) {
    container.replaceChildren();
    return;
  }
  const [reserve, captured] = view.stock[side];
  const drawn = Math.min(reserve, MOST_DRAWN);
  const width = 100 + APART * Math.max(0, drawn - 1);
  const row = svg("svg", { viewBox: `-50 -50 ${width} 100`, class: "reserve", "aria-hidden": "true" });
  for (let i = 0; i < drawn; i += 1) {
    const element = piece(view.game, side);
    element.setAttribute("transform", `translate(${APART * i} 0)`);
    row.append(element);
  }
  const words = document.createElement("span");
  words.textContent = `${reserve} to play, ${captured} captured by ${view.sides[1 - side]}`;
  patch(container, row, words);
}
