/** The review of a match that is over: the server makes it in parts, and the last moves come first. */

import { $, chip } from "../boards/game_page.js";
import { el, patch, say } from "../shared/dom.js";
import { ask } from "../shared/net.js";
import { capital, count, evaluation, moveText } from "../shared/words.js";

const PARTS_AT_ONCE = 10; // of a long match; the reader may want more

/** @typedef {{score?: number, result?: number, plies?: number, depth?: number}} Worth for the side that moves */
/**
 * @typedef {{ply: number, best: ?string, worth: ?Worth, best_worth: ?Worth, line: string[], loss: ?number,
 *   marks: string[]}} Judged
 */

export class Review {
  /**
   * @param {(before: number) => [string, RequestInit]} asking where and how the part before a move is asked for
   * @param {number} plies moves of the match
   */
  constructor(asking, plies) {
    this.asking = asking;
    this.plies = plies;
    this.first = plies + 1; // of the moves that are reviewed
    /** @type {Judged[]} by their numbers */
    this.moves = [];
  }

  /** Ask for some parts more; `told` is called after each. */
  async go(told) {
    for (let part = 0; part < PARTS_AT_ONCE && this.first > 1; part += 1) {
      const { first, moves } = await ask(...this.asking(this.first));
      for (const judged of moves) this.moves[judged.ply] = judged;
      this.first = first;
      told();
    }
  }

  /**
   * The value of each position for the side that began, null where it is not known.
   * @param {import("./match_state.js").MatchState} state
   */
  values(state) {
    const values = Array(this.plies + 1).fill(null);
    for (const { ply, worth, best_worth: bestWorth } of this.moves.filter(Boolean)) {
      const sign = state.mover(ply) ? -1 : 1;
      values[ply] = forFirst(worth, sign);
      values[ply - 1] ??= forFirst(bestWorth, sign);
    }
    return values;
  }

  get mistakes() {
    return this.moves.filter((judged) => judged?.marks.length).map(({ ply }) => ply);
  }

  /** The mistake after or before a position, beginning again at the other end; null where there is none. */
  beside(ply, step) {
    const found = this.mistakes;
    if (step > 0) return found.find((other) => other > ply) ?? found[0] ?? null;
    return found.findLast((other) => other < ply) ?? found.at(-1) ?? null;
  }
}

/**
 * The value of each position as the player who moved noted it, for the side that began; null where none did.
 * @param {import("./match_state.js").MatchState} state
 */
export function notedValues(state) {
  const values = Array(state.plies + 1).fill(null);
  for (const { ply, side, score, depth } of state.notes) {
    if (score !== undefined && ply <= state.plies) values[ply] = forFirst({ score, depth }, side ? -1 : 1);
  }
  return values;
}

/** A worth for the side that began the game, as graphs show it. */
function forFirst(worth, sign) {
  if (!worth) return null;
  const { score = 0, depth = 0, result, plies } = worth;
  return { score: sign * score, depth, win: result ? sign * result * (plies ?? Infinity) : null, isDraw: result === 0 };
}

/** What is said of a move of a side, as parts of a paragraph; null where nothing is known of it. */
export function judgement(judged, move, side, { game, sides }) {
  if (!judged) return null;
  const { best, worth, best_worth: bestWorth, line, marks } = judged;
  const title = marks.length ? el("strong.bad", {}, `${capital(marks.join(", "))}:`) : el("strong", {}, "Engine:");
  if (!best || !worth || !bestWorth) return [title, " there are too many moves here to look at them all."];
  const said = (one, known) => `${moveText(game, one)}: ${known}`;
  const value = (one) => valueInWords(forFirst(one, side ? -1 : 1), sides);
  const after = line.length > 1 ? el("span.pv", {}, line.map((one) => moveText(game, one)).join(", ")) : null;
  if (best === move) return [title, ` ${said(move, `the best move, ${value(worth)}`)}. `, after];
  return [title, ` ${said(move, value(worth))}; better ${said(best, value(bestWorth))}. `, after];
}

/** An evaluation, with the depth of the search that found it. */
export function valueInWords(value, sides) {
  const said = evaluation(value, sides);
  return value.depth && value.win === null ? `${said} (depth ${value.depth})` : said;
}

/**
 * Draw the list of mistakes, and how far the review has come.
 * @param {Review} review
 * @param {import("./match_state.js").MatchState} state
 * @param {number} ply the position shown
 * @param {(ply: number) => void} go
 */
export function drawReview(review, state, ply, go) {
  const { mistakes, first, plies } = review;
  const { players, start } = state.info;
  const { ending } = state.now;
  $("review").hidden = first > plies;
  const what = first === 1 ? "All moves were reviewed" : `Moves ${first} to ${plies} were reviewed`;
  say($("reviewed"), `${what}: ${mistakes.length ? count(mistakes.length, "mistake") : "no mistake was found"}.`);
  for (const id of ["mistake-before", "mistake-after"]) $(id).hidden = mistakes.length === 0;
  const isLost = (side) => [0, 1].includes(ending?.winner) && side !== ending.winner;
  const last = mistakes.findLast((one) => isLost(state.mover(one)));
  const items = mistakes.map((one) => {
    const side = state.mover(one);
    const whose = one === last ? `, the last mistake of ${players[side]}, who lost` : "";
    const button = el(
      "button",
      { type: "button", click: () => go(one), "aria-current": one === ply ? "true" : null },
      chip(start.game, side, state.sides[side]),
      el("span.move", {}, `${one}. ${moveText(start.game, state.steps[one - 1][0])}`),
      el("span.small", {}, review.moves[one].marks.join(", ") + whose),
    );
    return el("li", { "data-key": one }, button);
  });
  patch($("mistakes"), ...items);
}
