/**
 * A board on a page: the server's drawing (engine/games/boards/svg.py), in which pieces are put, moved and taken, and
 * what can be chosen is offered. It knows no rules. Positions (views) and moves (motions) come from the server as
 * docs/api.md describes them.
 */

import { parse, svg, wait } from "../shared/dom.js";
import * as offers from "./offers.js";
import { zoomable } from "./zoom.js";

export const STEP = 100; // units of a drawing between two neighbouring fields
const WIDE = 14; // steps: a wider board can be made larger
const ARROW_ENDS = 52; // units before the middle of a field: the shaft of an arrow, whose head is 30 long
const [SLIDE_MS, APPEAR_MS, LIGHT_MS, LEAVE_MS] = [320, 180, 650, 420];
const LEAVING = ["lit", "returned", "captured"]; // classes of pieces that are taken

export class Board {
  /**
   * Draw a position into a container, in place of what is there.
   * @param {HTMLElement} container
   * @param {object} view
   */
  constructor(container, view) {
    this.container = container;
    this.turn = 0; // counts what was shown, so that an animation knows when it is out of date
    /** @type {any} the drawing */
    this.root = null;
    /** @type {Object<string, () => void>} what keys do */
    this.keys = {};
    /** @type {Map<string, any>} of fields and dots, in units of the drawing */
    this.places = new Map();
    /** @type {Map<string, any>} by their fields */
    this.pieces = new Map();
    this.show(view);
  }

  /**
   * Show a position at once.
   * @param {object} view
   * @param {?object} motion the move that led there, whose target is marked
   */
  show(view, motion = null) {
    this.turn += 1;
    if (!this.root || this.shape !== shapeOf(view)) this.#build(view);
    this.view = view;
    this.#place(view);
    this.#mark(view, motion);
    this.root.setAttribute("aria-label", view.summary);
  }

  /**
   * Play a move from the position shown last to the one after it. Resolves when it is over, or when something else is
   * shown meanwhile. Where people want no motion the position after it is shown at once.
   * @param {object} view the position after the move
   * @param {object} motion
   */
  async animate(view, motion) {
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden;
    if (still || !this.root || this.shape !== shapeOf(view)) {
      this.show(view, motion);
      return;
    }
    this.show(this.view); // what was still moving is where it was to go
    this.view = view;
    const turn = this.turn;
    const current = () => this.turn === turn;
    await this.#slide(view, motion);
    if (current() && motion.taken?.length) await this.#take(motion, current);
    if (current()) this.show(view, motion);
  }

  /**
   * Offer what can be chosen, in place of what was offered before; an empty list offers nothing.
   * @param {offers.Offer[]} list
   * @param {(offer: offers.Offer) => void} choose
   */
  offer(list, choose = () => {}) {
    if (!this.root) return;
    this.choices.replaceChildren(...offers.draw(list, (name) => this.places.get(name), choose));
    this.root.setAttribute("role", list.length ? "group" : "img");
  }

  /**
   * Point at moves, in place of those that were pointed at before.
   * @param {{points: string[], rank: number}[]} list where each begins and ends, or the one place that it is about;
   *   those of rank 1 stand out
   */
  point(list) {
    if (!this.root) return;
    const drawn = list.toReversed().map(({ points, rank }) => {
      const [from, to] = points.map((name) => this.places.get(name)).filter(Boolean);
      return from && pointer(from, to, `arrow${rank === 1 ? " best" : ""}`);
    });
    this.arrows.replaceChildren(...drawn.filter(Boolean));
  }

