/** Making a move by pointing: at fields, dots and rows one after the other, as the legal moves allow. */

/**
 * @typedef {object} Legal
 * @property {string} move
 * @property {string[]} points what to point at, one after the other
 * @property {boolean} more whether rows are to be chosen after it
 */

export class Pointing {
  /**
   * @param {object} board as of boards/board.js
   * @param {object} events
   * @param {(push: string) => Promise<object>} events.rows asks which rows can be chosen after a push
   * @param {(move: string, pushed: boolean) => void} events.move a move is complete, whose push is shown already or not
   * @param {(sentence: string) => void} events.say what to point at next
   * @param {(any: boolean) => void} events.chosen whether there is something to cancel
   */
  constructor(board, events) {
    this.board = board;
    this.events = events;
    this.focused = false;
    this.stop();
    board.container.addEventListener("click", (event) => {
      if (!event.target.closest(".offer")) this.cancel(); // a finger has no Escape
    });
  }

  /** Offer the legal moves of a position, to which a motion has led. */
  begin(view, legal, motion) {
    this.view = view;
    this.motion = motion;
    this.legal = legal;
    this.dots = new Set((view.layout?.dots ?? []).map(([name]) => name));
    this.pointed = [];
    this.choosing = false;
    this.#offer();
    if (this.focused && document.activeElement === document.body) this.board.container.querySelector(".offer")?.focus();
    this.focused = false;
  }

  /** Offer nothing. */
  stop() {
    this.focused ||= this.board.container.contains(document.activeElement);
    this.legal = [];
    this.pointed = [];
    this.choosing = false;
    this.events.chosen(false);
    this.board.offer([]);
  }

  /** Forget what was pointed at so far; tell whether there was anything. */
  cancel() {
    if (!this.pointed.length) return false;
    if (this.choosing) this.board.show(this.view, this.motion);
    this.choosing = false;
    this.pointed = [];
    this.#offer();
    this.events.say("");
    return true;
  }

  /** Take a move that was typed or chosen elsewhere: where rows are to be chosen after it, offer them. */
  async take(legal) {
    this.events.chosen(legal.more);
    if (!legal.more) {
      this.#complete(legal.move, false);
      return;
    }
    this.pointed = legal.points;
    await this.#offerRows(legal.move);
  }

  #offer() {
    const depth = this.pointed.length;
    const fitting = this.legal.filter(({ points }) => this.pointed.every((name, i) => points[i] === name));
    const whole = fitting.find(({ points }) => depth > 0 && points.length === depth);
    if (whole) {
      this.take(whole);
      return;
    }
    const names = [...new Set(fitting.filter(({ points }) => points.length > depth).map(({ points }) => points[depth]))];
    const chosen = this.pointed.filter((name) => !names.includes(name));
    this.#draw(
      [
        ...names.map((name) => ({ kind: this.#kind(name), name, label: this.#label(name) })),
        ...chosen.map((name) => ({ kind: this.#kind(name), name, label: `${name}, chosen; choose another`, chosen: true })),
      ],
      (offer) => {
        if (offer.chosen) this.cancel();
        else this.#point(offer.name);
      },
    );
    this.events.chosen(depth > 0);
    if (depth) this.events.say(`${this.pointed.join(" ")}: ${names.join(" or ")}?`);
  }

  /** Tell a move, and offer nothing until its position is there: what is pointed at now is not meant for the one before. */
  #complete(move, pushed) {
    this.stop();
    this.events.move(move, pushed);
  }

  #point(name) {
    this.pointed = [...this.pointed, name];
    this.#offer();
  }

  async #offerRows(push) {
    const asked = this.pointed;
    const found = await this.events.rows(push);
    if (this.pointed !== asked) return; // something else has been chosen meanwhile
    if (!found) {
      this.cancel();
      return;
    }
    this.choosing = true;
    this.board.show({ ...this.view, pieces: found.pieces });
        this.#draw(
      found.choices.map(({ move, fields }) => ({ kind: "row", fields, move, label: `take the row ${fields[0]} to ${fields.at(-1)}` })),
      ({ move }) => {
        const { more } = found.choices.find((choice) => choice.move === move);
        if (more) this.#offerRows(move);
        else this.#complete(move, true);
      },
    );
    this.events.say("Rows cross: choose the one to take.");
  }

  /** Offer something else, and let the keyboard stay on the board. */
  #draw(offers, choose) {
    const focused = this.board.container.contains(document.activeElement);
    this.board.offer(offers, choose);
    if (focused) this.board.container.querySelector(".offer")?.focus();
  }

  #kind(name) {
    return this.dots.has(name) ? "dot" : "field";
  }

  #label(name) {
    const piece = this.view.pieces.find(([field]) => field === name);
    const what = this.dots.has(name) ? "dot" : piece ? this.view.sides[piece[1]] : "empty";
    return `${name}, ${what}`;
  }
}
