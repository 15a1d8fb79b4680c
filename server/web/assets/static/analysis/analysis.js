/** The board to think on: the tree of variations, the engine, and what the buttons do. */

import { $ } from "../boards/game_page.js";
import { say } from "../shared/dom.js";
import { offerFile } from "../shared/drop.js";
import { Refused, ask, posted } from "../shared/net.js";
import { capital, gameName } from "../shared/words.js";
import { askAbout, fromLink, newStudy, toGameLink, toLink, tooLong } from "../play/link.js";
import { StudyPage, refuseText, start } from "../play/study_page.js";
import * as trees from "../play/tree.js";
import { Arranging } from "./arranging.js";
import { Engine } from "./engine.js";
import { drawTree } from "./tree_view.js";

class Page extends StudyPage {
  constructor(known) {
    super(known);
    this.engine = new Engine({ found: (lines) => this.pointAt(lines.map(({ moves }) => moves[0])), play: (move) => this.play(move) });
    this.arranging = new Arranging({
      done: (position) => this.#arranged(position),
      cancelled: () => this.show(this.study, this.answer),
    });
    this.steps(
      {
        begin: () => [],
        back: () => this.wanted.path.slice(0, -1),
        forward: () => [...this.wanted.path, 0],
        end: () => trees.mainEnd(this.wanted.root, this.wanted.path),
      },
      (path) => this.#to(path),
    );
    const step = (by) => this.wanted && this.#to(trees.beside(this.wanted.root, this.wanted.path, by));
    Object.assign(this.keys, { ArrowUp: () => step(-1), ArrowDown: () => step(1) });
    this.keys.Escape = () => (this.arranging.isOpen ? this.arranging.cancel() : this.pointing?.cancel());
    $("arrange").addEventListener("click", () => this.#arrange());
    $("promote").addEventListener("click", () => this.#change(trees.promoted));
    $("prune").addEventListener("click", () => this.#change(trees.pruned));
    $("note").addEventListener("input", () => {
      this.study = { ...this.study, root: trees.noted(this.study.root, this.study.path, $("note").value) };
      this.wanted = this.study;
      this.tell();
      this.keepLink();
    });
    this.offerCopies({
      "copy-link": () => (tooLong(toLink(this.study)) ? "" : location.href),
      "copy-position": () => this.answer.view.text,
      "copy-game": () => this.answer.text,
      "copy-record": async () => (await this.attempt(() => askAbout("analysis/record", this.study)))?.record ?? "",
      "copy-tree": () => trees.toText(this.study.root),
    });
    offerFile(async (file) => {
      await this.load(await file.text(), refuseText);
      return false;
    });
  }

  linked() {
    const link = location.hash.slice(1);
    if (tooLong(link)) throw new Refused(tooLong(link));
    return fromLink(link);
  }

  async begin(study) {
    const isThere = await super.begin(study);
    if (isThere) this.arranging.close();
    return isThere;
  }

  /** Moves of a text become moves of the tree; what was typed stands there as the rules write it. */
  settled(study, answer) {
    const last = answer.moves.at(-1);
    const { move, next } = trees.nodeAt(study.root, study.path);
    if (!study.path.length || last === move || next.length) return super.settled(study, answer);
    const [root, path] = trees.grown(...trees.pruned(study.root, study.path), last);
    return super.settled({ ...study, root, path }, answer);
  }

  /** Let the address hold the analysis; one that is too long for that stays on the page alone. */
  keepLink() {
    const link = toLink(this.study);
    const fault = tooLong(link);
    const advice = "Copy the game, the record or the variations to keep it.";
    say($("link-fault"), fault && `This analysis no longer fits a link: ${fault}. ${advice}`);
    if (!fault) history.replaceState(null, "", `#${link}`);
  }

  stop() {
    super.stop();
    $("note").disabled = true; // until the next position is there, nobody sees whose note it would be
  }

  tell() {
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
    this.#showSteps();
    $("prune").disabled = !path.length;
    $("copy-tree").disabled = !root.next.length && !root.note;
    $("promote").disabled = !path.some((i) => i > 0);
    $("play").href = `/play#${toGameLink(this.study)}`;
  }

  next() {
    this.offer(this.answer.legal);
    this.engine.show(this.study, this.answer.view);
  }

  /** Begin with what a text holds: a link of this page or of playing, a position or a game, or a record. */
  async load(text, refuse) {
    const linked = /#(game=\S+)$/.exec(text.trim())?.[1];
    try {
      const found = linked ? null : await ask("/api/analysis/open", posted({ game: this.study?.game ?? this.variant.game, text }));
      const [root, path] = trees.lineOf(found?.moves ?? []);
      const study = found ? { ...newStudy(found.game, undefined, found.start), root, path } : fromLink(linked);
      await this.beginOr(study, refuse);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refuse(error.message);
    }
  }

  /** Show another node of the tree; one step on is seen as a move. */
  #to(path) {
    if (!path || this.arranging.isOpen) return;
    const before = this.study.path;
    const animated = path.length === before.length + 1 && before.every((i, at) => path[at] === i);
    this.#goTo({ ...this.wanted, path }, animated);
  }

  #change(change) {
    const [root, path] = change(this.wanted.root, this.wanted.path);
    this.#goTo({ ...this.wanted, root, path });
  }

  /** Steps that follow before the answer count from this study. */
  #goTo(study, animated = false) {
    this.go(study, { animated });
    this.wanted = study;
    this.#showSteps();
  }

  /** Show which steps are possible from where the reader wants to be. */
  #showSteps() {
    const { root, path } = this.wanted;
    this.showSteps(!path.length, !trees.nodeAt(root, path).next.length);
  }

  /** Let somebody set up a position, beginning with the one that is shown. */
  async #arrange() {
    this.stop(); // what is pointed at from now on is meant for the position that is set up
    const { turn } = this;
    const kit = await this.attempt(() => askAbout("analysis/kit", this.study));
    if (turn !== this.turn) return;
    if (!kit) {
      this.show(this.study, this.answer);
      return;
    }
    this.engine.pause();
    this.arranging.open(this.board, this.answer.view, kit);
  }

  /** Begin with a position that was set up; the way back in the browser leads to what was there before. */
  async #arranged(position) {
    history.pushState(null, "", location.href);
    await this.beginOr(newStudy(this.study.game, undefined, position), (sentence) => say($("fault"), sentence));
  }
}

await start(Page);
