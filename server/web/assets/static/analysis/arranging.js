/**
 * Setting up a position: pieces are put on the board with a tool, and the server says at each step what is wrong.
 *
 * @typedef {[string, number, ?number]} Piece field, side, and where an arrow points
 *
 * @typedef {object} Arrangement what the server makes a position of (docs/api.md)
 * @property {string} game
 * @property {string} parameters
 * @property {Piece[]} pieces
 * @property {string[]} blocked
 * @property {number} turn
 * @property {[number, number]} reserves
 */

import { el, find, patch, say } from "../shared/dom.js";
import { Refused } from "../shared/net.js";
import { capital } from "../shared/words.js";
import { askAnalysis } from "../play/server.js";

const REMOVE = "remove";
const BLOCK = "block";
const DIRECTIONS = 8;

const $ = (id) => find(`#${id}`);

export class Arranging {
  /**
   * @param {object} events
   * @param {(start: string) => void} events.done a position was set up
   * @param {() => void} events.cancelled
   */
  constructor(events) {
    this.events = events;
    this.isOpen = false;
    $("arrange-done").addEventListener("click", () => this.#finish());
    $("arrange-cancel").addEventListener("click", () => this.cancel());
    $("arrange-clear").addEventListener("click", () => this.#clear());
    $("arrange-turn").addEventListener("change", () => {
      this.#change({ turn: Number($("arrange-turn").value) });
    });
    [0, 1].forEach((side) => {
      const input = $(`arrange-reserve-${side}`);
      input.addEventListener("input", () => {
        const reserves = [...this.arrangement.reserves];
        reserves[side] = Math.max(0, Math.min(1000, Math.floor(Number(input.value)) || 0));
        this.#change({ reserves });
      });
    });
  }

  /**
   * Begin with what stands on a board.
   * @param {any} board as of boards/board.js
   * @param {any} view what it shows
   * @param {{arrangement: Arrangement, counter: string, is_start: boolean}} kit
   */
  open(board, view, kit) {
    this.isOpen = true;
    this.board = board;
    this.view = { ...view, ending: null, decisive: [], aims: [null, null] };
    this.kit = kit;
    this.arrangement = kit.arrangement;
    this.tool = 0;
    this.#showParts();
    $("arrange-turn-part").hidden = kit.is_start;
    $("arrange-turn").replaceChildren(...view.sides.map((name, side) => new Option(capital(name), `${side}`)));
    $("arrange-reserves").hidden = !kit.counter;
    for (const side of [0, 1]) say($(`arrange-reserve-name-${side}`), `${capital(view.sides[side])} ${kit.counter}`);
    this.#change({});
    /** @type {?HTMLElement} */ ($("arrange-tools").querySelector("button"))?.focus();
  }

  /** Leave without a position. */
  cancel() {
    this.close();
    this.events.cancelled();
  }

  /** Leave the board to whoever shows something else on it. */
  close() {
    this.isOpen = false;
    this.checked = null;
    this.#showParts();
  }

  #showParts() {
    find("#main").classList.toggle("arranging", this.isOpen);
    $("arranging").hidden = !this.isOpen;
    $("study").hidden = this.isOpen;
  }

  async #finish() {
    const start = await this.#check();
    if (start) this.events.done(start);
  }

