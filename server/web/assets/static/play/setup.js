/** The forms below the table: another game, its variant and its players; a position from a file or a text. */

import { el, find, say } from "../shared/dom.js";
import { Refused } from "../shared/net.js";
import { MAX_LEVEL, PERSON, seatName } from "./table.js";
import { VariantForm } from "./variant.js";
import { gameName } from "../shared/words.js";

const LEVELS = Array.from({ length: MAX_LEVEL - 1 }, (_, i) => `level:${i + 1}`); // the highest one is a time
const TIMES = [0.1, 0.3, 1, 3, 10].map((seconds) => `bot:${seconds}`);
const MOST_BYTES = 20_000;

export class Setup {
  /**
   * @param {{name: string, sides: string[], parameters: string}[]} known the games
   * @param {object} events
   * @param {(table: object) => Promise<void>} events.begin begins a game; rejects with `Refused`
   */
  constructor(known, events) {
    this.known = known;
    this.events = events;
    this.variant = new VariantForm(find("#variant"), find("#variant-fault"));
    find("#game").replaceChildren(...known.map(({ name }) => new Option(gameName(name), name)));
    find("#game").addEventListener("change", () => this.#choose(this.#game.parameters, this.seats));
    find("#setup").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#begin();
    });
    find("#swap").addEventListener("click", () => this.#seat(this.seats.toReversed()));
    find("#file").addEventListener("change", () => this.#read());
    find("#load").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#load(find("#text").value);
    });
    this.#dropping();
  }

  /** Show what is on the table. */
  fill({ game, parameters, seats }) {
    find("#game").value = game;
    this.#choose(parameters, seats);
    say(find("#load-fault"), "");
  }

  /** @returns {string[]} who plays each side, as in a table */
  get seats() {
    return [0, 1].map((side) => {
      const select = /** @type {?HTMLSelectElement} */ (document.getElementById(`player-${side}`));
      return select?.value ?? [PERSON, "bot:1"][side];
    });
  }

  get #game() {
    return this.known.find(({ name }) => name === find("#game").value);
  }

  #choose(parameters, seats) {
    this.variant.show(this.#game.name, parameters);
    find("#variant-part").hidden = !this.variant.inputs.length;
    this.#seat(seats);
  }

  #seat(seats) {
    const titles = this.#game.sides.map((name, side) => (side ? name : `${name}, begins`));
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
    const table = { game: this.#game.name, parameters: this.variant.value, start: "", moves: [], undone: [] };
    try {
      await this.events.begin({ ...table, seats: this.seats });
      this.#showTable();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.variant.refuse(error.message);
    }
  }

  async #read() {
    const [file] = find("#file").files;
    find("#file").value = ""; // so that choosing the same file again is a change, too
    if (!file) return;
    if (file.size > MOST_BYTES) {
      say(find("#load-fault"), `${file.name}: longer than ${MOST_BYTES} bytes, which no position is`);
      return;
    }
    const text = await file.text();
    find("#text").value = text;
    await this.#load(text, `${file.name}: `);
  }

  async #load(text, place = "") {
    say(find("#load-fault"), "");
    if (!text.trim()) {
      say(find("#load-fault"), `${place}there is no text; a position is written as the server’s rules say`);
      return;
    }
    const table = { game: this.#game.name, parameters: "", start: text, moves: [], undone: [], seats: this.seats };
    try {
      await this.events.begin(table);
      this.#showTable();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      say(find("#load-fault"), place + error.message);
      find("#text").focus();
    }
  }

  /** Take a file that is dropped anywhere on the page. */
  #dropping() {
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      if (!event.dataTransfer.files.length) return;
      find("#file").files = event.dataTransfer.files;
      this.#read();
    });
  }

  #showTable() {
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    find("#title").scrollIntoView({ behavior: calm ? "auto" : "smooth" });
  }
}
