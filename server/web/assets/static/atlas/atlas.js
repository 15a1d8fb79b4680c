/** The atlas: for each board and run length who wins with perfect play, by the numbers of pieces. */

import { el, find, patch, say } from "../shared/dom.js";
import { ask, untilReached } from "../shared/net.js";
import { count, inMoves, sentence } from "../shared/words.js";

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
      : [WINNERS[cell.winner], `${WINNERS[cell.winner]} wins ${inMoves(cell.plies ?? "?")}`, String(cell.plies ?? "?")];
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

/**
 * @typedef {{name: string, bytes: number, sha256: ?string}} TableFile
 * @typedef {{mine: number, theirs: number, positions: number, longest: number}} Layer
 * @typedef {{size: number, run: number, files: TableFile[], layers: Layer[]}} Table
 */

/** @param {TableFile} file */
function drawFile({ name, bytes, sha256 }) {
  if (!sha256) return el("li", {}, `${name}: is being written; reload this page in some seconds.`);
  return el(
    "li",
    {},
    el("a", { href: `/api/atlas/tables/${name}`, download: name }, name),
    ` ${size(bytes)} `,
    el("code", { "aria-label": "SHA-256" }, sha256),
  );
}

/** @param {number} bytes */
function size(bytes) {
  const tenths = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} kB` : `${(bytes / 1e6).toLocaleString("en", tenths)} MB`;
}

/** @param {Table} table */
function drawTable({ size, run, files, layers }) {
  const positions = layers.reduce((sum, layer) => sum + layer.positions, 0).toLocaleString("en");
  const longest = Math.max(...layers.map((layer) => layer.longest));
  const most = Math.max(...layers.map(({ mine, theirs }) => mine + theirs));
  const words = layers.length
    ? `${positions} positions with up to ${most} pieces; the longest game takes ${count(longest, "move")}.`
    : "All positions with up to 15 pieces a side.";
  return el(
    "li.card",
    {},
    el("h3", {}, `S = ${size}, K = ${run}`),
    el("p.quiet.small", {}, words),
    el("ul", {}, ...files.map(drawFile)),
  );
}

/** What can be downloaded; the atlas is there without it. */
async function showTables() {
  const { tables } = await ask("/api/atlas/tables").catch(() => ({ tables: [] }));
  find("#tables").hidden = !tables.length;
  patch(find("#files"), ...tables.map(drawTable));
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
showTables();
