/** The board to think on: what is shown, the tree of variations, and what the buttons do. */

import { drawBoard } from "../boards/board.js";
import { drawStock } from "../boards/stock.js";
import { turned } from "../boards/turned.js";
import { Pointing } from "../play/pointing.js";
import { ask, games } from "../play/server.js";
import { VariantForm } from "../play/variant.js";
import { el, find, patch, say } from "../shared/dom.js";
import { Refused, untilReached } from "../shared/net.js";
import { gameName } from "../shared/words.js";
import { Arranging } from "./arranging.js";
import { Engine } from "./engine.js";
import { fromLink, question, toLink, toPlay, tooLong } from "./link.js";
import { ask as askAnalysis, picture, save } from "./server.js";
import * as trees from "./tree.js";
import { drawTree } from "./tree_view.js";

const DIRECTIONS = ["up", "up right", "right", "down right", "down", "down left", "left", "up left"];
const SIGNS = ["↑", "↗", "→", "↘", "↓", "↙", "←", "↖"];
const PAD = [7, 0, 1, 6, null, 2, 5, 4, 3];
const KEYS = { ArrowLeft: "back", ArrowRight: "forward", Home: "begin", End: "end" };

const $ = (id) => find(`#${id}`);

class Page {
  /** @param {{name: string, sides: string[], parameters: string}[]} known the games */
  constructor(known) {
    this.known = known;
    this.turn = 0; // counts what is asked, so that an answer knows when it is out of date
    this.isTurned = false;
    this.engine = new Engine({ found: (lines) => this.#pointAt(lines), play: (move) => this.play(move) });
    this.arranging = new Arranging({
      done: (start) => this.#arranged(start),
      cancelled: () => this.#show(this.study, this.answer),
      seen: (view) => this.#seen(view),
    });
    this.variant = new VariantForm($("variant"), $("variant-fault"));
    $("game").replaceChildren(...known.map(({ name }) => new Option(gameName(name), name)));
    this.#listen();
  }

  /**
   * Show another study. Rejects with `Refused`, and leaves what was there.
   * @param {import("./link.js").Study} study
   */
  async begin(study) {
    this.turn += 1;
    const { turn } = this;
    const answer = await ask("look", question(study));
    if (turn !== this.turn) return;
    this.arranging.close();
    // a text may hold moves of its own; they become moves of the tree
    const [root, path] = study.root.next.length ? [study.root, study.path] : trees.lineOf(answer.moves);
    this.#show({ ...study, parameters: answer.parameters, start: study.start && answer.start, root, path }, answer);
    $("game").value = study.game;
    this.#chooseVariant(answer.parameters);
  }

  /** Show another node of the tree; what cannot be is told, and changes nothing. */
  async go(study, { animated = false, pushed = false } = {}) {
    this.turn += 1;
    const { turn } = this;
    say($("fault"), "");
    this.pointing.stop(); // the offers were those of the position before
    $("pad").hidden = true;
    $("note").disabled = true; // so is the note: until the next position is there, nobody sees whose it would be
    const answer = await this.#try(() => ask("look", question(study)));
    if (turn !== this.turn) return false;
    if (!answer) {
      this.#show(this.study, this.answer);
      return false;
    }
    const last = answer.moves.at(-1);
    const shown = trees.nodeAt(study.root, study.path).move;
    // what was typed is written as the rules write it
    const [root, path] = last && last !== shown ? trees.grown(this.study.root, this.study.path, last) : [study.root, study.path];
    await this.#show({ ...study, root, path }, answer, animated, pushed);
    return true;
  }

  /** Open what the address names, or the usual game. */
  async open() {
    const usual = { game: this.known[0].name, parameters: undefined, start: "", root: trees.EMPTY, path: [] };
    const link = location.hash.slice(1);
    try {
      if (tooLong(link)) throw new Refused(tooLong(link));
      await this.begin(fromLink(link) ?? usual);
      say($("fault"), "");
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (!this.answer) await this.begin(usual);
      say($("fault"), `The link cannot be opened: ${error.message}.`);
    }
  }

  async #show(study, answer, animated = false, pushed = false) {
    const { turn } = this;
    this.study = study;
    this.answer = answer;
    this.#tell();
    this.#keepLink();
    const [view, motion] = [this.#seen(answer.view), answer.motion];
    if (!this.board) {
      this.board = drawBoard($("board"), view);
      $("controls").disabled = false; // until now there was nothing that they could do
      this.pointing = new Pointing(this.board, {
        rows: (push) => this.#try(() => ask("rows", { ...question(this.study), chosen: push })),
        move: (move, isPushed) => this.play(move, isPushed),
        say: (sentence) => say($("status"), sentence || this.#standing()),
        chosen: (any) => {
          $("cancel").hidden = !any;
        },
      });
    }
    this.pointing.stop();
    this.board.point([]);
    if (animated && motion) await this.board.animate(view, pushed ? { ...motion, slides: [], placed: null } : motion);
    else this.board.show(view, motion);
    if (turn !== this.turn) return;
    this.pointing.begin(view, answer.legal, motion);
    this.engine.show(study, answer.view);
  }

  /** Let the address hold the analysis; one that is too long for that stays on the page alone. */
  #keepLink() {
    const link = toLink(this.study);
    const fault = tooLong(link);
    const advice = "Copy the game, the record or the variations to keep it.";
    say($("link-fault"), fault && `This analysis no longer fits a link: ${fault}. ${advice}`);
    if (!fault) history.replaceState(null, "", `#${link}`);
  }

  /** Play a move: a new one begins a variation. */
  play(move, pushed = false) {
    const [root, path] = trees.grown(this.study.root, this.study.path, move);
    return this.go({ ...this.study, root, path }, { animated: true, pushed });
  }

  /** Point at the first moves of lines that the engine has found. */
  #pointAt(lines) {
    const { legal } = this.answer;
    const whereOf = (move) => legal.find((one) => one.move === move || move.startsWith(`${one.move} `))?.points ?? [];
    this.board.point(lines.map(({ moves }, i) => ({ points: whereOf(moves[0]), rank: i + 1 })));
  }

  #seen(view) {
    return this.isTurned ? turned(view) : view;
  }

