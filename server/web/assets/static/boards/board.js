/**
 * A board on a page: draws positions, moves pieces, offers what can be chosen. It knows no rules.
 *
 * Positions (views) and moves (motions) come from the server as docs/api.md describes them.
 */

import { wait } from "../shared/dom.js";
import * as arrows from "./arrows.js";
import * as offers from "./offers.js";
import { piece, put } from "./pieces.js";
import { TRIM, isWide, nameRim, plate } from "./plates.js";
import { STEP, svg } from "./svg.js";
import { zoomable } from "./zoom.js";

const SLIDE_MS = 320;
const APPEAR_MS = 180;
const LIGHT_MS = 650;
const LEAVE_MS = 420;

export class Board {
  /**
   * Draw a position into a container, in place of what is there.
   * @param {HTMLElement} container
   * @param {object} view
   * @param {{small?: boolean}} [options] small: without names and dots
   */
  constructor(container, view, { small = false } = {}) {
    this.container = container;
    this.small = small;
    this.pieces = new Map();
    this.turn = 0; // counts what was shown, so that an animation knows when it is out of date
    this.show(view);
  }

  /**
   * Show a position at once.
   * @param {object} view
   * @param {?object} motion the move that led there, whose target is marked
   */
  show(view, motion = null) {
    this.turn += 1;
    if (!view.layout) {
      this.#showPicture(view);
      return;
    }
    if (!this.root || this.shape !== shapeOf(view)) this.#build(view);
    this.view = view;
    this.#place(view);
    this.#mark(motion);
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
    if (still || !view.layout || !this.root || this.shape !== shapeOf(view)) {
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
    this.arrows.replaceChildren(...arrows.draw(list, (name) => this.places.get(name)));
  }

  #build(view) {
    const { layout } = view;
    this.shape = shapeOf(view);
    this.places = new Map([...layout.fields, ...layout.dots].map((place) => [place[0], place]));
    this.under = svg("g", { class: "marks" });
    this.above = svg("g", { class: "pieces" });
    this.arrows = svg("g", { class: "arrows", "aria-hidden": "true" });
    this.choices = svg("g", { class: "offers" });
    this.pieces.clear();
    const trim = this.small ? TRIM[layout.kind] : 0;
    const [width, height] = [(layout.width - trim) * STEP, (layout.height - trim) * STEP];
    const box = `${-width / 2} ${-height / 2} ${width} ${height}`;
    this.root = svg("svg", { viewBox: box, class: `board game-${view.game}`, role: "img" }, [
      plate(view, this.small),
      this.under,
      this.above,
      this.arrows,
      this.choices,
    ]);
    if (isWide(layout) && !this.small) zoomable(this.container, this.root);
    else this.container.replaceChildren(this.root);
    if (!this.small) nameRim(this.root, layout);
  }

  #place(view) {
    const before = this.pieces;
    this.pieces = new Map();
    for (const [field, side, direction] of view.pieces) {
      const fresh = piece(view.game, side, direction);
      const known = before.get(field);
      const element = known && isSame(known, fresh) ? known : fresh; // a click under way stays one
      put(element, this.places.get(field));
      this.pieces.set(field, element);
    }
    const kept = new Set(this.pieces.values());
    for (const element of [...this.above.children]) if (!kept.has(element)) element.remove();
    for (const element of kept) {
      if (element.isConnected) rest(element);
      else this.above.append(element);
    }
  }

  #mark(motion) {
    this.under.replaceChildren();
    const mark = (field, className) => {
      const place = this.places.get(field);
      if (!place) return;
      const element = svg("g", { class: className }, [spotOf(this.view.layout.kind)]);
      put(element, place);
      this.under.append(element);
    };
    const last = motion?.target ?? this.view.last;
    if (last) mark(last, "last");
    for (const field of this.view.decisive ?? []) mark(field, "decisive");
    this.view.aims.forEach((field, side) => {
      if (field && !this.view.ending) mark(field, `aim side${side}`);
    });
  }

  async #slide(view, motion) {
    const going = (motion.slides ?? []).map(([from, to]) => [this.pieces.get(from), from, to]).filter(([element]) => element);
    const running = going.map(([element, from, to]) => glide(element, this.places.get(from), this.places.get(to)));
    if (motion.placed) {
      const entry = view.pieces.find(([field]) => field === motion.placed);
      const element = piece(view.game, motion.side, entry?.[2] ?? null);
      const to = this.places.get(motion.placed);
      put(element, to);
      this.above.append(element);
      if (motion.source) running.push(glide(element, this.places.get(motion.source), to));
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
    const edge = this.view.layout.height / 2; // where the first side sits: below
    await Promise.all(
      leaving.map(([field, element, home]) => {
        const toFirst = element.classList.contains("side0") === home;
        const [, x, y] = this.places.get(field);
        return leave(element, [x, y], [x / 2, toFirst ? edge : -edge], home);
      }),
    );
  }

  #showPicture(view) {
    const drawing = document.createElement("pre");
    drawing.textContent = view.picture;
    this.root = null;
    this.container.replaceChildren(drawing);
  }
}

/** Two views of the same shape share plate and places. */
function shapeOf(view) {
  return `${view.game} ${view.parameters}`;
}

function spotOf(kind) {
  if (kind === "cells") return svg("rect", { x: -47, y: -47, width: 94, height: 94, rx: 15 });
  return svg("circle", { r: 48 });
}

const LEAVING = ["lit", "returned", "captured"];

/** Whether two pieces look the same, whatever they do just now. */
function isSame(one, other) {
  const [shape, wanted] = [one, other].map((element) => element.firstElementChild);
  const lasting = [...one.classList].filter((name) => !LEAVING.includes(name));
  return shape.isEqualNode(wanted) && lasting.join(" ") === other.classList.value;
}

/** End what a piece does. */
function rest(element) {
  element.classList.remove(...LEAVING);
  for (const animation of element.getAnimations({ subtree: true })) animation.cancel();
}

function finished(animation) {
  return animation.finished.catch(() => {});
}

function glide(element, [, x1, y1], [, x2, y2]) {
  const frames = [
    [x1, y1],
    [x2, y2],
  ].map(([x, y]) => ({ transform: `translate(${x * STEP}px, ${y * STEP}px)` }));
  return finished(element.animate(frames, { duration: SLIDE_MS, easing: "cubic-bezier(.3,.1,.3,1)", fill: "backwards" }));
}

function appear(element) {
  const frames = [
    { opacity: 0, transform: "scale(.6)" },
    { opacity: 1, transform: "scale(1)" },
  ];
  return finished(element.firstElementChild.animate(frames, { duration: APPEAR_MS, easing: "ease-out" }));
}

/** Let a piece go to an edge of the board; one that comes back into play stays whole, another one shrinks away. */
function leave(element, [x1, y1], [x2, y2], whole) {
  const frames = [
    { opacity: 1, transform: `translate(${x1 * STEP}px, ${y1 * STEP}px) scale(1)` },
    { opacity: whole ? 1 : 0, transform: `translate(${x2 * STEP}px, ${y2 * STEP}px) scale(${whole ? 1 : 0.4})` },
  ];
  return finished(element.animate(frames, { duration: LEAVE_MS, easing: "ease-in", fill: "forwards" }));
}
