/**
 * An analysis as the part of an address behind #: a game, where it begins, and the tree. The server never sees it.
 *
 * @typedef {object} Study
 * @property {string} game
 * @property {string|undefined} parameters
 * @property {string} start the position in which the tree begins, where that is not the usual one; else empty
 * @property {import("./tree.js").Node} root
 * @property {import("./tree.js").Path} path the node that is shown
 */

import { question as asked, linkTo } from "../play/table.js";
import { lineOf, movesOf, numberOf, pathOf, read, write } from "./tree.js";

const MAX_LINK = 30_000; // characters: browsers and chats cut longer addresses, and a match of 1000 moves needs a third

/** @returns {string} what is wrong with the length of a link; empty where nothing is */
export function tooLong(link) {
  const count = (number) => number.toLocaleString("en");
  return link.length > MAX_LINK ? `a link has ${count(MAX_LINK)} characters at most, not ${count(link.length)}` : "";
}

/** @param {Study} study @returns {object} what the server is asked about the position that is shown */
export function question({ root, path, ...game }) {
  return asked({ ...game, moves: movesOf(root, path) });
}

/** @param {Study} study @returns {string} */
export function toLink({ root, path, ...game }) {
  const parts = linkTo(game);
  const tree = root.next.length ? `&tree=${write(root)}&at=${numberOf(root, path)}` : "";
  const note = root.note ? `&${new URLSearchParams({ note: root.note })}` : "";
  return parts + note + tree;
}

/** @returns {?Study} what a link names, one of the page for playing too; null where it names nothing */
export function fromLink(link) {
  const parts = new URLSearchParams(link);
  const game = parts.get("game");
  if (!game) return null;
  const tree = /(?:^|&)tree=([^&]*)/.exec(link)?.[1] ?? encodeURI(parts.get("moves") ?? "");
  const root = { ...read(tree), note: parts.get("note") ?? "" };
  const at = parts.has("at") ? Number(parts.get("at")) : Number.POSITIVE_INFINITY;
  return { game, parameters: parts.get("params") ?? undefined, start: parts.get("start") ?? "", root, path: pathOf(root, at) };
}

/**
 * Make a study of a match.
 * @param {object} view the position in which it began
 * @param {[string, ...unknown[]][]} steps its moves, each the first of what is known of it
 * @param {number} ply how many of them lead to the position to show
 * @returns {Study}
 */
export function studyOf(view, steps, ply) {
  const moves = steps.map(([move]) => move);
  const [root] = lineOf(moves);
  return { game: view.game, parameters: view.parameters, start: view.text, root, path: Array(ply).fill(0) };
}

/** @param {Study} study @returns {string} the link of the page for playing on from where an analysis stands */
export function toPlay({ root, path, ...game }) {
  const parts = linkTo(game);
  parts.set("players", "person,bot:1");
  if (path.length) parts.set("moves", movesOf(root, path).join(","));
  return `/play#${parts}`;
}
