/** Graphs over the moves of a match: a bar or a point a ply, each leading to its position when it is clicked. */

import { points, svg, text } from "../boards/svg.js";
import { patch } from "../shared/dom.js";
import { advantage, span } from "../shared/words.js";

const WIDTH = 600;
const HEIGHT = 130;
const LEFT = 96;
const BOTTOM = 24;
const LEAST_SLOTS = 12;
const LEAST_SCALE = 60; // less than a piece of GIPF is not made to look like much

/**
 * Draw how long each move took. Getting ready counts as part of the first moves: where they took much longer than all
 * others, their bars are cut. So is that of a move that was not made in time.
 * @param {HTMLElement} container
 * @param {{side: number, spent: number}[]} used
 * @param {?{side: number, spent: number}} fallen who ran out of time, and after how long
 * @param {number} ply the position shown
 * @param {{start: {game: string}, players: string[]}} info
 * @param {(ply: number) => void} go
 */
export function drawTimes(container, used, fallen, ply, info, go) {
  const all = fallen ? [...used, fallen] : used;
  const longest = Math.max(1, ...used.map(({ spent }) => spent));
  const later = Math.max(1, ...used.slice(2).map(({ spent }) => spent));
  const usual = used.length > 2 && longest > 2 * later ? later : longest;
  const end = fallen?.spent ?? 0;
  const most = used.length && end > 2 * usual ? usual : Math.max(usual, end);
  const slot = slotOf(all.length);
  const bars = all.flatMap(({ side, spent }, i) => {
    const height = Math.min(1, spent / most) * (HEIGHT - BOTTOM);
    const across = { x: LEFT + i * slot + slot * 0.1, width: slot * 0.8 };
    const kind = `bar-of ${i < used.length ? `of-${info.start.game} side${side}` : "late"}${i + 1 === ply ? " now" : ""}`;
    const bar = svg("rect", { ...across, y: HEIGHT - BOTTOM - Math.max(1.5, height), height: Math.max(1.5, height), class: kind });
    return spent > most ? [bar, svg("rect", { ...across, y: 12, height: 5, class: "cut" })] : [bar];
  });
  const slowest = used.findIndex(({ spent }) => spent === longest) + 1;
  const label = used.length
    ? `Time used for each move; move ${slowest} took longest, ${span(longest)}`
    : "No moves";
  const late = fallen ? `; ${fallenInWords(fallen, info.players)}` : "";
  frame(container, label + late, [...axis(span(most), "0"), ...bars], all.length, go, ply);
}

/**
 * Draw what the engine thinks of each position; there is a gap where it has not been asked.
 * @param {HTMLElement} container
 * @param {(?{score: number, depth: number, win: ?number})[]} values for the side that began, from the start on
 * @param {number} slots places for moves
 * @param {number} ply the position shown
 * @param {[string, string]} sides
 * @param {(ply: number) => void} go
 * @param {number[]} mistakes moves that are marked; at the foot where the position after them was not searched
 */
export function drawValues(container, values, slots, ply, sides, go, mistakes = []) {
  const slot = slotOf(slots);
  const middle = (HEIGHT - BOTTOM) / 2;
  const scores = values.filter((value) => value && value.win === null).map(({ score }) => Math.abs(score));
  const scale = Math.max(LEAST_SCALE, quantile(scores, 0.9));
  const height = (value) => middle - (middle - 4) * (value.win === null ? Math.tanh(value.score / scale) : Math.sign(value.win));
  const runs = []; // of positions one after the other that are known
  values.forEach((value, i) => {
    if (!value) return;
    if (!i || !values[i - 1]) runs.push([]);
    runs.at(-1).push([LEFT + i * slot, height(value)]);
  });
  const parts = [
    ...axis(sides[0], sides[1]),
    svg("line", { x1: LEFT, x2: WIDTH, y1: middle, y2: middle, class: "zero" }),
    ...runs.map((run) =>
      run.length > 1
        ? svg("polyline", { points: points(run), class: "curve" })
        : svg("circle", { cx: run[0][0], cy: run[0][1], r: 2.5, class: "alone" }),
    ),
  ];
  for (const one of mistakes) {
    const [x, y] = [LEFT + one * slot, values[one] ? height(values[one]) : HEIGHT - BOTTOM - 6];
    parts.push(svg("polygon", { points: points([[x - 6, y], [x, y - 6], [x + 6, y], [x, y + 6]]), class: "mistake" }));
  }
  if (values[ply]) parts.push(svg("circle", { cx: LEFT + ply * slot, cy: height(values[ply]), r: 6, class: "here" }));
  const label = `Evaluation of each position, above the middle good for ${sides[0]}, below it for ${sides[1]}`;
  const marked = mistakes.length ? `; mistakes at moves ${mistakes.join(", ")}` : "";
  frame(container, label + marked, parts, slots, go, ply);
}

/** Who ran out of time, in words. */
function fallenInWords({ side, spent }, players) {
  return `${players[side]} ran out of time after ${span(spent)}`;
}

/** What a value means, in words. */
export function valueInWords(value, sides) {
  if (!value) return "";
  return value.win === null ? `${advantage(value, sides)} (depth ${value.depth})` : advantage(value, sides);
}

function axis(above, below) {
  const base = HEIGHT - BOTTOM;
  return [
    text(above, { x: LEFT - 8, y: 15, class: "tick" }),
    text(below, { x: LEFT - 8, y: base, class: "tick" }),
    svg("line", { x1: LEFT, x2: WIDTH, y1: base, y2: base, class: "base" }),
  ];
}

function slotOf(slots) {
  return (WIDTH - LEFT) / Math.max(LEAST_SLOTS, slots);
}

function plyAt(container, event, slots) {
  const box = container.firstElementChild.getBoundingClientRect();
  const at = ((event.clientX - box.x) / box.width) * WIDTH - LEFT;
  return Math.min(slots, Math.max(0, Math.ceil(at / slotOf(slots))));
}

/** Put the parts of a graph between the band of the move shown and the numbers of moves. */
function frame(container, label, parts, slots, go, ply) {
  const slot = slotOf(slots);
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000].find((size) => slots / size <= 8) ?? 5000;
  const numbers = [];
  for (let number = step; number <= slots; number += step) {
    numbers.push(text(String(number), { x: LEFT + (number - 0.5) * slot, y: HEIGHT - 4, class: "tick middle" }));
  }
  const band = { x: LEFT + (ply - 1) * slot, y: 0, width: Math.max(3, slot), height: HEIGHT - BOTTOM };
  const cursor = ply ? [svg("rect", { ...band, class: "cursor" })] : [];
  const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, class: "graph" }, [...cursor, ...parts, ...numbers]);
  container.onclick = (event) => go(plyAt(container, event, slots));
  patch(container, drawing);
}

function quantile(numbers, part) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * part)] ?? 0;
}
