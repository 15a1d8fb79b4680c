/**
 * Setting up a position: pieces are put on the board with a tool, and the server says at each step what is wrong.
 * docs/api.md describes an arrangement, of which the server makes a position.
 */

import { $, chip } from "../boards/game_page.js";
import { el, patch, say } from "../shared/dom.js";
import { Refused, ask, posted } from "../shared/net.js";
import { capital } from "../shared/words.js";

const [REMOVE, BLOCK] = ["remove", "block"]; // tools, beside the numbers of sides
const DIRECTIONS = 8;
const MAX_RESERVE = 1000;
const HINTS = {
  start: "Point at a field: the arrow moves there, and turns where it stands already; a blocked field becomes free again.",
  pieces: "Point at a field: a piece comes there, or goes where the same one stands already.",
};

export class Arranging {
  /**
   * @param {object} events
   * @param {(start: string) => void} events.done a position was set up
   * @param {() => void} events.cancelled
   */
  constructor(events) {
    this.events = events;
    this.isOpen = false;
    $("arrange-done").addEventListener("click", async () => {
      const start = await this.#check();
      if (start) this.events.done(start);
    });
    $("arrange-cancel").addEventListener("click", () => this.cancel());
    $("arrange-clear").addEventListener("click", () => this.#clear());
    $("arrange-turn").addEventListener("change", () => this.#change({ turn: Number($("arrange-turn").value) }));
    for (const side of [0, 1]) {
      $(`arrange-reserve-${side}`).addEventListener("input", (event) => {
        const wanted = Math.floor(Number(event.target.value)) || 0;
        const reserves = this.arrangement.reserves.with(side, Math.max(0, Math.min(MAX_RESERVE, wanted)));
        this.#change({ reserves });
      });
    }
  }

  /**
   * Begin with what stands on a board.
   * @param {any} board as of boards/board.js
   * @param {any} view what it shows
   * @param {{arrangement: any, counter: string, is_start: boolean}} kit
   */
  open(board, view, kit) {
    this.board = board;
    this.view = { ...view, ending: null, decisive: [], aims: [null, null] };
    this.kit = kit;
    this.tool = 0;
    this.arrangement = kit.arrangement; // pieces, blocked fields, the side to move, reserves
    this.#show(true);
    $("arrange-turn-part").hidden = kit.is_start;
    $("arrange-turn").replaceChildren(...view.sides.map((name, side) => new Option(capital(name), `${side}`)));
    $("arrange-reserves").hidden = !kit.counter;
    for (const side of [0, 1]) say($(`arrange-reserve-name-${side}`), `${capital(view.sides[side])} ${kit.counter}`);
    say($("arrange-hint"), kit.is_start ? HINTS.start : HINTS.pieces);
    this.#change({});
    $("arrange-tools").querySelector("button")?.focus();
  }

  /** Leave without a position. */
  cancel() {
    this.close();
    this.events.cancelled();
  }

  /** Leave the board to whoever shows something else on it. */
  close() {
    this.checked = null;
    this.#show(false);
  }

  #show(isOpen) {
    this.isOpen = isOpen;
    $("main").classList.toggle("arranging", isOpen);
    $("arranging").hidden = !isOpen;
    $("study").hidden = isOpen;
  }

  #clear() {
    const { pieces, reserves } = this.arrangement;
    const count = (side) => pieces.filter((piece) => piece[1] === side).length;
    if (this.kit.is_start) this.#change({ blocked: [] });
    else this.#change({ pieces: [], reserves: this.kit.counter ? reserves.map((reserve, side) => reserve + count(side)) : reserves });
  }

  #change(changes) {
    this.arrangement = { ...this.arrangement, ...changes };
    this.#draw();
    this.#check();
  }

  #draw() {
    const { pieces, blocked, turn, reserves } = this.arrangement;
    const { board, view } = this;
    board.show({ ...view, pieces, blocked, turn });
    const spots = view.layout.fields.map(([name]) => ({ kind: "field", name, label: `${name}, ${this.#what(name)}` }));
    const at = [...board.container.querySelectorAll(".offer")].indexOf(document.activeElement);
    board.offer(spots, ({ name }) => (this.kit.is_start ? this.#putArrow(name) : this.#putPiece(name)));
    if (at >= 0) board.container.querySelectorAll(".offer")[at].focus();
    this.#drawTools();
    $("arrange-turn").value = `${turn}`;
    for (const side of [0, 1]) {
      const input = $(`arrange-reserve-${side}`);
      if (document.activeElement !== input) input.value = `${reserves[side]}`;
    }
  }

  #what(name) {
    const { pieces, blocked } = this.arrangement;
    const piece = pieces.find(([field]) => field === name);
    if (piece) return this.view.sides[piece[1]];
    return blocked.includes(name) ? "blocked" : "empty";
  }

  #drawTools() {
    const { game, sides } = this.view;
    const button = (tool, ...content) => {
      const click = () => {
        this.tool = tool;
        this.#drawTools();
      };
      const pressed = String(tool === this.tool);
      return el("button", { type: "button", "data-key": `${tool}`, "aria-pressed": pressed, click }, ...content);
    };
    patch(
      $("arrange-tools"),
      ...sides.map((name, side) => button(side, chip(game, side), capital(name))),
      this.kit.is_start ? button(BLOCK, "Blocked field") : button(REMOVE, "Remove"),
    );
  }

  #putArrow(name) {
    const { pieces, blocked } = this.arrangement;
    const there = pieces.find(([field]) => field === name);
    const { tool } = this;
    const isBlocked = blocked.includes(name);
    if (tool === BLOCK) {
      if (!there) this.#change({ blocked: isBlocked ? blocked.filter((field) => field !== name) : [...blocked, name] });
    } else if (!isBlocked && (!there || there[1] === tool)) {
      const moved = ([field, side, direction]) => [name, side, field === name ? (direction + 1) % DIRECTIONS : direction];
      this.#change({ pieces: pieces.map((piece) => (piece[1] === tool ? moved(piece) : piece)) });
    }
  }

  /** What comes onto the board is taken from the reserve, as far as it goes, and what leaves it goes back there. */
  #putPiece(name) {
    const there = this.arrangement.pieces.find(([field]) => field === name);
    const pieces = this.arrangement.pieces.filter((piece) => piece !== there);
    const reserves = [...this.arrangement.reserves];
    const isPut = this.tool !== REMOVE && there?.[1] !== this.tool;
    if (this.kit.counter && there) reserves[there[1]] += 1;
    if (this.kit.counter && isPut) reserves[this.tool] = Math.max(0, reserves[this.tool] - 1);
    if (there || isPut) this.#change({ pieces: isPut ? [...pieces, [name, this.tool, null]] : pieces, reserves });
  }

  /** Ask whether this is a position, and say so; resolves with its text, or with nothing. */
  async #check() {
    const asked = this.arrangement;
    this.checked = asked;
    let [start, standing, fault] = ["", "", ""];
    try {
      const found = await ask("/api/analysis/arrange", posted(asked));
      [start, standing] = [found.start, `${capital(found.summary)}.`];
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      fault = `${capital(error.message)}.`;
    }
    if (this.checked !== asked) return "";
    say($("arrange-fault"), fault);
    say($("arrange-standing"), standing);
    $("arrange-done").disabled = Boolean(fault);
    return start;
  }
}