  #clear() {
    const { pieces, reserves } = this.arrangement;
    if (this.kit.is_start) {
      this.#change({ blocked: [] });
      return;
    }
    const count = (side) => pieces.filter((piece) => piece[1] === side).length;
    this.#change({ pieces: [], reserves: this.kit.counter ? reserves.map((reserve, side) => reserve + count(side)) : reserves });
  }

  #change(changes) {
    this.arrangement = { ...this.arrangement, ...changes };
    this.#show();
    this.#check();
  }

  #show() {
    const { pieces, blocked, turn, reserves } = this.arrangement;
    const { board, view } = this;
    // a board is drawn anew where fields are blocked that were not
    board.show({ ...view, parameters: `${view.parameters}; ${blocked.join(" ")}`, pieces, blocked, turn });
    const spots = view.layout.fields.map(([name]) => ({ kind: "field", name, label: `${name}, ${this.#what(name)}` }));
    const offers = [...board.container.querySelectorAll(".offer")];
    const at = offers.indexOf(document.activeElement);
    board.offer(spots, ({ name }) => this.#put(name));
    if (at >= 0) board.container.querySelectorAll(".offer")[at].focus();
    this.#showTools();
    $("arrange-turn").value = `${turn}`;
    [0, 1].forEach((side) => {
      const input = $(`arrange-reserve-${side}`);
      if (document.activeElement !== input) input.value = `${reserves[side]}`;
    });
  }

  #what(name) {
    const { pieces, blocked } = this.arrangement;
    const piece = pieces.find(([field]) => field === name);
    if (piece) return this.view.sides[piece[1]];
    return blocked.includes(name) ? "blocked" : "empty";
  }

  #showTools() {
    const { game, sides } = this.view;
    const side = (name, number) => [number, el(`i.chip.of-${game}.side${number}`), capital(name)];
    const tools = this.kit.is_start
      ? [...sides.map(side), [BLOCK, null, "Blocked field"]]
      : [...sides.map(side), [REMOVE, null, "Remove"]];
    patch(
      $("arrange-tools"),
      ...tools.map(([tool, chip, name]) => {
        const click = () => {
          this.tool = tool;
          this.#showTools();
        };
        const pressed = String(tool === this.tool);
        return el("button", { type: "button", "data-key": `${tool}`, "aria-pressed": pressed, click }, ...(chip ? [chip] : []), name);
      }),
    );
    say(
      $("arrange-hint"),
      this.kit.is_start
        ? "Point at a field: the arrow moves there, and turns where it stands already; a blocked field becomes free again."
        : "Point at a field: a piece comes there, or goes where the same one stands already.",
    );
  }

  #put(name) {
    if (this.kit.is_start) this.#putArrow(name);
    else this.#putPiece(name);
  }

  #putArrow(name) {
    const { pieces, blocked } = this.arrangement;
    const there = pieces.find(([field]) => field === name);
    const { tool } = this;
    if (tool === BLOCK) {
      if (there) return;
      this.#change({ blocked: blocked.includes(name) ? blocked.filter((field) => field !== name) : [...blocked, name] });
      return;
    }
    if (blocked.includes(name) || (there && there[1] !== tool)) return;
    const moved = pieces.map(([field, side, direction]) => {
      if (side !== tool) return [field, side, direction];
      return field === name ? [name, side, (direction + 1) % DIRECTIONS] : [name, side, direction];
    });
    this.#change({ pieces: moved });
  }

  /** What comes onto the board is taken from the reserve, as far as it goes, and what leaves it goes back there. */
  #putPiece(name) {
    const { pieces, reserves } = this.arrangement;
    const there = pieces.find(([field]) => field === name);
    const left = [...reserves];
    const others = pieces.filter((piece) => piece !== there);
    if (there && this.kit.counter) left[there[1]] += 1;
    if (this.tool === REMOVE || there?.[1] === this.tool) {
      if (there) this.#change({ pieces: others, reserves: left });
      return;
    }
    if (this.kit.counter) left[this.tool] = Math.max(0, left[this.tool] - 1);
    this.#change({ pieces: [...others, [name, this.tool, null]], reserves: left });
  }

  /** Ask whether this is a position, and say so; resolves with its text, or with nothing. */
  async #check() {
    const asked = this.arrangement;
    this.checked = asked;
    const tell = (fault, standing) => {
      say($("arrange-fault"), fault);
      say($("arrange-standing"), standing);
      $("arrange-done").disabled = Boolean(fault);
    };
    try {
      const { start, summary } = await askAnalysis("arrange", asked);
      if (this.checked !== asked) return null;
      tell("", `${capital(summary)}.`);
      return start;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (this.checked === asked) tell(`${capital(error.message)}.`, "");
      return null;
    }
  }
}
