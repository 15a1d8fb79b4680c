/** What things are called for people. */

/** Names of games, and names of levels from 1 on, which the server puts into pages that need them. */
const words = JSON.parse(document.body.dataset.words ?? '{"games": {}, "levels": []}');
const { games } = words;
export const { levels } = words;

/**
 * A number with its noun.
 * @param {number} number
 * @param {string} one
 * @param {string} [many]
 */
export function count(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** The name of a game, with its parameters where it has any. */
export function gameName(game, parameters) {
  const name = games[game] ?? game;
  return parameters ? `${name} ${parameters}` : name;
}

const DIRECTIONS = ["↑", "↗", "→", "↘", "↓", "↙", "←", "↖"];

/** A move as it stands in a list; that of arrows with the arrow that it lays down. */
export function moveText(game, move) {
  return game === "arrows" ? `${move} ${DIRECTIONS[move] ?? ""}` : move;
}

/** The numbers of pieces that a move removes, to stand behind the move; empty if it removes none. */
export function removal({ taken = [], returned = [] }) {
  const captured = taken.length - returned.length;
  const parts = [returned.length && `${returned.length} returned`, captured && `${captured} captured`].filter(Boolean);
  return parts.length ? `: ${parts.join(", ")}` : "";
}

/** What a side has made of a match, in a word. */
export function badge(ending, side) {
  if (ending.winner !== null) return ending.winner === side ? "won" : "lost";
  return ending.result === "annulled" ? "annulled" : "draw";
}

/** Milliseconds as a clock shows them: tenths below twenty seconds. */
export function time(milliseconds) {
  const left = Math.max(0, milliseconds);
  const seconds = Math.floor(left / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (number) => String(number).padStart(2, "0");
  if (hours) return `${hours}:${two(minutes)}:${two(seconds % 60)}`;
  if (seconds < 20) return `${minutes}:${two(seconds % 60)}.${Math.floor(left / 100) % 10}`;
  return `${minutes}:${two(seconds % 60)}`;
}

/** Milliseconds as a length of time, with one decimal where there is need of it. No length is negative. */
export function span(milliseconds) {
  const ms = Math.max(0, milliseconds);
  if (ms < 1000) return `${ms} ms`;
  const [size, unit] = ms < 120_000 ? [1000, "s"] : ms < 7_200_000 ? [60_000, "min"] : [3_600_000, "h"];
  return `${(Math.round((ms / size) * 10) / 10).toLocaleString("en", { useGrouping: false })} ${unit}`;
}

/** The time of day with its zone, from 0 to 24 hours. @param {Date} date */
export function timeOfDay(date) {
  return date.toLocaleTimeString("en", { hourCycle: "h23", timeZoneName: "short" });
}

/** A text with a capital letter. */
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A sentence of the server's as it stands alone: with a capital letter and a full stop. */
export function sentence(words) {
  return `${capital(words)}${/[.!?]$/.test(words) ? "" : "."}`;
}

/** The figures of a note in one line. The score of a note is good for the side that sent it. */
export function noteFigures({ side, score, depth, nodes }, sides) {
  const parts = [
    score === undefined ? "" : evaluation({ score: side ? -score : score }, sides),
    depth === undefined ? "" : `depth ${depth}`,
    nodes === undefined ? "" : count(nodes, "node"),
  ];
  return parts.filter(Boolean).join(" · ");
}

/** Seconds with one decimal. */
export function tenths(seconds) {
  return seconds.toLocaleString("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

/**
 * The evaluation of a position on the one scale of all pages, which `scale` names: pieces, or a win with its plies.
 * @param {{score?: number, win?: ?number, isDraw?: boolean}} value hundredths of a piece and plies to a win, both
 *   positive where they are good for the side that begins
 */
export function evaluation({ score = 0, win = null, isDraw = false }, sides) {
  const length = Number.isFinite(win) ? ` in ${count(Math.abs(win ?? 0), "ply", "plies")}` : "";
  if (win !== null) return `${sides[win > 0 ? 0 : 1]} wins${length}`;
  const rounded = Math.round(score);
  const pieces = (Math.abs(rounded) / 100).toLocaleString("en", { minimumFractionDigits: 2, useGrouping: false });
  return isDraw ? "draw" : `${rounded > 0 ? "+" : rounded < 0 ? "−" : ""}${pieces}`;
}

/** The unit and the sign of evaluations. */
export function scale(sides) {
  return `in pieces, + for ${sides[0]}`;
}
