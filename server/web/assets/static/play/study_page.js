/** What playing and analysis share: the server says how a game stands, and moves are made by pointing or typing. */

import { $, GamePage, showStock } from "../boards/game_page.js";
import { el, patch, say } from "../shared/dom.js";
import { Refused, ask, untilReached } from "../shared/net.js";
import { capital } from "../shared/words.js";
import { askAbout, fromLink, newStudy } from "./link.js";
import { Pointing } from "./pointing.js";
import { grown, lineOf } from "./tree.js";
import { VariantForm } from "./variant.js";

export const DIRECTIONS = ["up", "up right", "right", "down right", "down", "down left", "left", "up left"];
const SIGNS = ["↑", "↗", "→", "↘", "↓", "↙", "←", "↖"];
const PAD = [7, 0, 1, 6, null, 2, 5, 4, 3];
const NO_TEXT = "there is no text; a position is written as the server’s rules say";

/** @typedef {import("./link.js").Study} Study */

export class StudyPage extends GamePage {
  /** @param {{name: string, sides: string[], parameters: string}[]} known the games */
  constructor(known) {
    super();
    this.known = known;
    this.turn = 0; // counts what is shown, so that an answer knows when it is out of date
    this.begun = 0; // counts games, likewise
    this.waiting = false; // for the next position: a move would be made from the one before
    /** @type {any} what is shown: a `Study`, and what a page adds */
    this.study = null;
    /** @type {any} */
    this.wanted = null; // the study that a step leads to, else the one that is shown: the next step counts from it
    /** @type {any} to the question how its position stands */
    this.answer = null;
    /** @type {?Pointing} */
    this.pointing = null;
    this.variant = new VariantForm(known);
    this.keys.Escape = () => this.pointing?.cancel();
    $("cancel").addEventListener("click", () => this.pointing.cancel());
    this.#onSubmit("typed", () => this.#type());
    this.#onSubmit("setup", () => {
      this.variant.refuse("");
      return this.beginOr(newStudy(this.variant.game, this.variant.value), (sentence) => this.variant.refuse(sentence));
    });
    this.#onSubmit("load", () => {
      say($("load-fault"), "");
      return $("text").value.trim() ? this.load($("text").value, refuseText) : refuseText(NO_TEXT);
    });
    window.addEventListener("hashchange", () => {
      if (new URLSearchParams(location.hash.slice(1)).has("game")) this.open();
      else if (this.study) this.keepLink(); // the link to the board has been followed
    });
  }

  /** What a page does on its own: each of these is another one's in a page. */
  keepLink() {} // let the address name what is shown
  tell() {} // say everything beside the board
  next() {} // go on from the position that is shown
  refused() {} // a move was refused, and the position before is shown again

  /** @returns {?Study} what the address names */
  linked() {
    return fromLink(location.hash.slice(1));
  }

  /** @returns {any} a study as a page keeps it, with the moves as the rules write them */
  settled(study, answer) {
    const isRead = study.root.next.length || !answer.moves.length; // else they come with the text of the start
    const [root, path] = isRead ? [study.root, study.path] : lineOf(answer.moves);
    return { ...study, parameters: answer.parameters, start: study.start && answer.start, root, path };
  }

  /** @returns {any} the study after a move */
  moved(study, move) {
    const [root, path] = grown(study.root, study.path, move);
    return { ...study, root, path };
  }

  /** Open what the address names, or the usual game. */
  async open() {
    const usual = newStudy(this.known[0].name);
    try {
      await this.begin(this.linked() ?? usual);
      say($("fault"), "");
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (!this.answer) await this.begin(usual);
      say($("fault"), `The link cannot be opened: ${error.message}.`);
    }
  }

  /** Show another game. Rejects with `Refused`, and leaves what was there. @param {Study} study */
  async begin(study) {
    this.begun += 1;
    const { begun } = this;
    const answer = await askAbout("play/look", study);
    if (begun !== this.begun) return false;
    this.stop();
    $("move").value = "";
    this.show(this.settled(study, answer), answer);
    this.variant.show(study.game, answer.parameters);
    return true;
  }

  /** Begin a game that somebody has asked for, or say why not. */
  async beginOr(study, refuse) {
    try {
      if (!(await this.begin(study))) return;
      say($("fault"), "");
      $("title").scrollIntoView();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refuse(error.message);
    }
  }

  /** Begin with a text, of the game that is chosen. @returns {Promise<void>} */
  load(text, refuse) {
    return this.beginOr(newStudy(this.variant.game, "", text), refuse);
  }

  /**
   * Show another position of the same game; one that cannot be is told, and changes nothing.
   * @param {any} study
   * @param {{animated?: boolean, pushed?: boolean, [more: string]: any}} [how] pushed: the board shows the last move but for its rows
   * @returns {Promise<boolean>} whether it is there
   */
  async go(study, how = {}) {
    this.stop(); // the offers were those of the position before
    const { turn } = this;
    this.waiting = true;
    const answer = await this.attempt(() => askAbout("play/look", study));
    if (turn !== this.turn) return false;
    this.waiting = false;
    if (answer) this.show(this.settled(study, answer), answer, how);
    else {
      this.refused();
      this.show(this.study, this.answer);
    }
    return Boolean(answer);
  }

  /** Make a move. @returns {Promise<boolean>} whether it was made */
  async play(move, pushed = false) {
    return !this.waiting && this.go(this.moved(this.study, move), { animated: true, pushed });
  }

  /** End what is under way: an animation, a choice, a question. */
  stop() {
    this.turn += 1;
    this.waiting = false;
    this.wanted = this.study;
    this.pointing?.stop();
    say($("fault"), "");
  }

  async show(study, answer, { animated = false, pushed = false } = {}) {
    const { turn } = this;
    const { view, motion } = answer;
    this.study = study;
    this.wanted = study;
    this.answer = answer;
    this.keepLink();
    this.tell();
    this.board?.point([]);
    await this.draw(view, pushed ? { ...motion, slides: [], placed: null } : motion, animated);
    $("main").removeAttribute("aria-busy");
    $("controls").disabled = false; // until the first position there was nothing that they could do
    this.pointing ??= new Pointing(this.board, {
      rows: (push) => this.attempt(() => askAbout("play/rows", this.study, { chosen: push })),
      move: (move, isPushed) => this.play(move, isPushed),
      say: (sentence) => this.choosing(sentence),
      chosen: (any) => {
        $("cancel").hidden = !any;
      },
    });
    if (turn === this.turn) this.next();
  }

  /** Let somebody make one of these moves. */
  offer(legal) {
    const { view, motion } = this.answer;
    this.pointing.begin(view, legal, motion);
    this.showPad(legal);
  }

  /** Let a game of arrows have its directions, of which the legal ones can be chosen. */
  showPad(legal) {
    const { view } = this.answer;
    $("pad").hidden = view.game !== "arrows";
    const keys = PAD.map((direction) => {
      if (direction === null) return el("span");
      const click = () => this.play(String(direction));
      const disabled = !legal.some(({ move }) => move === String(direction));
      return el("button", { type: "button", "aria-label": DIRECTIONS[direction], disabled, click }, SIGNS[direction]);
    });
    patch($("pad"), ...($("pad").hidden ? [] : keys));
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
      showStock(seat.querySelector(".stock"), view, side);
    });
  }

  /** @returns {string} who is to move, or how the game ended, and at the beginning the warning that comes with it */
  standing() {
    const { sides, turn, ending } = this.answer.view;
    const note = this.answer.warning && !this.study.path.length ? ` Note: ${this.answer.warning}.` : "";
    if (!ending) return `${capital(sides[turn])} to move.${note}`;
    return `${this.result(ending.winner)}: ${ending.sentence || ending.headline}.${note}`;
  }

  /** @returns {string} the result of a game, in words */
  result(winner) {
    return winner === null ? "Draw" : `${capital(this.answer.view.sides[winner])} wins`;
  }

  /** Say what to choose next; nothing where no choice has begun. */
  choosing(sentence) {
    say($("status"), sentence || this.standing());
  }

  /** Draw arrows of moves, the best first. @param {string[]} moves */
  pointAt(moves) {
    const { legal } = this.answer;
    const placesOf = (move) => legal.find((one) => one.move === move || move.startsWith(`${one.move} `))?.points ?? [];
    this.board?.point(moves.map((move, i) => ({ points: placesOf(move), rank: i + 1 })));
  }

  /** Whether somebody may move. */
  takesMoves() {
    return !this.answer.view.ending;
  }

  /** Ask, again after a restart of the server; where that is refused say so, and return nothing. */
  async attempt(asking) {
    const { turn } = this;
    const tell = (sentence) => say($("fault"), `${sentence} Your last step is kept and sent again.`);
    try {
      const answer = await untilReached(asking, tell, () => turn === this.turn);
      if (turn === this.turn) say($("fault"), "");
      return answer;
    } catch (error) {
      if (error.name === "AbortError") return null;
      if (!(error instanceof Refused)) throw error;
      say($("fault"), error.message);
      return null;
    }
  }

  async #type() {
    const move = $("move").value.trim().toLowerCase(); // as the rules of all games write moves
    if (!move || !this.takesMoves()) return;
    const legal = this.answer.legal.find((one) => one.move === move.replace(/\s*-\s*/, "-"));
    if (legal?.more) await this.pointing.take(legal);
    else if (!(await this.play(legal?.move ?? move))) return;
    $("move").value = "";
  }

  #onSubmit(id, act) {
    $(id).addEventListener("submit", (event) => {
      event.preventDefault();
      act();
    });
  }
}

/** Say why a text cannot be loaded. */
export function refuseText(sentence) {
  say($("load-fault"), sentence);
  $("text").focus();
}

/** Begin one of the pages, as soon as the server can be reached. @param {any} Page */
export async function start(Page) {
  const tell = (sentence) => say($("fault"), sentence);
  const page = new Page(await untilReached(() => ask("/api/play/games"), tell));
  await untilReached(() => page.open(), tell);
}
