/** Making a large board larger than its place, in which it is then scrolled: by buttons, or the keys + and −. */

import { el } from "../shared/dom.js";

const FACTOR = 1.5; // of a button or a key
const MAX_SCALE = 5;

/**
 * Put a drawing into a container, with what makes it larger.
 * @param {HTMLElement} container
 * @param {SVGElement} drawing
 * @returns {Object<string, () => void>} what keys do
 */
export function zoomable(container, drawing) {
  const pane = el("div.pane", {}, drawing);
  let [scale, width, height] = [1, 0, 0]; // the size of the board as it is drawn at first, in pixels

  /** Draw it so many times as large as its place; the middle stays where it is. */
  function zoom(wanted) {
    if (scale === 1) {
      const place = drawing.getBoundingClientRect();
      const [across, down] = drawing.getAttribute("viewBox").split(" ").slice(2).map(Number);
      [width, height] = [Math.min(place.width, (place.height * across) / down), place.height]; // beside a high board is room
    }
    const [x, y] = [pane.clientWidth / 2, pane.clientHeight / 2];
    const next = Math.min(MAX_SCALE, Math.max(1, wanted));
    const [left, top] = [((pane.scrollLeft + x) * next) / scale - x, ((pane.scrollTop + y) * next) / scale - y];
    scale = next;
    const isLarge = scale > 1;
    pane.classList.toggle("large", isLarge);
    pane.style.height = isLarge ? `${height}px` : "";
    drawing.style.width = isLarge ? `${width * scale}px` : "";
    pane.scrollTo(left, top);
    if (isLarge) pane.tabIndex = 0;
    else pane.removeAttribute("tabindex");
    less.disabled = !isLarge;
    more.disabled = scale === MAX_SCALE;
  }

  function button(sign, label, factor) {
    const click = (event) => {
      event.stopPropagation(); // a click on the board would cancel what was chosen
      zoom(scale * factor);
    };
    return /** @type {HTMLButtonElement} */ (el("button", { type: "button", "aria-label": label, title: label, click }, sign));
  }

  const [less, more] = [button("−", "Smaller", 1 / FACTOR), button("+", "Larger", FACTOR)];
  less.disabled = true;
  const buttons = el("div.zoom", { role: "group", "aria-label": "Size of the board" }, less, more);
  container.replaceChildren(el("div.zoomable", {}, pane, buttons));
  window.addEventListener("resize", () => pane.isConnected && zoom(1));
  return { "+": () => more.click(), "-": () => less.click() };
}
