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
 * @property {number[]} seats for each side how many seconds its bot thinks, 0 for a person
 */

/** @returns {boolean} whether a person plays */
export function hasPerson(table) {
  return table.seats.includes(0);
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
  return !hasPerson(table) || table.seats[side] === 0;
}

/** @returns {object} what the server is asked about a table */
export function question(table) {
  const from = table.start ? { start: table.start } : { parameters: table.parameters };
  return { game: table.game, ...from, moves: table.moves };
}

/** @returns {string} the part of an address behind #, from which `fromLink` makes the same table */
export function toLink(table) {
  const parts = new URLSearchParams({ game: table.game });
  if (table.start) parts.set("start", table.start);
  else if (table.parameters) parts.set("params", table.parameters);
  parts.set("players", table.seats.map((seconds) => (seconds ? `bot:${seconds}` : "person")).join(","));
  if (table.moves.length) parts.set("moves", table.moves.join(","));
  return parts.toString();
}

/** @returns {?Table} the table that a link names; null where it names none */
export function fromLink(link) {
  const parts = new URLSearchParams(link);
  const game = parts.get("game");
  if (!game) return null;
  const seats = (parts.get("players") ?? "person,bot:1").split(",").map((word) => Number(word.split(":")[1] ?? 0) || 0);
  return {
    game,
    parameters: parts.get("params") ?? undefined,
    start: parts.get("start") ?? "",
    moves: (parts.get("moves") ?? "").split(",").filter(Boolean),
    undone: [],
    seats: [seats[0] ?? 0, seats[1] ?? 0],
  };
}
