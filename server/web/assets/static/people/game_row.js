/** A game that was played as a row of a table, as the search and the page of a player show it. */

import { el, playerLink } from "../shared/dom.js";
import { gameName, reason, score } from "../shared/words.js";

/**
 * @typedef {object} Game
 * @property {number} match
 * @property {string} game
 * @property {string} parameters
 * @property {string[]} players
 * @property {?number} winner
 * @property {string} result
 * @property {string} reason
 * @property {number} plies
 * @property {string} started
 * @property {number[]} used
 * @property {?number} contest
 * @property {?number} round
 */

/**
 * @param {Game} game
 * @returns {HTMLElement}
 */
export function gameRow(game) {
  const [first, second] = game.players.map((name, side) =>
    el(game.winner === side ? "strong.seated" : "span.seated", {}, el(`span.chip.side${side}.of-${game.game}`), playerLink(name)),
  );
  return el(
    "tr",
    { "data-key": game.match },
    el("td.number", {}, el("a", { href: `/match/${game.match}` }, `${game.match}`)),
    el("td", {}, first, el("span.quiet", {}, " – "), second),
    el("td.score.number", {}, score({ winner: game.winner, result: game.result })),
    el("td.extra.small.kind", {}, gameName(game.game, game.parameters)),
    el("td.extra.small.quiet", {}, reason(game.reason)),
    el("td.extra.small.number", {}, `${game.plies}`),
    el("td.extra.small", {}, contest(game)),
    el("td.extra.small.quiet.date", {}, game.started.slice(0, 16).replace("T", " ")),
  );
}

function contest(game) {
  return game.contest === null ? null : el("a", { href: `/contest/${game.contest}` }, `${game.contest}, round ${game.round}`);
}

/**
 * What to say of an index that has not got every record; empty where it has.
 * @param {{games: number, left: number, unreadable: number, complete: boolean}} index
 * @returns {string}
 */
export function behind(index) {
  if (index.complete) return "";
  return `Records are still being read; games known so far: ${index.games.toLocaleString("en")}.`;
}
