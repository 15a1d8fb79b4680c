/**
 * The explorer of a solved variant: the position, what each move leads to, and perfect play step by step. The address
 * holds the moves so far.
 */

import { drawBoard } from "../boards/board.js";
import { Pointing } from "../play/pointing.js";
import { ask } from "../play/server.js";
import { el, find, patch, say } from "../shared/dom.js";
import { untilReached } from "../shared/net.js";
import { count, sentence } from "../shared/words.js";

const AGAIN_MS = 3000; // while a tablebase is being made
const STEP_MS = 900; // between two moves of a line that plays itself

/** @typedef {{move: string, result: number, plies: number}} Value */

const $ = (/** @type {string} */ id) => find(`#${id}`);
const parameters = location.pathname.split("/").slice(2).join(" ");

/** What a value is called, for the side to move. */
function worth(/** @type {number} */ result, /** @type {number} */ plies) {
  if (result === 0) return "draw";
  return `${result > 0 ? "win" : "loss"} in ${plies}`;
}

class Explorer {
  constructor() {
    /** @type {string[]} */
    this.moves = movesOfAddress();
    this.turn = 0; // counts what is shown, so that an answer knows when it is out of date
    this.running = false;
    this.board = null;
    $("first").addEventListener("click", () => this.go([]));
    $("back").addEventListener("click", () => this.go(this.moves.slice(0, -1)));
    $("best").addEventListener("click", () => this.#best());
    $("run").addEventListener("click", () => this.#run(!this.running));
    window.addEventListener("hashchange", () => this.go(movesOfAddress()));
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Show the position after these moves. @param {string[]} moves */
  async go(moves, { animated = false, pushed = false, running = false } = {}) {
    this.turn += 1;
    const { turn } = this;
    if (!running) this.#run(false);
    const question = { game: "gipf", parameters, moves };
    say($("fault"), "");
    try {
      const [answer, values] = await untilReached(
        () => Promise.all([ask("look", question), ask("values", question)]),
        (words) => say($("fault"), words),
      );
      if (turn !== this.turn) return;
      this.moves = answer.moves;
      this.answer = answer;
      this.values = values;
      await this.#show(animated, pushed);
    } catch (error) {
      this.#run(false);
      if (turn === this.turn) say($("fault"), sentence(error.message));
      if (this.board && this.answer) this.#offer();
    }
  }

  async #show(/** @type {boolean} */ animated, /** @type {boolean} */ pushed) {
    const { turn } = this;
    const { view, motion } = this.answer;
    history.replaceState(null, "", this.moves.length ? `#${this.moves.map(encodeURIComponent).join(",")}` : location.pathname);
    this.#tell();
    this.#list();
    if (!this.board) this.#draw(view);
    const left = pushed ? { ...motion, slides: [], placed: null } : motion;
    if (animated && motion) await this.board.animate(view, left);
    else this.board.show(view, motion);
    if (turn !== this.turn) return;
    this.#offer();
    if (this.values.state === "making") setTimeout(() => turn === this.turn && this.go(this.moves), AGAIN_MS);
    if (this.running && !this.#best(true)) this.#run(false);
  }

  #draw(/** @type {object} */ view) {
    this.board = drawBoard($("board"), view);
    this.pointing = new Pointing(this.board, {
      rows: (push) => ask("rows", { game: "gipf", parameters, moves: this.moves, chosen: push }).catch(() => null),
      move: (move, pushed) => this.go([...this.moves, move], { animated: true, pushed }),
      say: (words) => say($("hint"), words),
      chosen: () => {},
    });
  }

  #offer() {
    const { view, legal, motion } = this.answer;
    this.pointing.begin(view, this.running ? [] : legal, motion);
  }

  #tell() {
    const { view } = this.answer;
    const { state, result, plies } = this.values;
    const mover = view.sides[view.turn];
    const other = view.sides[1 - view.turn];
    const name = `${mover.charAt(0).toUpperCase()}${mover.slice(1)}`;
    say($("title"), `GIPF ${parameters}`);
    document.title = `GIPF ${parameters}, solved · gipf-arena`;
    say($("stock"), view.summary);
    let words = "";
    if (view.ending) words = sentence(view.ending.sentence);
    else if (state === "making") words = "This variant is being solved on the server; that takes up to some minutes.";
    else if (state !== "known") words = "Nothing is known of this position: the variant is too large for a table of it.";
    else if (result === 0) words = `${name} to move: a draw with perfect play.`;
    else words = `${name} to move: ${result > 0 ? mover : other} wins in ${count(plies, "move")}.`;
    say($("standing"), words);
    say($("hint"), "");
    say($("moves"), this.moves.map((move, ply) => `${ply + 1}. ${move}`).join("  "));
    const any = this.values.moves.length > 0;
    $("best").disabled = !any || Boolean(view.ending);
    $("run").disabled = $("best").disabled || result === 0;
    $("first").disabled = !this.moves.length;
    $("back").disabled = !this.moves.length;
    const link = new URLSearchParams({ game: "gipf", params: parameters, players: "person,person", moves: this.moves.join(",") });
    $("play").setAttribute("href", `/play#${link}`);
  }

  #list() {
    /** @type {Value[]} */
    const values = this.answer.view.ending ? [] : this.values.moves;
    $("values-title").hidden = !values.length;
    const kinds = ["loses", "draws", "wins"];
    const entries = values.map(({ move, result, plies }) =>
      el(
        "li",
        {},
        el(
          `button.value.${kinds[result + 1]}`,
          { type: "button", click: () => this.go([...this.moves, move], { animated: true }) },
          el("span.number", {}, move),
          el("span", {}, worth(result, plies)),
        ),
      ),
    );
    patch($("values"), ...entries);
  }

  /** Play the best move; tell whether there is one that comes nearer to the end. */
  #best(running = false) {
    const best = this.values?.moves[0];
    if (!best || this.answer.view.ending || (running && best.result === 0)) return false;
    const { turn } = this;
    const move = () => turn === this.turn && this.go([...this.moves, best.move], { animated: true, running });
    if (running) setTimeout(() => this.running && move(), STEP_MS);
    else move();
    return true;
  }

  /** Begin or end to let the line of perfect play go on by itself. */
  #run(/** @type {boolean} */ on) {
    if (this.running === on) return;
    this.running = on;
    say($("run"), on ? "Pause" : "Play on");
    if (on && !this.#best(true)) this.#run(false);
    else if (this.board) this.#offer();
  }

  #key(/** @type {KeyboardEvent} */ event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") this.pointing?.cancel();
    const keys = { ArrowLeft: "back", ArrowRight: "best", Home: "first" };
    const id = event.target instanceof Element && event.target.closest(".offers") ? "" : keys[event.key];
    if (id && !$(id).disabled) {
      event.preventDefault();
      $(id).click();
    }
  }
}

/** The moves that the address holds. */
function movesOfAddress() {
  const words = location.hash.slice(1);
  return words ? words.split(",").map(decodeURIComponent) : [];
}

new Explorer().go(movesOfAddress());