  #build(view) {
    const { layout } = view;
    this.shape = shapeOf(view);
    this.places = new Map([...layout.fields, ...layout.dots].map(([name, x, y]) => [name, [x * STEP, y * STEP]]));
    this.pieces = new Map();
    [this.root] = /** @type {any[]} */ (parse(view.svg));
    this.root.setAttribute("role", "img");
    this.under = svg("g", { class: "marks" });
    this.above = svg("g", { class: "pieces" });
    this.arrows = svg("g", { class: "arrows", "aria-hidden": "true" });
    this.choices = svg("g", { class: "offers" });
    this.root.append(this.under, this.above, this.arrows, this.choices);
    this.keys = {};
    if (layout.width > WIDE) this.keys = zoomable(this.container, this.root);
    else this.container.replaceChildren(this.root);
  }

  /** Copy one of the templates of the drawing to a field. */
  #copy(template, field, className) {
    const element = this.root.querySelector(`defs > [${template}]`).cloneNode(true);
    element.setAttribute("class", className);
    put(element, this.places.get(field));
    return element;
  }

  #piece(field, side, direction) {
    return this.#copy(`data-piece="${kindOf(side, direction)}"`, field, `piece side${side}`);
  }

  #place(view) {
    const before = this.pieces;
    this.pieces = new Map();
    for (const [field, side, direction] of view.pieces) {
      const known = before.get(field);
      const isSame = known?.dataset.piece === kindOf(side, direction); // a click under way stays one
      this.pieces.set(field, isSame ? known : this.#piece(field, side, direction));
    }
    const kept = new Set(this.pieces.values());
    for (const element of [...this.above.children]) if (!kept.has(element)) element.remove();
    for (const [field, element] of this.pieces) {
      rest(element);
      put(element, this.places.get(field));
      if (!element.isConnected) this.above.append(element);
    }
  }

  #mark(view, motion) {
    const marks = [
      ...view.blocked.map((field) => ["blocked", field]),
      ["last", motion?.target],
      ...view.decisive.map((field) => ["decisive", field]),
      ...(view.ending ? [] : view.aims.map((field, side) => [`aim${side}`, field])),
    ];
    const shown = marks.filter(([, field]) => field);
    this.under.replaceChildren(...shown.map(([name, field]) => this.#copy(`data-mark="${name}"`, field, name)));
  }

  async #slide(view, motion) {
    const going = (motion.slides ?? []).map(([from, to]) => [this.pieces.get(from), from, to]).filter(([element]) => element);
    const running = going.map(([element, from, to]) => glide(element, this.places.get(from), this.places.get(to)));
    if (motion.placed) {
      const entry = view.pieces.find(([field]) => field === motion.placed);
      const element = this.#piece(motion.placed, motion.side, entry?.[2]);
      this.above.append(element);
      if (motion.source) running.push(glide(element, this.places.get(motion.source), this.places.get(motion.placed)));
      running.push(appear(element));
      going.push([element, null, motion.placed]);
    }
    for (const [, from] of going) this.pieces.delete(from);
    for (const [element, , to] of going) this.pieces.set(to, element);
    await Promise.all(running);
    for (const [element, , to] of going) put(element, this.places.get(to));
  }

  /** Light up what is taken, and move it off: home to the reserve of its side, or captured to that of the other one. */
  async #take({ taken, returned = [] }, current) {
    const leaving = taken.map((field) => [field, this.pieces.get(field), returned.includes(field)]).filter(([, element]) => element);
    for (const [, element, home] of leaving) element.classList.add("lit", home ? "returned" : "captured");
    await wait(LIGHT_MS);
    if (!current()) return;
    const edge = (this.view.layout.height / 2) * STEP; // where the first side sits: below
    await Promise.all(
      leaving.map(([field, element, home]) => {
        const toFirst = element.classList.contains("side0") === home;
        const [x, y] = this.places.get(field);
        return leave(element, [x, y], [x / 2, toFirst ? edge : -edge], home);
      }),
    );
  }
}

/** Two views of the same shape share a drawing. */
function shapeOf(view) {
  return `${view.game} ${view.parameters}`;
}

/** Which template a piece is drawn by. */
function kindOf(side, direction) {
  return `${side}${Number.isInteger(direction) ? `-${direction}` : ""}`;
}

function put(element, [x, y]) {
  element.setAttribute("transform", `translate(${x} ${y})`);
}

/** End what a piece does. */
function rest(element) {
  element.classList.remove(...LEAVING);
  for (const animation of element.getAnimations({ subtree: true })) animation.cancel();
}

/** An arrow from a place to another one, or a ring around the only one. */
function pointer([x1, y1], to, className) {
  if (!to) return svg("circle", { cx: x1, cy: y1, r: 36, class: className });
  const [across, down] = [to[0] - x1, to[1] - y1];
  const part = 1 - ARROW_ENDS / (Math.hypot(across, down) || 1);
  const end = { x2: x1 + across * part, y2: y1 + down * part };
  return svg("line", { x1, y1, ...end, "marker-end": "url(#arrowhead)", class: className });
}

function move(element, frames, options) {
  const placed = frames.map(([[x, y], scale = 1, opacity = 1]) => ({
    opacity,
    transform: `translate(${x}px, ${y}px) scale(${scale})`,
  }));
  return element.animate(placed, options).finished.catch(() => {});
}

function glide(element, from, to) {
  return move(element, [[from], [to]], { duration: SLIDE_MS, easing: "cubic-bezier(.3,.1,.3,1)", fill: "backwards" });
}

function appear(element) {
  return move(element.firstElementChild, [[[0, 0], 0.6, 0], [[0, 0]]], { duration: APPEAR_MS, easing: "ease-out" });
}

/** Let a piece go to an edge of the board; one that comes back into play stays whole, another one shrinks away. */
function leave(element, from, to, whole) {
  const end = whole ? [to] : [to, 0.4, 0];
  return move(element, [[from], end], { duration: LEAVE_MS, easing: "ease-in", fill: "forwards" });
}
