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
  let node = root;
  return path.map((i) => {
    node = node.next[i];
    return node;
  });
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
  return [changed(root, path, { next: [...next, { ...EMPTY, move }] }), [...path, next.length]];
}

/** @returns {[Node, Path]} a tree of one line, and the path to its end */
export function lineOf(moves) {
  const next = moves.reduceRight((behind, move) => [{ move, note: "", next: behind }], []);
  return [{ ...EMPTY, next }, moves.map(() => 0)];
}

/** @returns {[Node, Path]} the tree without a node and all behind it, and the path before it */
export function pruned(root, path) {
  const before = path.slice(0, -1);
  return [changed(root, before, { next: nodeAt(root, before).next.toSpliced(path.at(-1), 1) }), before];
}

/** @returns {[Node, Path]} the tree with the variation of a node as the main one where it begins, and the node's path */
export function promoted(root, path) {
  const depth = path.findLastIndex((i) => i > 0);
  if (depth < 0) return [root, path];
  const before = path.slice(0, depth);
  const { next } = nodeAt(root, before);
  const first = [next[path[depth]], ...next.toSpliced(path[depth], 1)];
  return [changed(root, before, { next: first }), path.with(depth, 0)];
}

/** @returns {Node} the tree with a comment at a path */
export function noted(root, path, note) {
  return changed(root, path, { note: note.slice(0, MAX_NOTE) });
}

/** @returns {?Path} the node beside one, one place further or back, where moves branch; null where there is none */
export function beside(root, path, step) {
  const before = path.slice(0, -1);
  const wanted = (path.at(-1) ?? 0) + step;
  return path.length && nodeAt(root, before).next[wanted] ? [...before, wanted] : null;
}

/** @returns {Node} the tree with a change of the node at a path @param {Path} path */
function changed(root, path, change) {
  const [first, ...rest] = path;
  if (!path.length) return { ...root, ...change };
  return { ...root, next: root.next.with(first, changed(root.next[first], rest, change)) };
}

/**
 * Write a path as numbers between dots: how many moves of the main line, then which variation, how many of its moves
 * after the first, and so on.
 * @param {Path} path
 * @returns {string}
 */
export function placeOf(path) {
  const numbers = [0];
  for (const i of path) {
    if (i) numbers.push(i, 0);
    else numbers[numbers.length - 1] += 1;
  }
  return numbers.join(".");
}

/** @returns {Path} the path that a text of `placeOf` names; the end of the main line where the tree has none there */
export function pathOf(root, place) {
  const numbers = /^[0-9]{1,4}(\.[0-9]{1,4})*$/.test(place ?? "") ? place.split(".").map(Number) : [Infinity];
  const path = numbers.flatMap((number, i) => (i % 2 ? [number] : Array(Math.min(number, 10_000)).fill(0)));
  return path.reduce((node, i) => node?.next[i], root) ? path : mainEnd(root, []);
}

/**
 * Write a tree in a few characters that an address may hold: moves between commas, each variation in parentheses behind
 * the move that it replaces, a comment behind an exclamation mark.
 * @returns {string}
 */
export function write(root) {
  return written(root, ",", ({ move, note }) => {
    const text = encodeURIComponent(move.replaceAll(" ", "_"));
    return note ? `${text}!${encodeURIComponent(note).replace(/[!()]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)}` : text;
  });
}

/** @returns {string} a tree for people to read: moves with numbers, variations in parentheses, comments in braces */
export function toText(root) {
  const text = written(root, " ", ({ move, note }, ply) => `${ply}. ${move}${note ? ` {${note}}` : ""}`);
  return root.note ? `{${root.note}} ${text}`.trimEnd() : text;
}

/** Write what lies behind a node: the main line, and behind each move of it the variations that replace it. */
function written({ next }, separator, word, ply = 1) {
  const joined = (...parts) => parts.filter(Boolean).join(separator);
  const behind = (child) => written(child, separator, word, ply + 1);
  const [main, ...others] = next;
  const variations = others.map((child) => `(${joined(word(child, ply), behind(child))})`);
  return main ? joined(word(main, ply), ...variations, behind(main)) : "";
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
