/** Two clocks that tick between what the server tells of them. */

import { time } from "./words.js";

const TICK_MS = 100;

/** Shows the clocks of both sides in two elements. */
export class Clocks {
  /** @param {HTMLElement[]} faces of both sides */
  constructor(faces) {
    this.faces = faces;
    this.left = [0, 0];
    this.runs = [false, false];
    this.since = performance.now();
    this.timer = 0;
  }

  /**
   * Take over what the server says.
   * @param {number[]} left milliseconds of both sides
   * @param {boolean[]} runs
   */
  set(left, runs) {
    [this.left, this.runs, this.since] = [left, runs, performance.now()];
    clearInterval(this.timer);
    if (runs[0] || runs[1]) this.timer = setInterval(() => this.#draw(), TICK_MS);
    this.#draw();
  }

  /** Let both stand where they are: nobody knows how they go on. */
  stop() {
    const gone = performance.now() - this.since;
    this.set(
      this.left.map((left, side) => left - (this.runs[side] ? gone : 0)),
      [false, false],
    );
  }

  #draw() {
    const gone = performance.now() - this.since;
    this.faces.forEach((face, side) => {
      const left = this.left[side] - (this.runs[side] ? gone : 0);
      const shown = time(left);
      if (face.textContent !== shown) face.textContent = shown;
      face.classList.toggle("runs", this.runs[side]);
      face.classList.toggle("short", left < 10_000);
    });
  }
}
