/** The boards without pieces: one drawing for each kind of layout. */

import { STEP, points, svg, text } from "./svg.js";

const WIDE = 14; // steps from which on names are drawn larger, to be read on a board that is drawn smaller

/** Steps by which a board without names is narrower and lower than one with them. */
export const TRIM = { hexagon: 1.3, cells: 0.95, squares: 0.2 };

/** Draws what lies under the pieces. `small` leaves out names and dots. */
export function plate(view, small) {
  const { layout } = view;
  const group = svg("g", { class: `plate ${layout.kind}`, "aria-hidden": "true" });
  const parts = { hexagon, cells, squares }[layout.kind](view, small);
  group.append(...parts);
  if (!small) {
    const kind = layout.width > WIDE ? "label wide" : "label";
    group.append(...layout.labels.map(([name, x, y]) => text(name, { x: x * STEP, y: y * STEP, class: kind })));
  }
  return group;
}

function stroke([x1, y1, x2, y2]) {
  return svg("line", { x1: x1 * STEP, y1: y1 * STEP, x2: x2 * STEP, y2: y2 * STEP, class: "stroke" });
}

function hexagon({ layout }, small) {
  const wide = layout.width > WIDE;
  const [beyond, margin] = wide ? [46, 0.92] : [40, 0.78];
  const far = Math.max(...layout.dots.map(([, x, y]) => Math.hypot(x, y)));
  const corners = [30, 90, 150, 210, 270, 330].map((degrees) => {
    const angle = (degrees * Math.PI) / 180;
    const radius = (far + (small ? 0.25 : margin)) * STEP;
    return [Math.cos(angle) * radius, Math.sin(angle) * radius];
  });
  const parts = [svg("polygon", { points: points(corners), class: "ground" }), ...layout.strokes.map(stroke)];
  if (small) return parts;
  for (const [name, x, y] of layout.dots) {
    parts.push(svg("circle", { cx: x * STEP, cy: y * STEP, r: 9, class: "dot" }));
    const outward = 1 + beyond / (Math.hypot(x, y) * STEP);
    parts.push(text(name, { x: x * STEP * outward, y: y * STEP * outward, class: wide ? "label wide" : "label" }));
  }
  return parts;
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
