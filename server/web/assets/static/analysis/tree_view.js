/** The tree of variations on the page: the main line as it runs, each variation as a block behind the move it replaces. */

import { reveal } from "../boards/game_page.js";
import { el, patch } from "../shared/dom.js";
import { moveText } from "../shared/words.js";

/**
 * Draw a tree.
 * @param {HTMLElement} container
 * @param {import("../play/link.js").Study} study
 * @param {(path: number[]) => void} choose is told of the move that somebody chooses
 */
export function drawTree(container, study, choose) {
  const shown = study.path.join();

  /** @returns {Node[]} the moves behind a node: the main one, those that replace it, and so on */
  const behind = (node, path) => {
    const [main, ...others] = node.next.map((child, i) => [child, [...path, i]]);
    const variations = others.map(([child, there]) => {
      const key = `variation ${there.join()}`;
      return el("div.variation", { "data-key": key }, ...told(child, there), ...behind(child, there));
    });
    return main ? [...told(...main), ...variations, ...behind(...main)] : [];
  };

  const told = (node, path) => {
    const attributes = {
      type: "button",
      "data-key": path.join(),
      "aria-current": path.join() === shown ? "step" : null,
      click: () => choose(path),
    };
    const button = el("button", attributes, el("span.ply", {}, `${path.length}.`), moveText(study.game, node.move));
    return node.note ? [button, el("span.note", { "data-key": `note ${path.join()}` }, node.note)] : [button];
  };

  const parts = behind(study.root, []);
  if (study.root.note) parts.unshift(el("span.note", { "data-key": "note" }, study.root.note));
  patch(container, ...(parts.length ? parts : [el("span.quiet", { "data-key": "none" }, "No move was made yet.")]));
  const current = /** @type {?HTMLElement} */ (container.querySelector("[aria-current]"));
  if (current) reveal(container, current);
}
