/** A match as far as this page knows it: what is fixed, the moves, and the positions. */

export class MatchState {
  /** @param {{info: object, now: object, frames: object[]}} told the answer of /api/matches/17 */
  constructor(told) {
    this.info = told.info;
    this.steps = [];
    this.frames = [];
    this.notes = [];
    this.reset(told);
  }

  /** Take over all of it anew. */
  reset(told) {
    this.take(told.now);
    this.fill(told.frames);
    this.notes = told.notes;
  }

  /** Take over how the match stands, and the moves that come with it; tell whether none is missing before them. */
  take(now) {
    if (now.first > this.steps.length) return false;
    this.now = now;
    now.steps.forEach((step, i) => {
      this.steps[now.first + i] = step;
    });
    if (now.frame && (now.frame.motion || !this.frames[now.frame.ply])) this.frames[now.frame.ply] = now.frame;
    return true;
  }

  /** Take over positions: the first whole, each other one as what has changed since the one before. */
  fill(frames) {
    let frame = null;
    for (const told of frames) {
      frame = frame ? changed(frame, told) : told;
      this.frames[frame.ply] = frame;
    }
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
    const frame = this.frames[ply];
    if (!frame) return null;
    const { motion, ...position } = frame;
    return { ...this.info.start, ...position, ending: ply === this.plies ? this.now.ending : null };
  }

  motion(ply) {
    return this.frames[ply]?.motion ?? null;
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
    const left = this.plies ? this.steps[this.plies - 1][1 + side] : this.info.budget;
    return { side, spent: left };
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
function changed(before, { ply, turn, came = [], left = [], lines = [], text, ...others }) {
  const pieces = new Map(before.pieces.map((piece) => [piece[0], piece]));
  for (const field of left) pieces.delete(field);
  for (const piece of came) pieces.set(piece[0], piece);
  const written = before.text.split("\n");
  for (const [number, line] of lines) written[number] = line;
  const empty = { stock: null, aims: [null, null], decisive: [], summary: "", picture: "", motion: null };
  return { ...empty, ...others, ply, turn, pieces: [...pieces.values()], text: text ?? written.join("\n") };
}
