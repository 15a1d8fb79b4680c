/** The engine beside the board: it is asked for a while, for longer each time, so that its lines grow while one looks on. */

import { el, find, patch, say } from "../shared/dom.js";
import { Refused } from "../shared/net.js";
import { advantage, moveText, tenths } from "../shared/words.js";
import { question } from "./link.js";
import { askAnalysis } from "../play/server.js";

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
    /** @type {import("./link.js").Study} */
    this.study = null;
    /** @type {any} */
    this.view = null;
    this.isOn = false;
    this.isExact = false; // whether what is shown was looked up where the game is solved
    find("#think").addEventListener("click", () => this.#turn(!this.isOn));
    find("#go-on").addEventListener("click", () => this.#think());
    find("#line-count").addEventListener("change", () => this.isOn && this.#think());
  }

  /**
   * Think about another position.
   * @param {import("./link.js").Study} study
   * @param {any} view
   */
  show(study, view) {
    [this.study, this.view] = [study, view];
    this.#tell(null);
    this.#stop();
    if (this.isOn) this.#think();
  }

  /** Stop, and show nothing, until a position is shown again. */
  pause() {
    this.#stop();
    this.#tell(null);
  }

  #turn(isOn) {
    this.isOn = isOn;
    find("#think").setAttribute("aria-pressed", String(isOn));
    find("#engine").hidden = !isOn;
    if (isOn) this.#think();
    else this.pause();
  }

  #stop() {
    this.thinking?.abort();
    find("#go-on").hidden = true;
  }

  async #think() {
    this.#stop();
    if (this.view.ending) {
      say(find("#thought"), "The game is over here.");
      return;
    }
    const thinking = new AbortController();
    this.thinking = thinking;
    say(find("#thought"), "The engine is thinking …");
    const lines = Number(find("#line-count").value);
    try {
      for (const seconds of SECONDS) {
        const found = await askAnalysis("lines", { ...question(this.study), seconds, lines }, thinking.signal);
        if (thinking.signal.aborted) return;
        this.#tell(found);
        if (found.is_final) return;
      }
      find("#go-on").hidden = false;
    } catch (error) {
      if (error.name === "AbortError") return;
      if (!(error instanceof Refused)) throw error;
      say(find("#thought"), error.message);
      find("#go-on").hidden = false;
    }
  }

  #tell(found) {
    const lines = found?.lines ?? [];
    this.isExact = Boolean(found?.is_known);
    patch(find("#lines"), ...lines.map((line) => this.#line(line)));
    say(find("#thought"), found ? figures(found) : "");
    this.events.found(lines.slice(0, ARROWS));
  }

  #line({ moves, score, win }) {
    const value = this.isExact && win === null ? "draw" : advantage({ score, win }, this.view.sides);
    const [first, ...rest] = moves.map((move) => moveText(this.study.game, move));
    const play = el("button", { type: "button", click: () => this.events.play(moves[0]), "aria-label": `Play ${first}` }, first);
    return el("li", {}, el("b.value", {}, value), play, el("span.rest", {}, rest.join(" ")));
  }
}

function figures({ lines, nodes, seconds, is_known: isKnown }) {
  if (isKnown) return "Exact: this position is solved.";
  if (!lines.length) return "Nothing was found in this time.";
  return `Depth ${lines[0].depth}, ${nodes.toLocaleString("en")} positions in ${tenths(seconds)} s.`;
}
