/** The boards without pieces: one drawing for each kind of layout. */

import { STEP, points, svg, text } from "./svg.js";

const WIDE = 14; // steps
const LEGIBLE_PX = 11; // that names have on the screen, where there is room for it
const LARGEST_PX = 20; // on a board of few fields
const LEAST = { hexagon: 23, cells: 26, wide: 34 }; // sizes of names
const MOST = 100; // names that are as high as the fields that they name are apart
const CROWDED = { hexagon: 46, cells: 75 }; // beyond this size each other name is left out
const LETTER = 0.58; // how wide one is, of its height
const GAP = 12; // around names

/** Whether a board is so wide that it may be made larger. */
export function isWide(layout) {
  return layout.width > WIDE;
}

/**
 * Write the names around a board, and keep them legible in whatever size it is drawn: where it is small, names are
 * larger, the plate has more room for them, and each other one is left out.
 * @param {SVGElement} root the drawing, whose plate is drawn and which is on the page
 * @param {object} layout
 */
export function nameRim(root, layout) {
  const names = { hexagon: namesOfHexagon, cells: namesOfCells }[layout.kind]?.(layout) ?? [];
  if (!names.length) return; // they stand beside their fields
  const texts = names.map(({ name, isOdd }) => text(name, { class: `label${isOdd ? " odd" : ""}` }));
  const group = root.querySelector(".plate");
  group.append(...texts);
  const letters = Math.max(...names.map(({ name }) => name.length));
  const least = isWide(layout) ? LEAST.wide : LEAST[layout.kind];

  function fit() {
    const across = root.getBoundingClientRect().width;
    if (!across) return;
    const down = parseFloat(getComputedStyle(root).maxHeight) || Infinity; // its height follows from what is decided here
    /** How a size of names would look: how long half a name is, how much wider the drawing has to be, and a step in pixels. */
    const trial = (size) => {
      const half = (LETTER * letters * size) / 2;
      const room = { hexagon: roomOfHexagon, cells: roomOfCells }[layout.kind](half, isWide(layout));
      const [width, height] = [layout.width + 2 * room.extra, layout.height + 2 * room.extra];
      return { ...room, width, height, step: Math.min(across / width, down / height) };
    };
    let size = Math.min(least, (LARGEST_PX * STEP) / trial(least).step);
    let chosen = trial(size);
    while (size < MOST && (size * chosen.step) / STEP < LEGIBLE_PX) {
      size += 1;
      chosen = trial(size);
    }
    root.style.setProperty("--label", `${size}px`);
    root.classList.toggle("thinned", size > CROWDED[layout.kind]);
    const [width, height] = [chosen.width * STEP, chosen.height * STEP];
    root.setAttribute("viewBox", `${-width / 2} ${-height / 2} ${width} ${height}`);
    for (const [i, { x, y, outward }] of names.entries()) {
      texts[i].setAttribute("x", String(x * STEP + outward[0] * chosen.beyond));
      texts[i].setAttribute("y", String(y * STEP + outward[1] * chosen.beyond));
    }
    if (layout.kind === "hexagon") group.querySelector(".ground").setAttribute("points", corners(layout, chosen.margin));
  }

  fit();
  new ResizeObserver(() => requestAnimationFrame(fit)).observe(root); // what is changed while sizes are told is told too late
}

/** How far beyond its dot a name is, how far beyond the dots the plate ends, and by how many steps more than it is drawn. */
function roomOfHexagon(half, isLarge) {
  const beyond = Math.max(isLarge ? 46 : 40, GAP + half);
  const margin = Math.max(marginOf(isLarge), (beyond + half + GAP) / STEP / Math.cos(Math.PI / 6));
  return { beyond, margin, extra: Math.max(0, margin + 0.08 - 1) };
}

/** The same for a board of cells: its names are beside the plate. */
function roomOfCells(half) {
  const beyond = Math.max(31, GAP + half);
  return { beyond, margin: 0, extra: Math.max(0, (2 * beyond) / STEP - BESIDE) };
}

const BESIDE = 0.62; // of a step, that a board of cells has for names

/** Dots in the order in which they lie around the board, as pictures have them. */
function around(dots) {
  return [...dots].sort((one, other) => Math.atan2(one[2], one[1]) - Math.atan2(other[2], other[1]));
}

