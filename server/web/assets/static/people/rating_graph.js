/** The rating of a player over time, with the 95 % interval of each value. */

import { svg, text } from "../boards/svg.js";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [600, 200, 60, 30, 14, 30];

/**
 * @param {{match: number, started: string, rating: {elo: number, low: number, high: number, games: number}}[]} points
 * @param {string} label what a screen reader says of it
 * @returns {SVGElement}
 */
export function ratingGraph(points, label) {
  const low = Math.min(...points.map(({ rating }) => rating.low));
  const high = Math.max(...points.map(({ rating }) => rating.high));
  const step = [10, 20, 50, 100, 200, 500, 1000].find((one) => (high - low) / one <= 6) ?? 2000;
  const bottom = Math.floor(low / step) * step;
  const top = Math.max(bottom + step, Math.ceil(high / step) * step);
  const most = points.at(-1).rating.games;
  const x = (games) => LEFT + (games / most) * (WIDTH - LEFT - RIGHT);
  const y = (elo) => TOP + ((top - elo) / (top - bottom)) * (HEIGHT - TOP - BOTTOM);
  const parts = [];
  for (let elo = bottom; elo <= top; elo += step) {
    parts.push(svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(elo), y2: y(elo), class: "grid" }));
    parts.push(text(signed(elo), { x: LEFT - 8, y: y(elo) + 4, "text-anchor": "end", class: "axis" }));
  }
  parts.push(svg("polyline", { points: points.map(({ rating }) => `${x(rating.games)},${y(rating.elo)}`).join(" "), class: "path" }));
  for (const { rating } of points) {
    const at = x(rating.games);
    parts.push(svg("line", { x1: at, x2: at, y1: y(rating.low), y2: y(rating.high), class: "interval" }));
    parts.push(svg("circle", { cx: at, cy: y(rating.elo), r: 4.5, class: "dot" }));
    parts.push(text(`${rating.games}`, { x: at, y: HEIGHT - 8, "text-anchor": "middle", class: "axis" }));
  }
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, class: "ratings" }, parts);
}

/** A rating as people write it. */
export function signed(elo) {
  const whole = Math.round(elo);
  if (!whole) return "0";
  return whole < 0 ? `−${-whole}` : `+${whole}`;
}
