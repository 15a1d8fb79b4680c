/** The page for playing: what is on the table, who moves next, and what the buttons do. */

import { el, patch, say } from "../shared/dom.js";
import { capital, count, gameName, inMoves, tenths } from "../shared/words.js";
import { $, BoardPage, DIRECTIONS, start } from "./board_page.js";
import { ask } from "./server.js";
import { Setup } from "./setup.js";
import { fromLink, hasPerson, PERSON, played, question, redo, seatName, strength, toLink, undo } from "./table.js";

const HINT_SEAT = "bot:1";
const HOW = {
  gipf: "Choose a dot, and then the field to push onto. A move can be typed as well, as in a5-b5.",
  arrows: "Your next arrow stands on the dashed field; choose where it points.",
  morris: "Choose a field; later a piece and where it goes; and after a mill the piece to take.",
  mnk: "Choose an empty field.",
};

class Page extends BoardPage {
  constructor(known) {
    super(known);
    this.paused = false;
    this.moving = false; // while the server is asked about a move: another one would be made from the position before
    this.setup = new Setup(known, { begin: (table) => this.begin(table) });
    this.#listen();
  }

  /**
   * Put another game on the table. Rejects with `Refused`, and leaves what was there.
   * @param {object} table as of play_table.js
   */
  async begin(table) {
    const answer = await ask("look", question(table));
    this.#stop();
    $("move").value = "";
    // a text may hold moves of its own; afterwards they are moves like others
    this.paused = !hasPerson(table) && answer.moves.length > 0;
    this.#show({ ...table, parameters: answer.parameters, moves: answer.moves, start: table.start && answer.start }, answer);
    this.setup.fill(this.table);
  }

  /**
   * Put the same game on the table with other moves; what cannot be is told, and changes nothing.
   * @returns {Promise<boolean>} whether it is there
   */
  async go(table, { animated = false, pushed = false, pause = this.paused, thought = "" } = {}) {
    this.turn += 1;
    const { turn } = this;
    this.#say("fault", "");
    const answer = await this.attempt(() => ask("look", question(table)));
    if (turn !== this.turn) return false;
    if (!answer) {
      this.board.show(this.answer.view, this.answer.motion);
      this.#wait();
      this.#next();
      return false;
    }
    this.#stop();
    this.paused = pause;
    this.#say("thought", thought);
    this.#show({ ...table, moves: answer.moves }, answer, animated, pushed);
    return true;
  }

