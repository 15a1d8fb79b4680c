/**
 * The explorer of a solved variant: the position, what each move leads to, and perfect play step by step. The address
 * holds the moves so far.
 */

import { Board } from "../boards/board.js";
import { Pointing } from "../play/pointing.js";
import { ask } from "../play/server.js";
import { el, find, patch, say } from "../shared/dom.js";
import { untilReached } from "../shared/net.js";
import { count, inMoves, sentence } from "../shared/words.js";

const AGAIN_MS = 3000; // while a tablebase is being made
const STEP_MS = 900; // between two moves of a line that plays itself

const FROM = "from "; // what the position in an address begins with

/** @typedef {{move: string, result: number, plies: number}} Value */

const $ = (/** @type {string} */ id) => find(`#${id}`);
const parameters = location.pathname.split("/").slice(2).join(" ");

/** What a value is called, for the side to move. */
function worth(/** @type {number} */ result, /** @type {number} */ plies) {
  if (result === 0) return "draw";
  return result > 0 ? `win in ${plies}` : `loss in ${plies}`;
}

class Explorer {
  constructor() {
    /** @type {string[]} */
    this.moves = movesOfAddress();
    this.start = startOfAddress();
    this.turn = 0; // counts what is shown, so that an answer knows when it is out of date
    this.running = false;
    this.board = null;
    $("first").addEventListener("click", () => this.#from("", []));
    $("back").addEventListener("click", () => this.go(this.moves.slice(0, -1)));
    $("best").addEventListener("click", () => this.#best());
    $("run").addEventListener("click", () => this.#run(!this.running));
    $("longest-win").addEventListener("click", () => this.#from(this.longest));
    window.addEventListener("hashchange", () => this.#from(startOfAddress(), movesOfAddress()));
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Show the position after these moves. @param {string[]} moves */
  async go(moves, { animated = false, pushed = false, running = false } = {}) {
    this.turn += 1;
    const { turn } = this;
    if (!running) this.#run(false);
    const question = { ...this.#variant(), moves };
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
    document.querySelector(".side")?.classList.toggle("unknown", !this.answer); // nothing can be chosen
  }

  /** The variant, or the position from which it goes on, as questions have it. */
  #variant() {
    return this.start ? { game: "gipf", start: this.start } : { game: "gipf", parameters };
  }

  /** Go on from a position as text, or from the start of the variant where it is empty. */
  #from(/** @type {string} */ start, /** @type {string[]} */ moves = []) {
    this.start = start;
    return this.go(moves);
  }

  /** Ask for the longest win of the variant, once all its positions are known. */
  async #askForLongest() {
    if (this.longest !== undefined || this.values.state !== "known") return;
    this.longest = "";
    const { start, plies } = await ask("longest", { game: "gipf", parameters }).catch(() => ({ start: null, plies: 0 }));
    if (!start) return;
    this.longest = start;
    say($("longest-win"), `Longest win: ${count(plies, "move")}`);
    $("longest").hidden = false;
  }

  async #show(/** @type {boolean} */ animated, /** @type {boolean} */ pushed) {
    const { turn } = this;
    const { view, motion } = this.answer;
    history.replaceState(null, "", addressOf(this.start, this.moves));
    this.#tell();
    this.#askForLongest();
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
    this.board = new Board($("board"), view);
    this.pointing = new Pointing(this.board, {
      rows: (push) => ask("rows", { ...this.#variant(), moves: this.moves, chosen: push }).catch(() => null),
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
    else if (state === "failed")
      words = "The server could not solve this variant; its disk may be full. Load this page again to have it tried again.";
    else if (state === "later")
      words = "This variant is not solved yet, and four were solved for your address in the last hour; come back later.";
    else if (state !== "known") words = "Nothing is known of this position: the variant is too large for a table of it.";
    else if (result === 0) words = `${name} to move: a draw with perfect play.`;
    else words = `${name} to move: ${result > 0 ? mover : other} wins ${inMoves(plies)}.`;
    say($("standing"), words);
    say($("hint"), "");
    say($("moves"), this.moves.map((move, ply) => `${ply + 1}. ${move}`).join("  "));
    const any = this.values.moves.length > 0;
    $("best").disabled = !any || Boolean(view.ending);
    $("run").disabled = $("best").disabled || result === 0;
    $("first").disabled = !this.moves.length && !this.start;
    $("back").disabled = !this.moves.length;
    const from = this.start ? { start: this.start } : { params: parameters };
    const link = new URLSearchParams({ game: "gipf", ...from, players: "person,person", moves: this.moves.join(",") });
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

/** The words that the address holds: the position that play begins from, if it is not the variant's own, and moves. */
function wordsOfAddress() {
  const words = location.hash.slice(1);
  return words ? words.split(",").map(decodeURIComponent) : [];
}

function movesOfAddress() {
  return wordsOfAddress().filter((word) => !word.startsWith(FROM));
}

function startOfAddress() {
  const word = wordsOfAddress().find((one) => one.startsWith(FROM));
  return word ? word.slice(FROM.length) : "";
}

function addressOf(/** @type {string} */ start, /** @type {string[]} */ moves) {
  const words = [...(start ? [FROM + start] : []), ...moves].map(encodeURIComponent);
  return words.length ? `#${words.join(",")}` : location.pathname;
}

new Explorer().go(movesOfAddress());
