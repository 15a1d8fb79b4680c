/** The atlas: for each board and run length who wins with perfect play, by the numbers of pieces. */

import { el, find, patch, say } from "../shared/dom.js";
import { ask, untilReached } from "../shared/net.js";
import { sentence } from "../shared/words.js";

/**
 * @typedef {{winner: ?number, plies: ?number}} Cell
 * @typedef {{size: number, run: number, rows: number[], columns: number[], cells: (?Cell)[][]}} Grid
 */

const WINNERS = ["white", "black"];

/** @param {?Cell} cell */
function drawCell(cell) {
  if (!cell) return el("td", {}, el("span.unseen", {}, "not solved"));
  if (cell.winner === null) return el("td.draw", {}, el("span", { "aria-hidden": "true" }, "="), el("span.unseen", {}, "draw"));
  const winner = WINNERS[cell.winner];
  return el(`td.${winner}`, {}, el("span.unseen", {}, `${winner} wins in `), String(cell.plies ?? "?"));
}

/** @param {Grid} grid */
function drawGrid({ size, run, rows, columns, cells }) {
  const name = `S = ${size}, K = ${run}`;
  const head = el(
    "tr",
    {},
    el("td.corner", {}, el("span.unseen", {}, "rows GW, columns GB")),
    ...columns.map((column) => el("th", { scope: "col" }, String(column))),
  );
  const body = rows.map((row, i) => el("tr", {}, el("th", { scope: "row" }, String(row)), ...cells[i].map(drawCell)));
  return el(
    "section.card.grid",
    { "aria-label": name },
    el("h2", {}, name),
    el("table", { "aria-label": `Results for ${name}` }, el("thead", {}, head), el("tbody", {}, ...body)),
  );
}

async function show() {
  const fault = find("#fault");
  const tell = (/** @type {string} */ words) => {
    fault.hidden = !words;
    say(fault, words);
  };
  try {
    const grids = await untilReached(() => ask("/api/atlas"), tell);
    tell("");
    patch(find("#grids"), ...grids.map(drawGrid));
  } catch (error) {
    tell(sentence(error.message));
  }
}

show();