  /** @param {boolean} pushed whether the board shows the last move already, but for the rows that it takes */
  async #show(table, answer, animated = false, pushed = false) {
    const turn = this.turn;
    this.table = table;
    this.answer = answer;
    this.keepLink();
    this.#tell();
    await this.draw(animated, pushed);
    if (turn === this.turn) this.#next();
  }

  usual() {
    return { game: this.known[0].name, parameters: undefined, start: "", moves: [], undone: [], seats: [PERSON, HINT_SEAT] };
  }

  linked() {
    return fromLink(location.hash.slice(1));
  }

  question() {
    return question(this.table);
  }

  /** Let the address name the game. */
  keepLink() {
    history.replaceState(null, "", `#${toLink(this.table)}`);
  }

  /** Let whoever is to move do so. */
  #next() {
    const { view, legal, motion } = this.answer;
    if (view.ending) return;
    if (this.#isBot() && !this.paused) {
      this.#letBotMove();
      return;
    }
    const offered = this.#isBot() ? [] : legal;
    this.pointing.begin(view, offered, motion);
    this.offerDirections(offered);
    if (!this.table.moves.length && offered.length) this.#say("thought", HOW[view.game] ?? "");
  }

  async play(move, pushed = false) {
    if (this.moving) return false;
    this.moving = true;
    try {
      return await this.go(played(this.table, move), { animated: true, pushed });
    } finally {
      this.moving = false;
    }
  }

  async #letBotMove() {
    const advice = await this.#think(this.table.seats[this.answer.view.turn]);
    if (advice) await this.go(played(this.table, advice.move), { animated: true, thought: this.#found(advice) });
  }

  /** Ask the bot; nothing where something else has happened meanwhile, or it cannot answer. */
  async #think(seat) {
    this.thinking?.abort();
    const thinking = new AbortController();
    this.thinking = thinking;
    const turn = this.turn;
    this.#say("thought", "The bot is thinking …");
    document.body.classList.add("thinking");
    const advice = await this.attempt(() => ask("think", { ...question(this.table), ...strength(seat) }, thinking.signal));
    if (this.thinking === thinking) document.body.classList.remove("thinking");
    if (turn !== this.turn || thinking.signal.aborted) return null;
    this.#say("thought", advice ? this.#found(advice) : "");
    if (!advice) this.#wait();
    return advice;
  }

  #found({ depth, score, plies_to_end: plies, nodes, seconds, is_known: known }) {
    const { sides, turn } = this.answer.view;
    if (score === null && nodes === 0) return "The bot moved at random, as its level does now and then.";
    if (score === null) return `The bot had no time to search in ${tenths(seconds)} s.`;
    const value = `${score > 0 ? "+" : ""}${score}`;
    if (plies === null && known) return "The bot knows that best play draws.";
    if (plies === null) return `The bot looked ${count(depth, "move")} ahead in ${tenths(seconds)} s; value ${value}.`;
    return `The bot sees ${sides[plies > 0 ? turn : 1 - turn]} win ${inMoves(Math.abs(plies))}.`;
  }

  /** End what is under way: a thought, an animation, a choice. */
  #stop() {
    this.turn += 1;
    this.thinking?.abort();
    document.body.classList.remove("thinking");
    this.#say("thought", "");
    this.#say("fault", "");
    this.pointing?.stop();
    $("pad").hidden = true;
  }

  /** Let a bot that is to move wait for somebody to say go on. */
  #wait() {
    this.paused ||= this.#isBot();
    this.#buttons();
  }

  /** Whether somebody may move: a person's turn, or a bot's that waits. */
  takesMoves() {
    return !this.answer.view.ending && (this.paused || !this.#isBot());
  }

  #isBot() {
    return this.table.seats[this.answer.view.turn] !== PERSON;
  }

  /** Say everything beside the board. */
  #tell() {
    const { view, motion } = this.answer;
    const { sides } = view;
    const last = motion ? `${capital(sides[motion.side])} played ${this.#named(motion.move)}. ` : "";
    this.#say("status", last + this.standing() + (motion ? "" : this.note));
    say($("title"), gameName(view.game, view.parameters));
    document.title = `Play ${gameName(view.game)} · gipf-arena`;
    this.showSeats(sides.map((name, side) => `${capital(name)}: ${seatName(this.table.seats[side])}`));
    const before = $("moves").childElementCount;
    patch($("moves"), ...this.answer.moves.map((move, i) => this.#move(move, i)));
    if ($("moves").childElementCount !== before) $("moves").scrollTop = $("moves").scrollHeight;
    this.#buttons();
  }

  #named(move) {
    return this.table.game === "arrows" ? DIRECTIONS[Number(move)] : move;
  }

  #move(move, i) {
    const last = i === this.answer.moves.length - 1;
    return el("li", { "aria-current": last ? "step" : null }, this.#named(move));
  }

  #buttons() {
    const { view } = this.answer;
    const bots = !hasPerson(this.table);
    $("undo").disabled = !undo(this.table, view.turn);
    $("redo").disabled = !redo(this.table, view.turn);
    $("hint").disabled = Boolean(view.ending) || this.#isBot();
    const stopped = this.paused && this.#isBot() && !view.ending;
    $("pause").hidden = !bots && !stopped;
    $("step").hidden = $("pause").hidden;
    $("pause").disabled = Boolean(view.ending);
    $("step").disabled = Boolean(view.ending);
    $("pause").textContent = this.paused ? "Go on" : "Pause";
    $("typed").querySelector("button").disabled = !this.takesMoves();
  }

  #listen() {
    $("undo").addEventListener("click", () => this.#jump(undo(this.table, this.answer.view.turn)));
    $("redo").addEventListener("click", () => this.#jump(redo(this.table, this.answer.view.turn)));
    $("hint").addEventListener("click", async () => {
      const advice = await this.#think(this.table.seats.find((seat) => seat.startsWith("bot:")) ?? HINT_SEAT);
      if (advice) this.#say("thought", `Hint: ${this.#named(advice.move)}. ${this.#found(advice)}`);
    });
    $("pause").addEventListener("click", () => this.go(this.table, { pause: !this.paused }));
    $("step").addEventListener("click", async () => {
      this.#stop();
      this.paused = true;
      this.#buttons();
      await this.#letBotMove();
    });
    this.offerCopies({
      "copy-link": () => location.href,
      "copy-moves": () => this.answer.moves.join("\n"),
      "copy-game": () => this.answer.text,
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.pointing?.cancel();
    });
  }

  async #jump(table) {
    if (table) await this.go(table, { pause: !hasPerson(table) });
  }

  #say(id, sentence) {
    say($(id), sentence);
  }
}

await start(Page);
