/** Making a move by pointing: at fields, dots and rows one after the other, as the legal moves allow. */

/**
 * @typedef {object} Legal
 * @property {string} move
 * @property {string[]} points what to point at, one after the other
 * @property {boolean} more whether rows are to be chosen after it
 */

export class Pointing {
  /**
   * @param {import("../boards/board.js").Board} board
   * @param {object} events
   * @param {(push: string) => Promise<any>} events.rows asks which rows can be chosen after a push
   * @param {(move: string, pushed: boolean) => void} events.move a move is complete, whose push is shown already or not
   * @param {(sentence: string) => void} events.say what to point at next
   * @param {(any: boolean) => void} events.chosen whether there is something to cancel
   */
  constructor(board, events) {
    this.board = board;
    this.events = events;
    /** @type {any} */
    this.view = null;
    /** @type {any} that has led to it */
    this.motion = null;
    this.focused = false; // whether the keyboard was on the board when nothing more was offered
    this.stop();
    board.container.addEventListener("click", (event) => {
      if (!(/** @type {Element} */ (event.target).closest(".offer"))) this.cancel(); // a finger has no Escape
    });
  }

  /** Offer the legal moves of a position, to which a motion has led. @param {any} view @param {Legal[]} legal @param {any} motion */
  begin(view, legal, motion) {
    [this.view, this.legal, this.motion] = [view, legal, motion];
    this.pointed = [];
    this.#offer();
    if (this.focused && document.activeElement === document.body) this.#focus();
    this.focused = false;
  }

  /** Offer nothing. */
  stop() {
    this.focused ||= this.board.container.contains(document.activeElement);
    /** @type {Legal[]} */
    this.legal = [];
    /** @type {string[]} */
    this.pointed = [];
    this.isPushed = false; // whether the board shows a push, of which rows are chosen
    this.events.chosen(false);
    this.board.offer([]);
  }

  /** Forget what was pointed at so far. */
  cancel() {
    if (!this.pointed.length) return;
    if (this.isPushed) this.board.show(this.view, this.motion);
    this.isPushed = false;
    this.pointed = [];
    this.#offer();
    this.events.say("");
  }

  /** Take a move that was typed or pointed at: where rows are to be chosen after it, offer them. @param {Legal} legal */
  async take({ move, more, points }) {
    this.events.chosen(more);
    if (!more) {
      this.#complete(move, false);
      return;
    }
    this.pointed = points;
    await this.#offerRows(move);
  }

  #offer() {
    const depth = this.pointed.length;
    const fitting = this.legal.filter(({ points }) => this.pointed.every((name, i) => points[i] === name));
    const whole = depth && fitting.find(({ points }) => points.length === depth);
    if (whole) {
      this.take(whole);
      return;
    }
    const names = [...new Set(fitting.filter(({ points }) => points.length > depth).map(({ points }) => points[depth]))];
    const chosen = this.pointed.filter((name) => !names.includes(name));
    const spots = [
      ...names.map((name) => this.#spot(name)),
      ...chosen.map((name) => ({ ...this.#spot(name), label: `${name}, chosen; choose another`, chosen: true })),
    ];
    this.#draw(spots, (spot) => {
      if (spot.chosen) this.cancel();
      else {
        this.pointed = [...this.pointed, spot.name];
        this.#offer();
      }
    });
    this.events.chosen(depth > 0);
    if (depth) this.events.say(`${this.pointed.join(" ")}: now choose ${names.join(" or ")}.`);
  }

  async #offerRows(push) {
    const asked = this.pointed;
    const found = await this.events.rows(push);
    if (this.pointed !== asked) return; // something else has been chosen meanwhile
    if (!found) {
      this.cancel();
      return;
    }
    this.isPushed = true;
    this.board.show({ ...this.view, pieces: found.pieces });
    const { sides } = this.view;
    const rows = found.choices.map((choice) => ({ ...choice, kind: "row", label: `take the row ${ends(choice)} of ${sides[choice.side]}` }));
    this.#draw(rows, ({ move, more }) => (more ? this.#offerRows(move) : this.#complete(move, true)));
    const owners = [...new Set(found.choices.map(({ side }) => sides[side]))].join(" and ");
    this.events.say(`Rows of ${owners} cross. Choose the one to take: ${found.choices.map(ends).join(" or ")}?`);
  }

  /** Tell a move, and offer nothing until its position is there: what is pointed at now is not meant for the one before. */
  #complete(move, pushed) {
    this.stop();
    this.events.move(move, pushed);
  }

  /** Offer something else, and let the keyboard stay on the board. */
  #draw(offers, choose) {
    const focused = this.board.container.contains(document.activeElement);
    this.board.offer(offers, choose);
    if (focused) this.#focus();
  }

  #focus() {
    /** @type {?HTMLElement} */ (this.board.container.querySelector(".offer"))?.focus();
  }

  #spot(name) {
    const isDot = this.view.layout.dots.some(([dot]) => dot === name);
    const piece = this.view.pieces.find(([field]) => field === name);
    const what = isDot ? "dot" : piece ? this.view.sides[piece[1]] : "empty";
    return { kind: isDot ? "dot" : "field", name, label: `${name}, ${what}` };
  }
}

/** The first and the last field of a row. */
function ends({ fields }) {
  return `${fields[0]} to ${fields.at(-1)}`;
}
