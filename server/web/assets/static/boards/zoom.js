/** Making a large board larger than its place, in which it is then scrolled: by buttons, or the keys + and −. */

import { el } from "../shared/dom.js";

const STEP = 1.5; // of a button or a key
const MOST = 5;

/**
 * Put a drawing into a container, with what makes it larger.
 * @param {HTMLElement} container
 * @param {SVGElement} drawing
 */
export function zoomable(container, drawing) {
  const pane = el("div.pane", {}, drawing);
  let [scale, width, height] = [1, 0, 0];

  /** Draw it so many times as large as its place; the middle stays where it is. */
  function zoom(wanted) {
    const [x, y] = [pane.clientWidth / 2, pane.clientHeight / 2];
    const next = Math.min(MOST, Math.max(1, wanted));
    if (scale === 1) {
      const place = drawing.getBoundingClientRect();
      const [across, down] = drawing.getAttribute("viewBox").split(" ").slice(2).map(Number);
      height = place.height;
      width = Math.min(place.width, (height * across) / down); // beside a board that is as high as it may be is room
    }
    const [left, top] = [(pane.scrollLeft + x) * (next / scale) - x, (pane.scrollTop + y) * (next / scale) - y];
    scale = next;
    const large = next > 1;
    pane.classList.toggle("large", large);
    pane.style.height = large ? `${height}px` : "";
    drawing.style.width = large ? `${width * next}px` : "";
    pane.scrollTo(left, top);
    if (large) pane.tabIndex = 0;
    else pane.removeAttribute("tabindex");
    less.disabled = !large;
    more.disabled = next === MOST;
  }

  function button(sign, label, factor) {
    const click = (event) => {
      event.stopPropagation(); // a click on the board would cancel what was chosen
      zoom(scale * factor);
    };
    return /** @type {HTMLButtonElement} */ (el("button", { type: "button", "aria-label": label, title: label, click }, sign));
  }

  const less = button("−", "Smaller", 1 / STEP);
  const more = button("+", "Larger", STEP);
  const buttons = el("div.zoom", { role: "group", "aria-label": "Size of the board" }, less, more);
  container.replaceChildren(el("div.zoomable", {}, pane, buttons));
  less.disabled = true;

  const keyed = new AbortController();
  document.addEventListener(
    "keydown",
    (event) => {
      if (!pane.isConnected) {
        keyed.abort(); // another board has come in its place
        return;
      }
      const target = /** @type {?Element} */ (event.target);
      if (event.ctrlKey || event.metaKey || event.altKey || target?.closest?.("input, textarea, select")) return;
      if (event.key === "+") zoom(scale * STEP);
      if (event.key === "-") zoom(scale / STEP);
    },
    { signal: keyed.signal },
  );
  window.addEventListener("resize", () => zoom(1), { signal: keyed.signal });
}