function namesOfHexagon({ dots }) {
  return around(dots).map(([name, x, y], i) => {
    const far = Math.hypot(x, y);
    return { name, x, y, outward: [x / far, y / far], isOdd: i % 2 === 1 };
  });
}

function namesOfCells({ labels, height }) {
  const isAcross = ([, , y]) => Math.abs(y) > height / 2 - BESIDE;
  const [across, down] = [labels.filter(isAcross), labels.filter((label) => !isAcross(label))];
  /** A label lies in the middle of its room: it is taken back to the plate, from where all are put outwards. */
  const back = (place) => place - (Math.sign(place) * BESIDE) / 2;
  return [
    ...across.map(([name, x, y], i) => ({ name, x, y: back(y), outward: [0, Math.sign(y)], isOdd: i % 2 === 1 })),
    ...down.map(([name, x, y], i) => ({ name, x: back(x), y, outward: [Math.sign(x), 0], isOdd: i % 2 === 1 })),
  ];
}

/** Steps by which a board without names is narrower and lower than one with them. */
export const TRIM = { hexagon: 1.3, cells: 0.95, squares: 0.2 };

/** Draws what lies under the pieces. `small` leaves out names and dots. */
export function plate(view, small) {
  const { layout } = view;
  const group = svg("g", { class: `plate ${layout.kind}`, "aria-hidden": "true" });
  const parts = { hexagon, cells, squares }[layout.kind](view, small);
  group.append(...parts);
  return group;
}

function stroke([x1, y1, x2, y2]) {
  return svg("line", { x1: x1 * STEP, y1: y1 * STEP, x2: x2 * STEP, y2: y2 * STEP, class: "stroke" });
}

function marginOf(isLarge) {
  return isLarge ? 0.92 : 0.78;
}

/** The corners of a plate that ends so many steps beyond the farthest dots. */
function corners({ dots }, margin) {
  const radius = (Math.max(...dots.map(([, x, y]) => Math.hypot(x, y))) + margin) * STEP;
  return points(
    [30, 90, 150, 210, 270, 330].map((degrees) => {
      const angle = (degrees * Math.PI) / 180;
      return [Math.cos(angle) * radius, Math.sin(angle) * radius];
    }),
  );
}

function hexagon({ layout }, small) {
  const ground = corners(layout, small ? 0.25 : marginOf(isWide(layout)));
  const parts = [svg("polygon", { points: ground, class: "ground" }), ...layout.strokes.map(stroke)];
  if (small) return parts;
  return [...parts, ...around(layout.dots).map(([, x, y]) => svg("circle", { cx: x * STEP, cy: y * STEP, r: 9, class: "dot" }))];
}

function cells({ layout, blocked }, small) {
  const closed = new Set(blocked);
  const xs = layout.fields.map(([, x]) => x);
  const ys = layout.fields.map(([, , y]) => y);
  const [left, top] = [(Math.min(...xs) - 0.5) * STEP, (Math.min(...ys) - 0.5) * STEP];
  const ground = svg("rect", { x: left - 8, y: top - 8, width: -2 * left + 16, height: -2 * top + 16, rx: 18, class: "ground" });
  const inset = small ? 3 : 4;
  const side = STEP - 2 * inset;
  const fields = layout.fields.map(([name, x, y]) =>
    svg("rect", {
      x: (x - 0.5) * STEP + inset,
      y: (y - 0.5) * STEP + inset,
      width: side,
      height: side,
      rx: 10,
      class: closed.has(name) ? "cell blocked" : "cell",
    }),
  );
  return [ground, ...fields];
}

function squares({ layout }, small) {
  const reach = (Math.max(...layout.fields.map(([, x]) => x)) + (small ? 0.45 : 0.55)) * STEP;
  const ground = svg("rect", { x: -reach, y: -reach, width: 2 * reach, height: 2 * reach, rx: 36, class: "ground" });
  const dots = layout.fields.map(([, x, y]) => svg("circle", { cx: x * STEP, cy: y * STEP, r: 11, class: "dot" }));
  const names = small
    ? []
    : layout.fields.map(([name, x, y]) => text(name, { x: x * STEP + 21, y: y * STEP + 23, class: "label near" }));
  return [ground, ...layout.strokes.map(stroke), ...dots, ...names];
}
