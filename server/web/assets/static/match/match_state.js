/** A match as far as this page knows it: what is fixed, the moves, and the positions. */

export class MatchState {
  /** @param {{info: any, now: any, frames: object[], notes: object[]}} told the answer of /api/matches/17 */
  constructor(told) {
    this.info = told.info;
    /** @type {any[]} moves, with what both sides had left after each */
    this.steps = [];
    /** @type {any[]} positions, after so many plies */
    this.frames = [];
    this.reset(told);
  }

  /** Take over all of it anew: the first position is whole, each other one what has changed since the one before. */
  reset({ now, frames, notes }) {
    this.take(now);
    let frame = null;
    for (const told of frames) {
      frame = frame ? changed(frame, told) : told;
      this.frames[frame.ply] = frame;
    }
    /** @type {any[]} */
    this.notes = notes;
  }

  /** Take over how the match stands, and the moves that come with it; tell whether none is missing before them. */
  take(now) {
    if (now.first > this.steps.length) return false;
    this.now = now;
    this.steps.splice(now.first, now.steps.length, ...now.steps);
    if (now.frame && (now.frame.motion || !this.frames[now.frame.ply])) this.frames[now.frame.ply] = now.frame;
    return true;
  }

  get plies() {
    return this.steps.length;
  }

  get over() {
    return this.now.phase === "over";
  }

  get sides() {
    return this.info.start.sides;
  }

  /** The side that made a move, counted from 1. */
  mover(ply) {
    return this.frames[ply]?.motion?.side ?? (this.info.start.turn + ply - 1) % 2;
  }

  /** The position after so many plies as a board draws it, or null where it is not known. */
  view(ply) {
    const ending = ply === this.plies ? this.now.ending : null;
    return this.frames[ply] ? { ...this.info.start, ...this.frames[ply], ending } : null;
  }

  /** What was noted of the move that led to a position; in the last one also of moves that were never made. */
  notesOf(ply) {
    return this.notes.filter((note) => note.ply === ply || (ply === this.plies && note.ply > ply));
  }

  /** Whether there is more to be seen than is known here. */
  get moreNoted() {
    return this.now.noted > this.notes.length;
  }

  /** What both sides had left after so many plies, in milliseconds. */
  clocks(ply) {
    if (ply === this.plies) return this.now.clocks;
    return ply ? this.steps[ply - 1].slice(1) : [this.info.budget, this.info.budget];
  }

  /** Who ran out of time, and after how long, where that has lost the match; null where it has not. */
  get fallen() {
    const { ending } = this.now;
    if (ending?.reason !== "time" || ending.winner === null) return null;
    const side = 1 - ending.winner;
    return { side, spent: this.plies ? this.steps[this.plies - 1][1 + side] : this.info.budget };
  }

  /** The places in graphs: one for each move, and one for that which was not made in time. */
  get slots() {
    return this.plies + (this.fallen ? 1 : 0);
  }

  /** How long each move took, with its side; the first of each side includes getting ready. */
  used() {
    const left = [this.info.budget, this.info.budget];
    return this.steps.map((step, i) => {
      const side = this.mover(i + 1);
      const spent = Math.max(0, left[side] + this.info.increment - step[1 + side]);
      left[side] = step[1 + side];
      return { side, spent };
    });
  }
}

/** The position after a change; what a change does not name is empty. */
function changed(before, { came = [], left = [], lines = [], ...others }) {
  const pieces = new Map(before.pieces.map((piece) => [piece[0], piece]));
  for (const field of left) pieces.delete(field);
  for (const piece of came) pieces.set(piece[0], piece);
  const written = before.text.split("\n");
  for (const [number, line] of lines) written[number] = line;
  const empty = { stock: null, aims: [null, null], decisive: [], summary: "", motion: null };
  return { ...empty, text: written.join("\n"), ...others, pieces: [...pieces.values()] };
}
