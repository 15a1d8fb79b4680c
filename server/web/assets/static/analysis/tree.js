/**
 * A tree of variations: moves from one position, with comments. It knows no rules. A tree is never changed; what changes
 * it returns another one, which shares the rest.
 *
 * @typedef {object} Node
 * @property {string} move that led here; empty at the root
 * @property {string} note a comment on the position after it
 * @property {Node[]} next what was played from here, the main line first
 *
 * @typedef {number[]} Path which child to take at each node, from the root
 */

/** @type {Node} */
export const EMPTY = { move: "", note: "", next: [] };

const MAX_NOTE = 2000; // characters of a comment

/** @returns {Node[]} the nodes on a path, the root left out */
function nodesOf(root, path) {
  const nodes = [];
  let node = root;
  for (const i of path) {
    node = node.next[i];
    nodes.push(node);
  }
  return nodes;
}

/** @returns {Node} */
export function nodeAt(root, path) {
  return nodesOf(root, path).at(-1) ?? root;
}

/** @returns {string[]} the moves that lead to a node */
export function movesOf(root, path) {
  return nodesOf(root, path).map(({ move }) => move);
}

/** @returns {Path} the last node that comes of always taking the first move */
export function mainEnd(root, path) {
  const whole = [...path];
  for (let node = nodeAt(root, path); node.next.length; [node] = node.next) whole.push(0);
  return whole;
}

/** @returns {[Node, Path]} the tree with a move at a path, which may be there already, and the path behind it */
export function grown(root, path, move) {
  const { next } = nodeAt(root, path);
  const known = next.findIndex((child) => child.move === move);
  if (known >= 0) return [root, [...path, known]];
  const child = { move, note: "", next: [] };
  return [changed(root, path, (node) => ({ ...node, next: [...node.next, child] })), [...path, next.length]];
}

/** @returns {[Node, Path]} a tree of one line, and the path to its end */
export function lineOf(moves) {
  const next = moves.reduceRight((behind, move) => [{ move, note: "", next: behind }], []);
  return [{ ...EMPTY, next }, moves.map(() => 0)];
}

/** @returns {[Node, Path]} the tree without a node and all behind it, and the path before it */
export function pruned(root, path) {
  const before = path.slice(0, -1);
  const last = path.at(-1);
  return [changed(root, before, (node) => ({ ...node, next: node.next.filter((_, i) => i !== last) })), before];
}

/** @returns {[Node, Path]} the tree with the variation of a node as the main one where it begins, and the node's path */
export function promoted(root, path) {
  const depth = path.findLastIndex((i) => i > 0);
  if (depth < 0) return [root, path];
  const chosen = path[depth];
  const tree = changed(root, path.slice(0, depth), (node) => ({
    ...node,
    next: [node.next[chosen], ...node.next.filter((_, i) => i !== chosen)],
  }));
  return [tree, path.map((i, at) => (at === depth ? 0 : i))];
}

/** @returns {Node} the tree with a comment at a path */
export function noted(root, path, note) {
  return changed(root, path, (node) => ({ ...node, note: note.slice(0, MAX_NOTE) }));
}

/** @returns {?Path} the node beside one, one place further or back, where moves branch; null where there is none */
export function beside(root, path, step) {
  const before = path.slice(0, -1);
  const wanted = (path.at(-1) ?? 0) + step;
  return path.length && nodeAt(root, before).next[wanted] ? [...before, wanted] : null;
}

function changed(root, path, change, depth = 0) {
  if (depth === path.length) return change(root);
  return { ...root, next: root.next.map((child, i) => (i === path[depth] ? changed(child, path, change, depth + 1) : child)) };
}

/** @returns {number} how many nodes there are, this one included */
function size(node) {
  let count = 0;
  const waiting = [node];
  while (waiting.length) {
    count += 1;
    waiting.push(...waiting.pop().next);
  }
  return count;
}

/** @returns {number} a node as a number: 0 is the root, and nodes of the main line have the number of their move */
export function numberOf(root, path) {
  let number = 0;
  let node = root;
  for (const i of path) {
    number += node.next.slice(0, i).reduce((sum, child) => sum + size(child), 1);
    node = node.next[i];
  }
  return number;
}

/** @returns {Path} the node of a number; the end of the main line for a number that there is not */
export function pathOf(root, number) {
  if (!(number >= 0 && number < size(root))) return mainEnd(root, []);
  const path = [];
  let node = root;
  let left = Math.floor(number);
  while (left > 0) {
    left -= 1;
    let i = 0;
    for (let held = node.next.length > 1 ? size(node.next[0]) : left + 1; left >= held; held = size(node.next[i])) {
      left -= held;
      i += 1;
    }
    path.push(i);
    node = node.next[i];
  }
  return path;
}

/**
 * Write a tree in a few characters that an address may hold: moves between commas, each variation in parentheses behind
 * the move that it replaces, a comment behind an exclamation mark.
 * @returns {string}
 */
export function write(root) {
  const parts = [];
  for (let node = root; node.next.length; [node] = node.next) {
    const [main, ...others] = node.next;
    parts.push(word(main), ...others.map((other) => `(${[word(other), write(other)].filter(Boolean).join(",")})`));
  }
  return parts.join(",");
}

function word({ move, note }) {
  const text = encodeURIComponent(move.replaceAll(" ", "_"));
  return note ? `${text}!${encodeURIComponent(note).replace(/[!()]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)}` : text;
}

/** @returns {Node} the tree that a text of `write` holds; what cannot be read is left out */
export function read(text) {
  let root = EMPTY;
  let at = [];
  const open = []; // where to go on behind each variation
  for (const part of text.match(/[()]|[^(),]+/g) ?? []) {
    if (part === "(") {
      open.push(at);
      at = at.slice(0, -1);
    } else if (part === ")") at = open.pop() ?? at;
    else {
      const [move, note] = part.split("!").map(decoded);
      [root, at] = grown(root, at, move.replaceAll("_", " "));
      if (note) root = noted(root, at, note);
    }
  }
  return root;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @returns {string} a tree for people to read: moves with numbers, variations in parentheses, comments in braces */
export function toText(root, ply = 0) {
  const parts = root.note && !ply ? [`{${root.note}}`] : [];
  let count = ply;
  for (let node = root; node.next.length; [node] = node.next) {
    count += 1;
    const [main, ...others] = node.next;
    const told = (child) => `${count}. ${child.move}${child.note ? ` {${child.note}}` : ""}`;
    parts.push(told(main), ...others.map((other) => `(${[told(other), toText(other, count)].filter(Boolean).join(" ")})`));
  }
  return parts.join(" ");
}
