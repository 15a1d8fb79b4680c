/** The page for playing: who plays, who moves next, and what the buttons do. */

import { $ } from "../boards/game_page.js";
import { el, find, patch, say } from "../shared/dom.js";
import { store, stored } from "../shared/storage.js";
import { capital, count, evaluation, gameName, levels, removal, scale, tenths } from "../shared/words.js";
import { askAbout, fromLink, newStudy, toGameLink } from "./link.js";
import { DIRECTIONS, StudyPage, start } from "./study_page.js";
import { lineOf, mainEnd, movesOf } from "./tree.js";

const PERSON = "person"; // a seat: a person; bot:SECONDS; or level:NUMBER, a bot of that level
const USUAL_BOT = "bot:1"; // which gives hints
const FIRST_OPPONENT = "level:2";
const MAX_LEVEL = levels.length;
const MAX_SECONDS = 10; // that a bot of a level may take, which most never need
const LEVELS = Array.from({ length: MAX_LEVEL - 1 }, (_, i) => `level:${i + 1}`); // the highest one is a time
const TIMES = [0.1, 0.3, 1, 3, 10].map((seconds) => `bot:${seconds}`);
const UNFINISHED = "game"; // the key under which the browser stores the link of the last game that is not over
const HOW = {
  gipf: "Choose a dot, and then the field to push onto. A move can be typed as well, as in a5-b5.",
  arrows: "Your next arrow stands on the dashed field; choose where it points.",
  morris: "Choose a field; later a piece and where it goes; and after a mill the piece to take.",
  mnk: "Choose an empty field.",
};

