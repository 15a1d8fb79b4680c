/** What things are called for people. */

/** Names of games, reasons of ends, and names of levels from 1 on, which the server puts into pages that need them. */
const words = JSON.parse(document.body.dataset.words ?? '{"games": {}, "reasons": {}, "levels": []}');
const { games, reasons } = words;
export const { levels } = words;

/**
 * A number with its noun.
 * @param {number} number
 * @param {string} one
 * @param {string} [many]
 */
export function count(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
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

/** A reason in few words; one that is not known here as it is written. */
export function reason(word) {
  const parts = word.split("+").map((part) => reasons[part] ?? part.replaceAll("_", " "));
  return parts.join(" and ");
}

/** Who has won, in words. */
export function outcome(ending, players, sides) {
  if (!ending) return "";
  if (ending.winner !== null) return `${players[ending.winner]} wins (${sides[ending.winner]})`;
  return ending.result === "annulled" ? "Annulled" : "Draw";
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

/** Milliseconds as a length of time, with one decimal where there is need of it. */
export function span(ms) {
  if (ms < 1000) return `${ms} ms`;
  const [size, unit] = ms < 120_000 ? [1000, "s"] : ms < 7_200_000 ? [60_000, "min"] : [3_600_000, "h"];
  return `${(Math.round((ms / size) * 10) / 10).toLocaleString("en", { useGrouping: false })} ${unit}`;
}

/** A text with a capital letter. */
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A sentence of the server's as it stands alone: with a capital letter and a full stop. */
export function sentence(words) {
  return `${capital(words)}${/[.!?]$/.test(words) ? "" : "."}`;
}

/** The figures of a note in one line. */
export function noteFigures({ score, depth, nodes }) {
  const parts = [
    score === undefined ? "" : `score ${score}`,
    depth === undefined ? "" : `depth ${depth}`,
    nodes === undefined ? "" : `${nodes.toLocaleString("en")} ${nodes === 1 ? "node" : "nodes"}`,
  ];
  return parts.filter(Boolean).join(" · ");
}

/** A score in pieces, without its sign. */
export function hundredths(score) {
  return (Math.abs(score) / 100).toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2, useGrouping: false });
}

/** Seconds with one decimal. */
export function tenths(seconds) {
  return seconds.toLocaleString("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

/** Whom a score or a win is good for. */
export function advantage({ score, win }, sides) {
  if (win !== null) return `${sides[win > 0 ? 0 : 1]} wins ${inMoves(Math.abs(win))}`;
  return score === 0 ? "even" : `${hundredths(score)} for ${sides[score > 0 ? 0 : 1]}`;
}

/** After how many moves, as in "wins in 3 moves". */
export function inMoves(number) {
  return `in ${count(number, "move")}`;
}
