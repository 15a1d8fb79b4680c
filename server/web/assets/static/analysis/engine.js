/** The engine beside the board: it is asked for a while, for longer each time, so that its lines grow while one looks on. */

import { $ } from "../boards/game_page.js";
import { el, patch, say } from "../shared/dom.js";
import { Refused } from "../shared/net.js";
import { count, evaluation, moveText, scale, tenths } from "../shared/words.js";
import { askAbout } from "../play/link.js";

const SECONDS = [0.2, 0.5, 1, 2, 4, 4, 4]; // then somebody has to say go on
const ARROWS = 3; // of the best moves

export class Engine {
  /**
   * @param {object} events
   * @param {(lines: {moves: string[]}[]) => void} events.found what to point at on the board
   * @param {(move: string) => void} events.play somebody has chosen the first move of a line
   */
  constructor(events) {
    this.events = events;
    /** @type {import("../play/link.js").Study} */
    this.study = null;
    /** @type {any} */
    this.view = null;
    this.isOn = false;
    $("think").addEventListener("click", () => {
      this.isOn = !this.isOn;
      $("think").setAttribute("aria-pressed", String(this.isOn));
      $("engine").hidden = !this.isOn;
      this.show(this.study, this.view);
    });
    for (const [id, event] of [["go-on", "click"], ["line-count", "change"]]) {
      $(id).addEventListener(event, () => this.isOn && this.#think());
    }
  }

  /** Think about another position, where it is wanted. @param {import("../play/link.js").Study} study @param {any} view */
  show(study, view) {
    [this.study, this.view] = [study, view];
    this.pause();
    if (this.isOn) this.#think();
  }

  /** Stop, and show nothing, until a position is shown again. */
  pause() {
    this.thinking?.abort();
    $("go-on").hidden = true;
    this.#tell(null);
  }

  async #think() {
    this.thinking?.abort();
    $("go-on").hidden = true;
    if (this.view.ending) {
      say($("thought"), "The game is over here.");
      return;
    }
    this.thinking = new AbortController();
    const { signal } = this.thinking;
    say($("thought"), "The engine is thinking …");
    try {
      for (const seconds of SECONDS) {
        const wanted = { seconds, lines: Number($("line-count").value) };
        const found = await askAbout("analysis/lines", this.study, wanted, signal);
        if (signal.aborted) return;
        this.#tell(found);
        if (found.is_final) return;
      }
    } catch (error) {
      if (error.name === "AbortError") return;
      if (!(error instanceof Refused)) throw error;
      say($("thought"), error.message);
    }
    $("go-on").hidden = false;
  }

  #tell(found) {
    const lines = found?.lines ?? [];
    const wanted = this.isOn ? Number($("line-count").value) : 0;
    const places = Array.from({ length: Math.max(0, wanted - lines.length) }, () => el("li.place"));
    patch($("lines"), ...lines.map((line) => this.#line(line, found.is_known)), ...places);
    say($("thought"), found ? `${figures(found)} Values are ${scale(this.view.sides)}.` : "");
    this.events.found(lines.slice(0, ARROWS));
  }

  #line({ moves, score, win }, isExact) {
    const value = evaluation({ score, win, isDraw: isExact && win === null }, this.view.sides);
    const [first, ...rest] = moves.map((move) => moveText(this.study.game, move));
    const play = el("button", { type: "button", click: () => this.events.play(moves[0]), "aria-label": `Play ${first}` }, first);
    return el("li", {}, el("b.value", {}, value), play, el("span.rest", {}, rest.join(" ")));
  }
}

function figures({ lines, nodes, seconds, is_known: isKnown }) {
  if (isKnown) return "Exact: this position is solved.";
  if (!lines.length) return "Nothing was found in this time.";
  return `Depth ${lines[0].depth}, ${count(nodes, "position")} in ${tenths(seconds)} s.`;
}
