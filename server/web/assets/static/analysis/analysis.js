/** The board to think on: what is shown, the tree of variations, and what the buttons do. */

import { $, BoardPage, start } from "../play/board_page.js";
import { ask, askAnalysis } from "../play/server.js";
import { VariantForm } from "../play/variant.js";
import { say } from "../shared/dom.js";
import { Refused } from "../shared/net.js";
import { capital, gameName } from "../shared/words.js";
import { Arranging } from "./arranging.js";
import { Engine } from "./engine.js";
import { fromLink, question, toLink, toPlay, tooLong } from "./link.js";
import * as trees from "./tree.js";
import { drawTree } from "./tree_view.js";

const KEYS = { ArrowLeft: "back", ArrowRight: "forward", Home: "begin", End: "end" };

class Page extends BoardPage {
  constructor(known) {
    super(known);
    this.engine = new Engine({ found: (lines) => this.#pointAt(lines), play: (move) => this.play(move) });
    this.arranging = new Arranging({
      done: (start) => this.#arranged(start),
      cancelled: () => this.#show(this.study, this.answer),
    });
    this.variant = new VariantForm(known);
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
    this.variant.show(study.game, answer.parameters);
  }

  /** Show another node of the tree; what cannot be is told, and changes nothing. */
  async go(study, { animated = false, pushed = false } = {}) {
    this.turn += 1;
    const { turn } = this;
    say($("fault"), "");
    this.pointing.stop(); // the offers were those of the position before
    $("pad").hidden = true;
    $("note").disabled = true; // so is the note: until the next position is there, nobody sees whose it would be
    const answer = await this.attempt(() => ask("look", question(study)));
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

  async #show(study, answer, animated = false, pushed = false) {
    const { turn } = this;
    this.study = study;
    this.answer = answer;
    this.#tell();
    this.keepLink();
    await this.draw(animated, pushed);
    if (turn !== this.turn) return;
    this.pointing.begin(answer.view, answer.legal, answer.motion);
    this.engine.show(study, answer.view);
  }

  /** Let the address hold the analysis; one that is too long for that stays on the page alone. */
  keepLink() {
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

  usual() {
    return { game: this.known[0].name, parameters: undefined, start: "", root: trees.EMPTY, path: [] };
  }

  linked() {
    const link = location.hash.slice(1);
    if (tooLong(link)) throw new Refused(tooLong(link));
    return fromLink(link);
  }

  question() {
    return question(this.study);
  }

  takesMoves() {
    return !this.answer.view.ending;
  }

  standing() {
    return super.standing() + (this.study.path.length ? "" : this.note);
  }

  /** Say everything beside the board. */
  #tell() {
    const { view } = this.answer;
    const { root, path } = this.study;
    say($("status"), this.standing());
    say($("title"), `Analysis: ${gameName(view.game, view.parameters)}`);
    document.title = `Analysis: ${gameName(view.game)} · gipf-arena`;
    this.showSeats(view.sides.map(capital));
    drawTree($("tree"), this.study, (chosen) => this.#to(chosen));
    const { note } = trees.nodeAt(root, path);
    $("note").disabled = false;
    if ($("note").value !== note) $("note").value = note;
    for (const id of ["begin", "back", "prune"]) $(id).disabled = !path.length;
    for (const id of ["forward", "end"]) $(id).disabled = !trees.nodeAt(root, path).next.length;
    $("copy-tree").disabled = !root.next.length && !root.note;
    $("promote").disabled = !path.some((i) => i > 0);
    $("play").href = toPlay(this.study);
    this.offerDirections(this.answer.legal);
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
    const kit = await this.attempt(() => askAnalysis("kit", question(study)));
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
    $("arrange").addEventListener("click", () => this.#arrange());
    $("promote").addEventListener("click", () => this.#change(trees.promoted));
    $("prune").addEventListener("click", () => this.#change(trees.pruned));
    $("note").addEventListener("input", () => {
      const root = trees.noted(this.study.root, this.study.path, $("note").value);
      this.study = { ...this.study, root };
      this.#tell();
      this.keepLink();
    });
    this.offerCopies({
      "copy-link": () => (tooLong(toLink(this.study)) ? "" : location.href),
      "copy-position": () => this.answer.view.text,
      "copy-game": () => this.answer.text,
      "copy-record": async () => (await this.attempt(() => askAnalysis("record", question(this.study))))?.record ?? "",
      "copy-tree": () => trees.toText(this.study.root),
    });
    this.#listenToForms();
    this.#listenToKeys();
  }

  #listenToForms() {
    $("setup").addEventListener("submit", async (event) => {
      event.preventDefault();
      this.variant.refuse("");
      const study = { game: this.variant.game, parameters: this.variant.value, start: "", root: trees.EMPTY, path: [] };
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

  /** Show what a text holds: a link of this page or of playing, a position or a game of this page’s game, or a record. */
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
}

await start(Page);
