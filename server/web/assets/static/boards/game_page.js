/** What the pages of a match, of playing and of analysis have in common: a board, steps by buttons and keys, copies. */

import { el, find, patch, say } from "../shared/dom.js";
import { Board } from "./board.js";

const MAX_DRAWN = 18; // pieces of a reserve
const COPIED_MS = 1500; // that the page says so
const WHEEL_PIXELS = 60; // of a step: a notch of most mice has 100, a trackpad sends many small ones
const SWIPE_PIXELS = 40; // at least, more across than down
let shown = 0; // the timer that hides this sentence
const STEP_KEYS = { ArrowLeft: "back", ArrowRight: "forward", Home: "begin", End: "end" };

/** @returns {any} an element that the page has, whatever it is */
export const $ = (id) => find(`#${id}`);

export class GamePage {
  constructor() {
    /** @type {?Board} */
    this.board = null;
    /** @type {Object<string, () => void>} what keys do, where nobody types */
    this.keys = {};
    this.#listenToKeys();
  }

  /** Show a position; resolves when nothing moves any more. */
  async draw(view, motion, animated) {
    this.board ??= new Board($("board"), view);
    $("rules").href = `/learn#${view.game}`;
    if (animated && motion) await this.board.animate(view, motion);
    else this.board.show(view, motion);
  }

  /**
   * Let buttons, keys, the wheel and swipes over the board step through moves.
   * @param {Object<string, () => any>} places where the buttons begin, back, forward and end lead to
   * @param {(place: any) => void} go
   */
  steps(places, go) {
    for (const [id, place] of Object.entries(places)) $(id).addEventListener("click", () => go(place()));
    for (const [key, id] of Object.entries(STEP_KEYS)) this.keys[key] = () => $(id).click();
    const board = $("board");
    const step = (isForward) => $(isForward ? "forward" : "back").click();
    const isScrolled = (event) => event.ctrlKey || event.target.closest(".pane.large"); // by the browser
    let turned = 0;
    const turn = (event) => {
      if (isScrolled(event) || !event.deltaY) return;
      event.preventDefault();
      const pixels = event.deltaMode ? Math.sign(event.deltaY) * WHEEL_PIXELS : event.deltaY;
      turned = turned * pixels < 0 ? pixels : turned + pixels;
      if (Math.abs(turned) < WHEEL_PIXELS) return;
      step(turned > 0);
      turned = 0;
    };
    board.addEventListener("wheel", turn, { passive: false });
    let begun = null;
    board.addEventListener("touchstart", (event) => {
      begun = event.touches.length === 1 && !isScrolled(event) ? event.touches[0] : null;
    });
    board.addEventListener("touchend", (event) => {
      const [across, down] = ["clientX", "clientY"].map((at) => event.changedTouches[0][at] - (begun?.[at] ?? Infinity));
      if (begun && Math.abs(across) >= SWIPE_PIXELS && Math.abs(across) > 2 * Math.abs(down)) step(across < 0);
      begun = null;
    });
  }

  /** Show which steps are possible. @param {boolean} isBegin @param {boolean} isEnd */
  showSteps(isBegin, isEnd) {
    for (const id of ["begin", "back"]) $(id).disabled = isBegin;
    for (const id of ["forward", "end"]) $(id).disabled = isEnd;
  }

  /** Let buttons copy texts; an empty one where a fault is shown already. @param {Object<string, () => any>} texts */
  offerCopies(texts) {
    for (const [id, text] of Object.entries(texts)) {
      $(id).addEventListener("click", async () => {
        const copied = await text();
        if (copied) await copy(copied);
      });
    }
  }

  /** Keys do nothing where somebody types, and arrow keys step on the board where the keyboard is what points at it. */
  #listenToKeys() {
    let isPointed = true;
    document.addEventListener("pointerdown", () => {
      isPointed = true;
    });
    const pressed = (event) => {
      if (event.key === "Tab") isPointed = false;
      const key = `${event.shiftKey && event.key.length > 1 ? "Shift+" : ""}${event.key}`;
      const act = this.keys[key] ?? this.board?.keys[key];
      if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Escape") {
        act();
        return;
      }
      const target = /** @type {?Element} */ (event.target);
      if (target?.closest?.("input, textarea, select, [contenteditable]")) return;
      if (event.key === " " && target?.closest?.("button, a, label, summary")) return;
      if (!isPointed && event.key.length > 1 && target?.closest?.(".offer")) return;
      event.preventDefault();
      event.stopPropagation();
      act();
    };
    document.addEventListener("keydown", pressed, { capture: true });
  }
}

/** Scroll a list so that an element of it is seen. */
export function reveal(list, element) {
  const [box, frame] = [element.getBoundingClientRect(), list.getBoundingClientRect()];
  if (box.top < frame.top || box.bottom > frame.bottom) list.scrollTop += box.top - frame.top - frame.height / 2;
}

/** The sign of a side, for people who see it and for people who do not. */
export function chip(game, side, label = "") {
  return el(`span.chip.side${side}.of-${game}`, label ? { role: "img", "aria-label": label } : {});
}

/** Show what a side has beside the board: pieces in reserve, and a count of those it has lost. */
export function showStock(place, view, side) {
  const [reserve, captured] = view.stock?.[side] ?? [0, 0];
  const drawn = Array.from({ length: Math.min(reserve, MAX_DRAWN) }, () => chip(view.game, side));
  const words = `${reserve} to play, ${captured} captured by ${view.sides[1 - side]}`;
  patch(place, ...(view.stock ? [el("span.reserve", { "aria-hidden": "true" }, ...drawn), el("span", {}, words)] : []));
}

/** Copy a text, and say whether that was possible. Else the text stands in the field for texts, where there is one. */
async function copy(text) {
  clearTimeout(shown);
  $("toast").hidden = false;
  try {
    await navigator.clipboard.writeText(text);
    say($("toast"), "Copied");
  } catch {
    say($("toast"), "The browser does not allow copying");
    const field = /** @type {?HTMLTextAreaElement} */ (document.querySelector("textarea#text"));
    if (field) field.value = text;
    field?.select();
  }
  shown = setTimeout(() => {
    $("toast").hidden = true;
  }, COPIED_MS);
}