class Page extends StudyPage {
  constructor(known) {
    super(known);
    this.paused = false;
    $("game").addEventListener("change", () => this.#offerSeats(this.#chosen));
    $("swap").addEventListener("click", () => this.#offerSeats(this.#chosen.toReversed()));
    $("undo").addEventListener("click", () => this.#jump(this.#undo()));
    $("redo").addEventListener("click", () => this.#jump(this.#redo()));
    $("hint").addEventListener("click", async () => {
      const advice = await this.#think(this.study.seats.find((seat) => seat.startsWith("bot:")) ?? USUAL_BOT);
      if (!advice) return;
      const isSearched = advice.score !== null; // else it is any legal move
      const hint = `Hint: ${this.#named(advice.move)}. ${this.#found(advice)}`;
      say($("thought"), isSearched ? hint : "There is no hint: the bot had no time to search.");
      this.pointAt(isSearched ? [advice.move] : []);
    });
    $("again").addEventListener("click", () => {
      const { game, parameters, start: begun, seats } = this.study;
      this.beginOr({ ...newStudy(game, parameters, begun), seats }, (sentence) => say($("fault"), sentence));
    });
    $("pause").addEventListener("click", () => this.go(this.study, { pause: !this.paused }));
    $("step").addEventListener("click", async () => {
      this.stop();
      this.paused = true;
      this.#showButtons();
      await this.#letBotMove();
    });
    this.offerCopies({
      "copy-link": () => location.href,
      "copy-moves": () => this.answer.moves.join("\n"),
      "copy-game": () => this.answer.text,
    });
  }

  linked() {
    const named = location.hash.slice(1);
    const link = new URLSearchParams(named).has("game") ? named : stored(UNFINISHED);
    const study = fromLink(link);
    const players = new URLSearchParams(link).get("players") ?? `${PERSON},${FIRST_OPPONENT}`;
    const seats = [...players.split(","), PERSON, PERSON].slice(0, 2).map(seatOf);
    return study && Object.assign(study, { seats });
  }

  /** Bots that play each other wait where a game has moves already. */
  async begin(study) {
    const seats = study.seats ?? this.#chosen;
    const isThere = await super.begin({ ...study, seats });
    if (isThere) this.#offerSeats(seats);
    return isThere;
  }

  /** A game has one line; moves that were taken back stay as long as the same ones are played. */
  settled(study, answer) {
    const undone = movesOf(study.root, mainEnd(study.root, [])).slice(study.path.length);
    const [root] = lineOf([...answer.moves, ...undone]);
    return { ...super.settled(study, answer), root, path: answer.moves.map(() => 0) };
  }

  moved(study, move) {
    const moves = [...movesOf(study.root, study.path), move];
    const next = movesOf(study.root, mainEnd(study.root, study.path));
    const [root] = lineOf(next[moves.length - 1] === move ? next : moves);
    return { ...study, root, path: moves.map(() => 0) };
  }

  refused() {
    this.paused ||= this.#isBot();
  }

  async show(study, answer, how = {}) {
    const { thought = "", pause = this.paused } = /** @type {any} */ (how);
    const isNew = study.seats !== this.study?.seats;
    this.paused = isNew ? !study.seats.includes(PERSON) && answer.moves.length > 0 : pause;
    say($("thought"), answer.view.ending ? "" : thought);
    await super.show(study, answer, how);
  }

  keepLink() {
    const link = toGameLink(this.study, this.study.seats.join(","));
    history.replaceState(null, "", `#${link}`);
    store(UNFINISHED, this.study.path.length && !this.answer.view.ending ? link : "");
  }

  result(winner) {
    const persons = [0, 1].filter((side) => this.study.seats[side] === PERSON);
    if (winner === null || persons.length !== 1) return super.result(winner);
    return winner === persons[0] ? "You won" : "You lost";
  }

  choosing(sentence) {
    super.choosing(sentence);
    if (!this.study.path.length) this.#showHow(!sentence);
  }

  stop() {
    super.stop();
    this.thinking?.abort();
    document.body.classList.remove("thinking");
    say($("thought"), "");
  }

  takesMoves() {
    return super.takesMoves() && (this.paused || !this.#isBot());
  }

  /** Let the side that is to move do so. */
  next() {
    const isBot = this.#isBot();
    if (isBot && !this.paused && !this.answer.view.ending) {
      this.showPad([]);
      this.#letBotMove();
      return;
    }
    const legal = isBot ? [] : this.answer.legal;
    this.offer(legal);
    if (!this.study.path.length && legal.length) this.#showHow(true);
  }

  /** Say how to move, as long as nothing is chosen. */
  #showHow(isWanted) {
    say($("thought"), isWanted ? (HOW[this.study.game] ?? "") : "");
  }

  tell() {
    const { view, motion, moves } = this.answer;
    const last = motion ? `${capital(view.sides[motion.side])} played ${this.#named(motion.move)}${removal(motion)}. ` : "";
    say($("status"), last + this.standing());
    say($("title"), gameName(view.game, view.parameters));
    document.title = `Play ${gameName(view.game)} · gipf-arena`;
    this.showSeats(view.sides.map((name, side) => `${capital(name)}: ${seatName(this.study.seats[side])}`));
    const before = $("moves").childElementCount;
    patch(
      $("moves"),
      ...moves.map((move, i) => el("li", { "aria-current": i === moves.length - 1 ? "step" : null }, this.#named(move))),
    );
    if ($("moves").childElementCount !== before) $("moves").scrollTop = $("moves").scrollHeight;
    this.#showButtons();
  }

  #named(move) {
    return this.study.game === "arrows" ? DIRECTIONS[Number(move)] : move;
  }

  #isBot() {
    return this.study.seats[this.answer.view.turn] !== PERSON;
  }

  async #letBotMove() {
    const advice = await this.#think(this.study.seats[this.answer.view.turn]);
    if (advice) await this.go(this.moved(this.study, advice.move), { animated: true, thought: this.#found(advice) });
  }

  /** Ask the bot; nothing where something else has happened meanwhile, or it cannot answer. */
  async #think(seat) {
    this.thinking?.abort();
    const thinking = new AbortController();
    this.thinking = thinking;
    const { turn } = this;
    say($("thought"), "The bot is thinking …");
    document.body.classList.add("thinking");
    const advice = await this.attempt(() => askAbout("play/think", this.study, strength(seat), thinking.signal));
    if (this.thinking === thinking) document.body.classList.remove("thinking");
    if (turn !== this.turn || thinking.signal.aborted) return null;
    say($("thought"), advice ? this.#found(advice) : "");
    if (!advice) {
      this.refused();
      this.#showButtons();
    }
    return advice;
  }

  #found({ depth, score, plies_to_end: plies, nodes, seconds, is_known: known }) {
    const { sides, turn } = this.answer.view;
    if (score === null && nodes === 0) return "The bot moved at random, as its level does now and then.";
    if (score === null) return `The bot had no time to search in ${tenths(seconds)} s.`;
    const sign = turn ? -1 : 1;
    if (plies !== null) return `The bot has found: ${evaluation({ win: sign * plies }, sides)}.`;
    if (known) return "The bot knows that best play draws.";
    const value = `${evaluation({ score: sign * score }, sides)} (${scale(sides)})`;
    return `The bot looked ${count(depth, "ply", "plies")} ahead in ${tenths(seconds)} s: ${value}.`;
  }

  /** @returns {?number[]} the path back to where a person chose, between bots one move back; null where there is none */
  #undo() {
    const { path } = this.study;
    const place = path.findLastIndex((_, plies) => this.#isStop(plies));
    return place < 0 ? null : path.slice(0, place);
  }

  /** @returns {?number[]} the path on to where a person is to choose; null where no move was taken back */
  #redo() {
    const { root, path } = this.study;
    const end = mainEnd(root, path);
    for (let plies = path.length + 1; plies <= end.length; plies += 1) {
      if (plies === end.length || this.#isStop(plies)) return end.slice(0, plies);
    }
    return null;
  }

  #isStop(plies) {
    const { seats, path } = this.study;
    const side = (this.answer.view.turn + Math.abs(path.length - plies)) % 2;
    return !seats.includes(PERSON) || seats[side] === PERSON;
  }

  async #jump(path) {
    if (path) await this.go({ ...this.study, path }, { pause: !this.study.seats.includes(PERSON) });
  }

  #showButtons() {
    const isOver = Boolean(this.answer.view.ending);
    $("after").hidden = !isOver;
    $("analyse").href = `/analysis#${toGameLink(this.study)}`;
    $("undo").disabled = !this.#undo();
    $("redo").disabled = !this.#redo();
    $("hint").disabled = isOver || this.#isBot();
    const isStopped = this.paused && this.#isBot() && !isOver;
    for (const id of ["pause", "step"]) {
      $(id).hidden = this.study.seats.includes(PERSON) && !isStopped;
      $(id).disabled = isOver;
    }
    say($("pause"), this.paused ? "Go on" : "Pause");
    $("typed").querySelector("button").disabled = !this.takesMoves();
  }

  /** @returns {string[]} who plays each side, as it is chosen in the form */
  get #chosen() {
    return [0, 1].map((side) => /** @type {?HTMLSelectElement} */ (document.querySelector(`#player-${side}`))?.value ?? [PERSON, FIRST_OPPONENT][side]);
  }

