/** The form for a game and its variant: a field for each parameter, and what the server says is wrong with them. */

import { el, find } from "../shared/dom.js";
import { gameName } from "../shared/words.js";

const PARTS = {
  gipf: [
    ["S", "fields on a side"],
    ["K", "in a row to collect"],
    ["GW", "pieces of white"],
    ["GB", "pieces of black"],
  ],
  arrows: [
    ["columns", "4 to 10"],
    ["rows", "4 to 10"],
  ],
  mnk: [
    ["N", "rows"],
    ["M", "columns"],
    ["K", "in a line to win"],
  ],
  morris: [],
};
/** The parameters of each game in their order: the name by which the server's sentences call them, and what they are. */

export class VariantForm {
  /** @param {{name: string, parameters: string}[]} known the games, with their usual variants */
  constructor(known) {
    this.select = /** @type {HTMLSelectElement} */ (find("#game"));
    this.container = find("#variant");
    this.fault = find("#variant-fault");
    this.select.replaceChildren(...known.map(({ name }) => new Option(gameName(name), name)));
    this.select.addEventListener("change", () => {
      this.show(this.game, known.find(({ name }) => name === this.game).parameters);
    });
  }

  /** @returns {string} the game that is chosen */
  get game() {
    return this.select.value;
  }

  /** Show the fields of a game, with a variant filled in. */
  show(game, parameters) {
    this.select.value = game;
    const values = parameters.split(/[\s,]+/).filter(Boolean);
    const parts = PARTS[game] ?? [["parameters", "parted by blanks"]];
    const whole = parts.length === values.length ? values : [values.join(" ")];
    const named = parts.length === values.length ? parts : [["parameters", "all in one line"]];
    this.inputs = values.length ? named.map(([name, meaning], i) => this.#field(name, meaning, whole[i])) : [];
    this.container.replaceChildren(...this.inputs.map((input) => input.parentElement));
    find("#variant-part").hidden = !this.inputs.length;
    this.refuse("");
  }

  /** @returns {string} what was typed */
  get value() {
    return this.inputs.map((input) => input.value.trim()).join(" ").trim();
  }

  /** Show why a variant is refused, at the field that the server's sentence names; an empty sentence takes it away. */
  refuse(sentence) {
    this.fault.textContent = sentence;
    const named = this.inputs.filter((input) => new RegExp(`(^| )${input.name}( is|,|$)`).test(sentence.split(", but")[0]));
    const wrong = sentence && !named.length ? this.inputs : named;
    for (const input of this.inputs) input.setAttribute("aria-invalid", String(wrong.includes(input)));
    if (sentence) (wrong[0] ?? this.inputs[0])?.focus();
  }

  #field(name, meaning, value) {
    const input = el("input", {
      name,
      value,
      inputmode: name === "parameters" ? "text" : "numeric",
      autocomplete: "off",
      spellcheck: "false",
      "aria-describedby": this.fault.id,
    });
    el("label", {}, el("b", {}, name), el("small", {}, meaning), input);
    return input;
  }
}
