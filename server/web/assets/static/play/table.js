/**
 * The table: a game from its start, the moves that were taken back, and who plays. It knows no rules, only that the
 * sides take turns. A table is never changed; every function returns another one.
 *
 * @typedef {object} Table
 * @property {string} game
 * @property {string} parameters
 * @property {string} start the position in which it began, where that is not the usual one; else empty
 * @property {string[]} moves
 * @property {string[]} undone the next to be made again first
 * @property {string[]} seats who plays each side: person; bot:SECONDS; or level:NUMBER, a bot of that level
 */

export const PERSON = "person";

export const MAX_LEVEL = 10; // of engine/levels.py

const SECONDS = 1; // that a bot thinks where nothing is said
const MAX_SECONDS = 10; // that a bot of a level may take, which most never need

/** @returns {{seconds: number, level: number}} what the bot of a seat is asked with */
export function strength(seat) {
  const [kind, number] = seat.split(":");
  if (kind !== "level") return { seconds: Number(number), level: MAX_LEVEL };
  const level = Number(number);
  return { seconds: level === MAX_LEVEL ? SECONDS : MAX_SECONDS, level };
}

/** @returns {string} who plays on a seat, for people */
export function seatName(seat) {
  const [kind, number] = seat.split(":");
  if (kind === "level") return `bot, level ${number}`;
  return kind === "bot" ? `bot, ${number} s` : "person";
}

/** @returns {boolean} whether a person plays */
export function hasPerson(table) {
  return table.seats.includes(PERSON);
}

/** @returns {Table} after a move; moves that were taken back stay as long as the same ones are played */
export function played(table, move) {
  const undone = table.undone[0] === move ? table.undone.slice(1) : [];
  return { ...table, moves: [...table.moves, move], undone };
}

/**
 * Take moves back to where a person chose, between bots one; null where there is none.
 * @param {Table} table
 * @param {number} turn whose turn it is, 0 or 1
 * @returns {?Table}
 */
export function undo(table, turn) {
  for (let count = table.moves.length - 1; count >= 0; count -= 1) {
    if (isStop(table, turn, count)) {
      const [moves, taken] = [table.moves.slice(0, count), table.moves.slice(count)];
      return { ...table, moves, undone: [...taken, ...table.undone] };
    }
  }
  return null;
}

/** Make moves again, up to where a person is to choose; null where none was taken back. */
export function redo(table, turn) {
  const all = [...table.moves, ...table.undone];
  for (let count = table.moves.length + 1; count <= all.length; count += 1) {
    if (count === all.length || isStop(table, turn, count)) {
      return { ...table, moves: all.slice(0, count), undone: all.slice(count) };
    }
  }
  return null;
}

function isStop(table, turn, count) {
  const side = (turn + Math.abs(table.moves.length - count)) % 2;
  return !hasPerson(table) || table.seats[side] === PERSON;
}

/** @returns {object} what the server is asked about a table */
export function question({ game, parameters, start, moves }) {
  return { game, ...(start ? { start } : { parameters }), moves };
}

/** @returns {URLSearchParams} what a link names a game and its beginning by */
export function linkTo({ game, parameters, start }) {
  const parts = new URLSearchParams({ game });
  if (start) parts.set("start", start);
  else if (parameters) parts.set("params", parameters);
  return parts;
}

/** @returns {string} the part of an address behind #, from which `fromLink` makes the same table */
export function toLink(table) {
  const parts = linkTo(table);
  parts.set("players", table.seats.join(","));
  if (table.moves.length) parts.set("moves", table.moves.join(","));
  return parts.toString();
}

/** @returns {?Table} the table that a link names; null where it names none */
export function fromLink(link) {
  const parts = new URLSearchParams(link);
  const game = parts.get("game");
  if (!game) return null;
  const seats = (parts.get("players") ?? `${PERSON},bot:${SECONDS}`).split(",").map(seatOf);
  return {
    game,
    parameters: parts.get("params") ?? undefined,
    start: parts.get("start") ?? "",
    moves: (parts.get("moves") ?? "").split(",").filter(Boolean),
    undone: [],
    seats: [seats[0] ?? PERSON, seats[1] ?? PERSON],
  };
}

/** @returns {string} the seat that a word of a link names; a person where it names none */
function seatOf(word) {
  const [kind, text] = word.split(":");
  const number = Number(text);
  if (kind === "bot" && number > 0) return `bot:${number}`;
  return kind === "level" && number >= 1 && number <= MAX_LEVEL && Number.isInteger(number) ? `level:${number}` : PERSON;
}
