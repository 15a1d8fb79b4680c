/** Running matches beyond those that the lobby tells of every second: more of them when asked for, or found by a name. */

import { find, say } from "../shared/dom.js";
import { Refused, ask } from "../shared/net.js";
import { count, sentence } from "../shared/words.js";

const AGAIN_MS = 5000;
const TYPED_MS = 300;

export class Further {
  /** @param {(matches: object[]) => void} show the rows of the list */
  constructor(show) {
    this.show = show;
    this.lobby = null;
    this.pages = 0; // asked for beyond the first one
    this.found = null; // what the server has answered last, of `name` and `pages`
    this.again = 0;
    find("#rest").addEventListener("click", () => {
      this.pages += 1;
      this.#ask();
    });
    find("#sought").addEventListener("input", () => {
      this.pages = 0;
      clearTimeout(this.again);
      this.again = setTimeout(() => this.#ask(), TYPED_MS);
    });
  }

  /** The lobby has changed. */
  take(lobby) {
    this.lobby = lobby;
    this.#draw();
  }

  get #name() {
    return find("#sought").value.trim();
  }

  /** Ask for what the lobby does not tell; as long as somebody looks at it, again and again. */
  async #ask() {
    clearTimeout(this.again);
    const [name, pages] = [this.#name, this.pages];
    if (!name && !pages) {
      this.found = null;
      this.#draw();
      return;
    }
    try {
      if (!document.hidden) await this.#fetch(name, pages);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      say(find("#listed"), sentence(error.message));
    }
    if (name === this.#name && pages === this.pages) this.again = setTimeout(() => this.#ask(), AGAIN_MS);
  }

  async #fetch(name, pages) {
    const found = { count: 0, matches: [] };
    for (let page = 0; page <= pages; page += 1) {
      const before = found.matches.at(-1)?.match ?? "";
      const answer = await ask(`/api/matches?${new URLSearchParams({ name, before })}`);
      found.count = answer.found;
      found.matches.push(...answer.matches);
      if (!answer.matches.length) break;
    }
    if (name !== this.#name || pages !== this.pages) return; // something else is wanted by now
    this.found = found;
    this.#draw();
  }

  #draw() {
    const { lobby } = this;
    if (!lobby) return;
    const told = new Map(lobby.running.map((match) => [match.match, match]));
    const matches = this.found ? this.found.matches.map((match) => told.get(match.match) ?? match) : lobby.running;
    const known = this.found ? this.found.count : lobby.playing;
    const boards = new Set(lobby.running.filter((match) => match.board).map(({ match }) => match));
    const rows = this.#name ? matches : matches.filter(({ match }) => !boards.has(match));
    find("#more").hidden = !rows.length && !this.#name;
    const shown = matches.length;
    const whole = this.#name ? count(known, "match", "matches") : `all ${known} shown`;
    say(find("#listed"), shown < known ? `${shown} of ${known} shown` : whole);
    find("#rest").hidden = shown >= known;
    this.show(rows);
  }
}