  /** Say everything beside the board. */
  #tell() {
    const { view } = this.answer;
    const { root, path } = this.study;
    say($("status"), this.#standing());
    say($("title"), `Analysis: ${gameName(view.game, view.parameters)}`);
    document.title = `Analysis: ${gameName(view.game)} · gipf-arena`;
    this.#seats();
    drawTree($("tree"), this.study, (chosen) => this.#to(chosen));
    const { note } = trees.nodeAt(root, path);
    $("note").disabled = false;
    if ($("note").value !== note) $("note").value = note;
    for (const id of ["begin", "back", "prune"]) $(id).disabled = !path.length;
    for (const id of ["forward", "end"]) $(id).disabled = !trees.nodeAt(root, path).next.length;
    $("copy-tree").disabled = !root.next.length && !root.note;
    $("promote").disabled = !path.some((i) => i > 0);
    $("play").href = toPlay(this.study);
    this.#offerDirections(this.answer.legal);
  }

  #seats() {
    const { view } = this.answer;
    view.sides.forEach((name, side) => {
      const seat = $(`seat-${this.isTurned ? 1 - side : side}`);
      seat.classList.toggle("to-move", !view.ending && view.turn === side);
      seat.classList.toggle("won", view.ending?.winner === side);
      seat.querySelector(".chip").className = `chip of-${view.game} side${side}`;
      say(seat.querySelector(".who"), capital(name));
      drawStock(seat.querySelector(".stock"), view, side);
    });
  }

