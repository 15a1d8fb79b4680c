/** The atlas: for each board and run length who wins with perfect play, by the numbers of pieces. */

import { el, find, patch, say } from "../shared/dom.js";
import { ask, untilReached } from "../shared/net.js";
import { sentence } from "../shared/words.js";

/**
 * @typedef {{winner: ?number, plies: ?number}} Cell
 * @typedef {{size: number, run: number, rows: number[], columns: number[], cells: (?Cell)[][]}} Grid
 */

const WINNERS = ["white", "black"];

/**
 * @param {?Cell} cell
 * @param {string} path of the variant's own page
 */
function drawCell(cell, path) {
  if (!cell) return el("td", {}, el("span.unseen", {}, "not solved"));
  const [kind, words, text] =
    cell.winner === null
      ? ["draw", "draw", "="]
      : [WINNERS[cell.winner], `${WINNERS[cell.winner]} wins in ${cell.plies ?? "?"}`, String(cell.plies ?? "?")];
  return el(`td.${kind}`, {}, el("a", { href: path, "aria-label": words }, text));
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
  const body = rows.map((row, i) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, String(row)),
      ...cells[i].map((cell, j) => drawCell(cell, `/atlas/${size}/${run}/${row}/${columns[j]}`)),
    ),
  );
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
