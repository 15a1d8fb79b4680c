/** The forms below the table: another game, its variant and its players; a position from a text. */

import { el, find, say } from "../shared/dom.js";
import { Refused } from "../shared/net.js";
import { MAX_LEVEL, PERSON, seatName } from "./table.js";
import { VariantForm } from "./variant.js";

const LEVELS = Array.from({ length: MAX_LEVEL - 1 }, (_, i) => `level:${i + 1}`); // the highest one is a time
const TIMES = [0.1, 0.3, 1, 3, 10].map((seconds) => `bot:${seconds}`);

export class Setup {
  /**
   * @param {{name: string, sides: string[], parameters: string}[]} known the games
   * @param {object} events
   * @param {(table: object) => Promise<void>} events.begin begins a game; rejects with `Refused`
   */
  constructor(known, events) {
    this.known = known;
    this.events = events;
    this.variant = new VariantForm(known);
    find("#game").addEventListener("change", () => this.#seat(this.seats));
    find("#setup").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#begin();
    });
    find("#swap").addEventListener("click", () => this.#seat(this.seats.toReversed()));
    find("#load").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#load(find("#text").value);
    });
  }

  /** Show what is on the table. */
  fill({ game, parameters, seats }) {
    this.variant.show(game, parameters);
    this.#seat(seats);
    say(find("#load-fault"), "");
  }

  /** @returns {string[]} who plays each side, as in a table */
  get seats() {
    return [0, 1].map((side) => {
      const select = /** @type {?HTMLSelectElement} */ (document.getElementById(`player-${side}`));
      return select?.value ?? [PERSON, "bot:1"][side];
    });
  }

  #seat(seats) {
    const { sides } = this.known.find(({ name }) => name === this.variant.game);
    const titles = sides.map((name, side) => (side ? name : `${name}, begins`));
    find("#seats").replaceChildren(
      ...titles.map((title, side) => {
        const select = document.createElement("select");
        select.id = `player-${side}`;
        const known = new Set([PERSON, ...LEVELS, ...TIMES, seats[side]]);
        select.append(...[...known].map((seat) => new Option(seatName(seat), seat)));
        select.value = seats[side];
        return el("label", {}, title, select);
      }),
    );
  }

  async #begin() {
    this.variant.refuse("");
    const table = { game: this.variant.game, parameters: this.variant.value, start: "", moves: [], undone: [] };
    try {
      await this.events.begin({ ...table, seats: this.seats });
      this.#showTable();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.variant.refuse(error.message);
    }
  }

  async #load(text) {
    say(find("#load-fault"), "");
    if (!text.trim()) {
      say(find("#load-fault"), "there is no text; a position is written as the server’s rules say");
      return;
    }
    const table = { game: this.variant.game, parameters: "", start: text, moves: [], undone: [], seats: this.seats };
    try {
      await this.events.begin(table);
      this.#showTable();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      say(find("#load-fault"), error.message);
      find("#text").focus();
    }
  }

  #showTable() {
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    find("#title").scrollIntoView({ behavior: calm ? "auto" : "smooth" });
  }
}