  #standing() {
    const { view, warning } = this.answer;
    const { sides, turn, ending } = view;
    const note = warning && !this.study.path.length ? ` Note: ${warning}.` : "";
    if (!ending) return `${capital(sides[turn])} to move.${note}`;
    const result = ending.winner === null ? "A draw" : `${capital(sides[ending.winner])} wins`;
    return `The game is over. ${result}: ${ending.sentence}.`;
  }

  #offerDirections(legal) {
    $("pad").hidden = this.study.game !== "arrows" || !legal.length;
    if ($("pad").hidden) return;
    const half = this.isTurned ? 4 : 0;
    patch(
      $("pad"),
      ...PAD.map((seen) => {
        if (seen === null) return el("span");
        const direction = (seen + half) % 8;
        const click = () => this.play(String(direction));
        const disabled = !legal.some(({ move }) => move === String(direction));
        return el("button", { type: "button", "aria-label": DIRECTIONS[seen], disabled, click }, SIGNS[seen]);
      }),
    );
  }

  /** Show another node of the tree; one step on is seen as a move. */
  #to(path) {
    if (!path) return;
    const animated = path.length === this.study.path.length + 1 && this.study.path.every((i, at) => path[at] === i);
    this.go({ ...this.study, path }, { animated });
  }

  /** Let somebody set up a position, beginning with the one that is shown. */
  async #arrange() {
    this.turn += 1;
    const { study, turn } = this;
    this.pointing.stop(); // what is pointed at from now on is meant for the position that is set up
    const kit = await this.#try(() => askAnalysis("kit", question(study)));
    if (turn !== this.turn) return;
    if (!kit) {
      this.#show(this.study, this.answer);
      return;
    }
    this.engine.pause();
    this.arranging.open(this.board, this.answer.view, kit);
  }

  /** Begin with a position that was set up; the way back in the browser leads to what was there before. */
  async #arranged(start) {
    history.pushState(null, "", location.href);
    const study = { game: this.study.game, parameters: undefined, start, root: trees.EMPTY, path: [] };
    await this.#beginOr(study, (sentence) => say($("fault"), sentence));
  }

  #listen() {
    const at = {
      begin: () => [],
      back: () => this.study.path.slice(0, -1),
      forward: () => [...this.study.path, 0],
      end: () => trees.mainEnd(this.study.root, this.study.path),
    };
    for (const [id, where] of Object.entries(at)) $(id).addEventListener("click", () => this.#to(where()));
    $("flip").addEventListener("click", () => {
      this.isTurned = !this.isTurned;
      $("flip").setAttribute("aria-pressed", String(this.isTurned));
      this.#show(this.study, this.answer);
    });
    $("arrange").addEventListener("click", () => this.#arrange());
    $("cancel").addEventListener("click", () => this.pointing.cancel());
    $("promote").addEventListener("click", () => this.#change(trees.promoted));
    $("prune").addEventListener("click", () => this.#change(trees.pruned));
    $("note").addEventListener("input", () => {
      const root = trees.noted(this.study.root, this.study.path, $("note").value);
      this.study = { ...this.study, root };
      this.#tell();
      this.#keepLink();
    });
    $("typed").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#type($("move"));
    });
    for (const [id, text] of Object.entries({
      "copy-link": () => (tooLong(toLink(this.study)) ? "" : location.href),
      "copy-position": () => this.answer.view.text,
      "copy-game": () => this.answer.text,
      "copy-record": async () => (await this.#try(() => askAnalysis("record", question(this.study))))?.record ?? "",
      "copy-tree": () => trees.toText(this.study.root),
      "copy-svg": async () => (await (await this.#try(() => picture("picture", question(this.study))))?.text()) ?? "",
    })) {
      $(id).addEventListener("click", async () => this.#copy(await text()));
    }
    for (const kind of ["png", "gif"]) {
      $(`save-${kind}`).addEventListener("click", async () => {
        const drawn = await this.#try(() => picture(kind, { ...question(this.study), scale: 2 }));
        if (drawn) save(drawn, `${this.study.game}.${kind}`);
      });
    }
    this.#listenToForms();
    this.#listenToKeys();
    window.addEventListener("hashchange", () => {
      if (fromLink(location.hash.slice(1))) this.open();
      else this.#keepLink(); // the link to the board has been followed
    });
  }

  #listenToForms() {
    $("game").addEventListener("change", () => this.#chooseVariant(this.#game.parameters));
    $("setup").addEventListener("submit", async (event) => {
      event.preventDefault();
      this.variant.refuse("");
      const study = { game: $("game").value, parameters: this.variant.value, start: "", root: trees.EMPTY, path: [] };
      await this.#beginOr(study, (sentence) => this.variant.refuse(sentence));
    });
    $("load").addEventListener("submit", async (event) => {
      event.preventDefault();
      say($("load-fault"), "");
      const text = $("text").value.trim();
      if (text) await this.#paste(text);
      else say($("load-fault"), "there is no text; a position is written as the server’s rules say");
    });
  }

  /** Show what a text holds: a link of this page or of playing, a position or a game of any game, or a record. */
  async #paste(text) {
    const linked = /#(game=\S+)$/.exec(text)?.[1];
    const refuse = (sentence) => say($("load-fault"), sentence);
    if (linked) {
      await this.#beginOr(fromLink(linked), refuse);
      return;
    }
    try {
      const found = await askAnalysis("open", { game: this.study.game, text: $("text").value });
      const [root, path] = trees.lineOf(found.moves);
      await this.#beginOr({ game: found.game, parameters: undefined, start: found.start, root, path }, refuse);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refuse(error.message);
      $("text").focus();
    }
  }

  /** Arrow keys step through the tree, unless the keyboard is what points at the board. */
  #listenToKeys() {
    let isPointed = true;
    document.addEventListener("pointerdown", () => {
      isPointed = true;
    });
    const heard = (event) => {
      if (event.key === "Tab") isPointed = false;
      if (event.key === "Escape") this.pointing?.cancel();
      if (this.arranging.isOpen) {
        if (event.key === "Escape") this.arranging.cancel();
        return;
      }
      const target = /** @type {?Element} */ (event.target);
      if (target?.closest?.("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!isPointed && target?.closest?.(".offer")) return;
      const { root, path } = this.study ?? {};
      if (event.key in KEYS) $(KEYS[event.key]).click();
      else if (root && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
        const there = trees.beside(root, path, event.key === "ArrowUp" ? -1 : 1);
        if (!there) return;
        this.#to(there);
      } else return;
      event.preventDefault();
      event.stopPropagation();
    };
    document.addEventListener("keydown", heard, { capture: true });
  }

  get #game() {
    return this.known.find(({ name }) => name === $("game").value);
  }

  #chooseVariant(parameters) {
    this.variant.show($("game").value, parameters);
    $("variant-part").hidden = !this.variant.inputs.length;
  }

  #change(change) {
    const [root, path] = change(this.study.root, this.study.path);
    this.go({ ...this.study, root, path });
  }

  async #beginOr(study, refuse) {
    try {
      await this.begin(study);
      say($("fault"), "");
      $("title").scrollIntoView();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refuse(error.message);
    }
  }

  async #type(input) {
    const move = input.value.trim();
    if (!move || this.answer.view.ending) return;
    const legal = this.answer.legal.find((one) => one.move === move.replace(/\s*-\s*/, "-"));
    if (legal?.more) await this.pointing.take(legal);
    else if (!(await this.play(legal?.move ?? move))) return;
    input.value = "";
  }

  /** Copy a text; there is none where a fault is shown already. */
  async #copy(text) {
    if (!text) return;
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
  async #try(asking) {
    try {
      return await asking();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      say($("fault"), error.message);
      return null;
    }
  }
}

function capital(word) {
  return word[0].toUpperCase() + word.slice(1);
}

const tell = (sentence) => say($("fault"), sentence);
const page = new Page(await untilReached(games, tell));
await untilReached(() => page.open(), tell);
