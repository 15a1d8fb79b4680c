/** The forms below the table: another game, its variant and its players; a position from a file or a text. */

import { el, find, say } from "../dom.js";
import { Refused } from "../net.js";
import { VariantForm } from "./variant.js";
import { gameName } from "../words.js";

const TIMES = [0.1, 0.3, 1, 3, 10];
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

  /** @returns {number[]} for each side how many seconds its bot thinks, 0 for a person */
  get seats() {
    return [0, 1].map((side) => {
      const select = /** @type {?HTMLSelectElement} */ (document.getElementById(`player-${side}`));
      return Number(select?.value ?? side);
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
    const titles = this.#game.sides.map((name, side) => `${name}${side ? "" : ", begins"}`);
    find("#seats").replaceChildren(
      ...titles.map((title, side) => {
        const select = document.createElement("select");
        select.id = `player-${side}`;
        const times = [...new Set([...TIMES, seats[side]])].filter(Boolean).sort((a, b) => a - b);
        select.append(new Option("person", "0"), ...times.map((time) => new Option(`bot, ${time} s`, String(time))));
        select.value = String(seats[side]);
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
      say(find("#load-fault"), `${place}there is no text; a position is written as the server's rules say`);
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
