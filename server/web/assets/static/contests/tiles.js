/** Running games of a contest as tiles: a board, the players with their clocks, and what stands below. */

import { Board } from "../boards/board.js";
import { Clocks } from "../shared/clock.js";
import { el, matchLink, playerLink, say } from "../shared/dom.js";
import { count, gameName, reason, score } from "../shared/words.js";

/** The tiles in a container. */
export class Tiles {
  /** @param {HTMLElement} place where they stand */
  constructor(place) {
    this.place = place;
    this.tiles = new Map(); // match number -> its tile
  }

  /**
   * Show these boards, in their order.
   * @param {object[]} boards as an event of the contest tells them
   */
  show(boards) {
    const shown = new Set(boards.map(({ match }) => match.match));
    for (const [key, tile] of this.tiles) {
      if (shown.has(key)) continue;
      tile.root.remove();
      tile.clocks.set([0, 0], [false, false]);
      this.tiles.delete(key);
    }
    this.place.dataset.count = String(boards.length);
    boards.forEach((board, at) => {
      const { match } = board;
      const tile = this.tiles.get(match.match) ?? this.add(match);
      if (this.place.children[at] !== tile.root) this.place.insertBefore(tile.root, this.place.children[at] ?? null);
      if (tile.plies !== match.plies) tile.board.show(match.board);
      tile.plies = match.plies;
      tile.clocks.set(match.clocks, match.runs);
      tile.root.classList.toggle("over", Boolean(match.ending));
      say(tile.foot, match.ending ? `${score(match.ending)} · ${reason(match.ending.reason)}` : facts(board));
    });
  }

  /** Let all clocks stand, since nobody knows what they show. */
  stop() {
    for (const tile of this.tiles.values()) tile.clocks.stop();
  }

  add(match) {
    const place = matchLink(match);
    const faces = [0, 1].map(() => el("span.clock.number"));
    const sides = match.players.map((name, side) =>
      el("div.side", {}, el(`span.chip.side${side}.of-${match.game}`, { role: "img", "aria-label": match.sides[side] }), el("span.name", {}, playerLink(name)), faces[side]),
    );
    const foot = el("p.foot");
    const root = el("div.tile.card", { "data-match": match.match }, el("div.who", {}, ...sides), place, el("div.below", {}, foot));
    const tile = { root, foot, clocks: new Clocks(faces), plies: match.plies, board: new Board(place, match.board) };
    this.tiles.set(match.match, tile);
    return tile;
  }
}

function facts({ match, round }) {
  return [count(match.plies, "move"), round ? `round ${round}` : "", gameName(match.game, match.parameters)].filter(Boolean).join(" · ");
}
