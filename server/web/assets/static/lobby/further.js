/** Running matches without boards: those that the lobby tells of every second, or those of a player. */

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
    this.found = null; // what the server has answered last, of a name
    this.again = 0;
    find("#sought").addEventListener("input", () => {
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

  /** Ask for the matches of a player; as long as somebody looks at them, again and again. */
  async #ask() {
    const name = this.#name;
    if (!name) this.found = null;
    try {
      const found = name && !document.hidden ? await ask(`/api/matches?${new URLSearchParams({ name })}`) : this.found;
      if (name !== this.#name) return; // something else is wanted by now
      this.found = found;
      this.#draw();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      say(find("#listed"), sentence(error.message));
    }
    if (name) this.again = setTimeout(() => this.#ask(), AGAIN_MS);
  }

  #draw() {
    const { lobby, found } = this;
    if (!lobby) return;
    const told = new Map(lobby.running.map((match) => [match.match, match]));
    const matches = found ? found.matches.map((match) => told.get(match.match) ?? match) : lobby.running;
    const rows = found ? matches : matches.filter((match) => !match.board);
    find("#more").hidden = !rows.length && !found;
    const known = found ? found.found : lobby.playing;
    const whole = found ? count(known, "match", "matches") : `all ${known} shown`;
    say(find("#listed"), matches.length < known ? `${matches.length} of ${known} shown` : whole);
    this.show(rows);
  }
}
