/** What the pages for playing and analysis share: the board with its seats, moves that are typed, texts to copy. */

import { Board } from "../boards/board.js";
import { drawStock } from "../boards/stock.js";
import { el, find, patch, say } from "../shared/dom.js";
import { Refused, untilReached } from "../shared/net.js";
import { capital } from "../shared/words.js";
import { Pointing } from "./pointing.js";
import { ask, games } from "./server.js";

export const DIRECTIONS = ["up", "up right", "right", "down right", "down", "down left", "left", "up left"];
const SIGNS = ["↑", "↗", "→", "↘", "↓", "↙", "←", "↖"];
const PAD = [7, 0, 1, 6, null, 2, 5, 4, 3];

export const $ = (id) => find(`#${id}`);

export class BoardPage {
  /** @param {{name: string, sides: string[], parameters: string}[]} known the games */
  constructor(known) {
    this.known = known;
    this.turn = 0; // counts what is shown, so that an answer knows when it is out of date
    this.answer = null; // to the question how the position stands that is shown
    $("cancel").addEventListener("click", () => this.pointing.cancel());
    $("typed").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#type();
    });
    window.addEventListener("hashchange", () => {
      if (new URLSearchParams(location.hash.slice(1)).has("game")) this.open();
      else this.own.keepLink(); // the link to the board has been followed
    });
  }

  /**
   * The page with what it has of its own: begin, keepLink, linked, play, question, takesMoves, usual.
   * @returns {any}
   */
  get own() {
    return this;
  }

  /** Open what the address names, or the usual game. */
  async open() {
    try {
      await this.own.begin(this.own.linked() ?? this.own.usual());
      say($("fault"), "");
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (!this.answer) await this.own.begin(this.own.usual());
      say($("fault"), `The link cannot be opened: ${error.message}.`);
    }
  }

  /** Show the position of the last answer on the board. `pushed`: the board shows the last move but for its rows. */
  async draw(animated, pushed) {
    const { view, motion } = this.answer;
    if (!this.board) {
      this.board = new Board($("board"), view);
      $("controls").disabled = false; // until now there was nothing that they could do
      this.pointing = new Pointing(this.board, {
        rows: (push) => this.attempt(() => ask("rows", { ...this.own.question(), chosen: push })),
        move: (move, isPushed) => this.own.play(move, isPushed),
        say: (sentence) => say($("status"), sentence || this.standing()),
        chosen: (any) => {
          $("cancel").hidden = !any;
        },
      });
    }
    this.pointing.stop();
    this.board.point([]);
    if (animated && motion) await this.board.animate(view, pushed ? { ...motion, slides: [], placed: null } : motion);
    else this.board.show(view, motion);
  }

  /** Show both seats. @param {string[]} names what stands at them */
  showSeats(names) {
    const { view } = this.answer;
    names.forEach((name, side) => {
      const seat = $(`seat-${side}`);
      seat.classList.toggle("to-move", !view.ending && view.turn === side);
      seat.classList.toggle("won", view.ending?.winner === side);
      seat.querySelector(".chip").className = `chip of-${view.game} side${side}`;
      say(seat.querySelector(".who"), name);
      drawStock(seat.querySelector(".stock"), view, side);
    });
  }

  standing() {
    const { sides, turn, ending } = this.answer.view;
    if (!ending) return `${capital(sides[turn])} to move.`;
    const result = ending.winner === null ? "A draw" : `${capital(sides[ending.winner])} wins`;
    return `The game is over. ${result}: ${ending.sentence}.`;
  }

  /** The warning that comes with a position, as a sentence behind another one. */
  get note() {
    return this.answer.warning ? ` Note: ${this.answer.warning}.` : "";
  }

  offerDirections(legal) {
    $("pad").hidden = this.answer.view.game !== "arrows" || !legal.length;
    if ($("pad").hidden) return;
    patch(
      $("pad"),
      ...PAD.map((direction) => {
        if (direction === null) return el("span");
        const click = () => this.own.play(String(direction));
        const disabled = !legal.some(({ move }) => move === String(direction));
        return el("button", { type: "button", "aria-label": DIRECTIONS[direction], disabled, click }, SIGNS[direction]);
      }),
    );
  }

  async #type() {
    const move = $("move").value.trim();
    if (!move || !this.own.takesMoves()) return;
    const legal = this.answer.legal.find((one) => one.move === move.replace(/\s*-\s*/, "-"));
    if (legal?.more) await this.pointing.take(legal);
    else if (!(await this.own.play(legal?.move ?? move))) return;
    $("move").value = "";
  }

  /** Let buttons copy texts; an empty one where a fault is shown already. */
  offerCopies(texts) {
    for (const [id, text] of Object.entries(texts)) {
      $(id).addEventListener("click", async () => {
        const copied = await text();
        if (copied) await this.#copy(copied);
      });
    }
  }

  async #copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      say($("status"), "Copied.");
    } catch {
      $("text").value = text;
      $("text").select();
      say($("status"), "This browser does not let a page copy; the text stands in the field below, selected.");
    }
  }

  /** Ask; where that is refused say so, and return nothing. */
  async attempt(asking) {
    try {
      return await asking();
    } catch (error) {
      if (error.name === "AbortError") return null;
      if (!(error instanceof Refused)) throw error;
      say($("fault"), error.message);
      return null;
    }
  }
}

/** Begin one of the pages, as soon as the server can be reached. @param {any} Page */
export async function start(Page) {
  const tell = (sentence) => say($("fault"), sentence);
  const page = new Page(await untilReached(games, tell));
  await untilReached(() => page.open(), tell);
}
