/** The form for a game and its variant: a field for each parameter, and what the server says is wrong with them. */

import { el, find, say } from "../shared/dom.js";
import { gameName } from "../shared/words.js";

/** The parameters of each game: the name by which the server's sentences call them, and what they are. */
const PARTS = {
  gipf: { S: "fields on a side", K: "in a row to collect", GW: "pieces of white", GB: "pieces of black" },
  arrows: { columns: "4 to 10", rows: "4 to 10" },
  mnk: { N: "rows", M: "columns", K: "in a line to win" },
};

export class VariantForm {
  /** @param {{name: string, parameters: string}[]} known the games, with their usual variants */
  constructor(known) {
    this.select = /** @type {HTMLSelectElement} */ (find("#game"));
    this.select.replaceChildren(...known.map(({ name }) => new Option(gameName(name), name)));
    this.select.addEventListener("change", () => {
      this.show(this.game, known.find(({ name }) => name === this.game).parameters);
    });
  }

  /** @returns {string} the game that is chosen */
  get game() {
    return this.select.value;
  }

  /** Show the fields of a game, with a variant filled in: all of it in one field where it has other parts. */
  show(game, parameters) {
    this.select.value = game;
    const values = parameters.split(/[\s,]+/).filter(Boolean);
    const parts = Object.entries(PARTS[game] ?? {});
    const fields = parts.length === values.length ? parts : [["parameters", "all in one line"]];
    const shown = parts.length === values.length ? values : [values.join(" ")];
    this.inputs = values.length ? fields.map((field, i) => input(field[0], shown[i])) : [];
    const labels = this.inputs.map((one, i) => el("label", {}, el("b", {}, one.name), el("small", {}, fields[i][1]), one));
    find("#variant").replaceChildren(...labels);
    find("#variant-part").hidden = !this.inputs.length;
    this.refuse("");
  }

  /** @returns {string} what was typed */
  get value() {
    return this.inputs.map((one) => one.value.trim()).join(" ").trim();
  }

  /** Show why a variant is refused, at the field that the server's sentence names; an empty sentence takes it away. */
  refuse(sentence) {
    say(find("#variant-fault"), sentence);
    const named = this.inputs.filter(({ name }) => new RegExp(`(^| )${name}( is|,|$)`).test(sentence.split(", but")[0]));
    const wrong = sentence && !named.length ? this.inputs : named;
    for (const one of this.inputs) one.setAttribute("aria-invalid", String(wrong.includes(one)));
    if (sentence) (wrong[0] ?? this.inputs[0])?.focus();
  }
}

/** @returns {any} the input of a parameter */
function input(name, value) {
  const inputmode = name === "parameters" ? "text" : "numeric";
  return el("input", { name, value, inputmode, autocomplete: "off", spellcheck: "false", "aria-describedby": "variant-fault" });
}