  #offerSeats(seats) {
    const { sides } = this.known.find(({ name }) => name === this.variant.game);
    const fields = sides.map((name, side) => {
      const known = new Set([PERSON, ...LEVELS, ...TIMES, seats[side]]);
      const options = [...known].map((seat) => new Option(seatName(seat), seat, false, seat === seats[side]));
      return el("label", {}, side ? capital(name) : `${capital(name)}, begins`, el("select", { id: `player-${side}` }, ...options));
    });
    find("#seats").replaceChildren(...fields);
  }
}

/** @returns {string} the seat that a word of a link names; a person where it names none */
function seatOf(word) {
  const [kind, text] = word.split(":");
  const number = Number(text);
  if (kind === "bot" && number > 0) return `bot:${number}`;
  return kind === "level" && number >= 1 && number <= MAX_LEVEL && Number.isInteger(number) ? `level:${number}` : PERSON;
}

/** @returns {string} who plays on a seat, for people */
function seatName(seat) {
  const [kind, number] = seat.split(":");
  if (kind === PERSON) return PERSON;
  const level = kind === "level" ? Number(number) : MAX_LEVEL;
  return `${levels[level - 1]} (level ${level})${kind === "bot" ? `, ${number} s` : ""}`;
}

/** @returns {{seconds: number, level: number}} what the bot of a seat is asked with */
function strength(seat) {
  const [kind, text] = seat.split(":");
  const number = Number(text);
  if (kind !== "level") return { seconds: number, level: MAX_LEVEL };
  return { seconds: number === MAX_LEVEL ? 1 : MAX_SECONDS, level: number };
}

await start(Page);
