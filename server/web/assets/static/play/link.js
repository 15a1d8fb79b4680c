/**
 * A game with its variations, as the server is asked about it, and as the part of an address behind #, which the server
 * never sees.
 *
 * @typedef {object} Study
 * @property {string} game
 * @property {string|undefined} parameters
 * @property {string} start the position in which the tree begins, where that is not the usual one; else empty
 * @property {import("./tree.js").Node} root
 * @property {import("./tree.js").Path} path the node that is shown
 */

import { ask, posted } from "../shared/net.js";
import { EMPTY, lineOf, movesOf, placeOf, pathOf, read, write } from "./tree.js";

const MAX_LINK = 30_000; // characters: browsers and chats cut longer addresses, and a match of 1000 moves needs a third

/** @returns {Study} a game at its beginning @param {string} [parameters] @param {string} [start] */
export function newStudy(game, parameters = undefined, start = "") {
  return { game, parameters, start, root: EMPTY, path: [] };
}

/**
 * Ask the server about the position of a study. docs/api.md has the JSON.
 * @param {string} kind as in play/look
 * @param {Study} study
 * @param {object} [more] what else the question tells
 * @param {AbortSignal} [signal] ends the question, and a search on the server
 * @returns {Promise<any>} the answer; rejects with `Refused` of net.js
 */
export function askAbout(kind, { game, parameters, start, root, path }, more = {}, signal = null) {
  const question = { game, ...(start ? { start } : { parameters }), moves: movesOf(root, path), ...more };
  return ask(`/api/${kind}`, posted(question, signal));
}

/** @returns {string} what is wrong with the length of a link; empty where nothing is */
export function tooLong(link) {
  const count = (number) => number.toLocaleString("en");
  return link.length > MAX_LINK ? `a link has ${count(MAX_LINK)} characters at most, not ${count(link.length)}` : "";
}

/** What both kinds of links begin with. */
function beginning({ game, parameters, start }) {
  const parts = new URLSearchParams({ game });
  if (start) parts.set("start", start);
  else if (parameters) parts.set("params", parameters);
  return parts;
}

/** @param {Study} study @returns {string} the link of an analysis, with all variations */
export function toLink({ root, path, ...game }) {
  const tree = root.next.length ? `&tree=${write(root)}&at=${placeOf(path)}` : "";
  const note = root.note ? `&${new URLSearchParams({ note: root.note })}` : "";
  return beginning(game) + note + tree;
}

/** @param {Study} study @param {string} [players] @returns {string} the link of a game, up to the position that is shown */
export function toGameLink({ root, path, ...game }, players = "") {
  const parts = beginning(game);
  if (players) parts.set("players", players);
  if (path.length) parts.set("moves", movesOf(root, path).join(","));
  return parts.toString();
}

/** @returns {?Study} what a link of either kind names; null where it names nothing */
export function fromLink(link) {
  const parts = new URLSearchParams(link);
  const game = parts.get("game");
  if (!game) return null;
  const tree = /(?:^|&)tree=([^&]*)/.exec(link)?.[1];
  const moves = (parts.get("moves") ?? "").split(",").filter(Boolean);
  const root = { ...(tree ? read(tree) : lineOf(moves)[0]), note: parts.get("note") ?? "" };
  const study = newStudy(game, parts.get("params") ?? undefined, parts.get("start") ?? "");
  return { ...study, root, path: pathOf(root, parts.get("at")) };
}

/**
 * Make a study of a match.
 * @param {object} view the position in which it began
 * @param {[string, ...unknown[]][]} steps its moves, each the first of what is known of it
 * @param {number} ply how many of them lead to the position to show
 * @returns {Study}
 */
export function studyOf(view, steps, ply) {
  const [root] = lineOf(steps.map(([move]) => move));
  return { ...newStudy(view.game, view.parameters, view.text), root, path: Array(ply).fill(0) };
}
