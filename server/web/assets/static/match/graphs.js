/** Graphs over the moves of a match: a bar or a point a ply, each leading to its position when it is clicked. */

import { patch, svg } from "../shared/dom.js";
import { scale, span } from "../shared/words.js";

const [WIDTH, HEIGHT, LEFT] = [600, 190, 92];
const [TOP, BASE] = [14, HEIGHT - 34]; // of the area of bars and curves; the numbers of moves are below it
const MIN_SLOTS = 12;
const MIN_PIECES = 1; // of the scale of evaluations: a smaller advantage does not look like much
const MAX_NUMBERS = 8; // of moves, below a graph

/** @typedef {import("./match_state.js").MatchState} MatchState */

/**
 * Draw how long each move took. Getting ready counts as part of the first moves: where they took much longer than all
 * others, their bars are cut. So is that of a move that was not made in time.
 * @param {HTMLElement} container
 * @param {MatchState} state
 * @param {number} ply the position shown
 * @param {(ply: number) => void} go
 */
export function drawTimes(container, state, ply, go) {
  const { fallen, info } = state;
  const used = state.used();
  const all = fallen ? [...used, fallen] : used;
  const longest = Math.max(1, ...used.map(({ spent }) => spent));
  const later = Math.max(1, ...used.slice(2).map(({ spent }) => spent));
  const usual = used.length > 2 && longest > 2 * later ? later : longest;
  const end = fallen?.spent ?? 0;
  const most = rounded(used.length && end > 2 * usual ? usual : Math.max(usual, end));
  const slot = slotOf(all.length);
  const bars = all.flatMap(({ side, spent }, i) => {
    const height = Math.max(1.5, Math.min(1, spent / most) * (BASE - TOP));
    const across = { x: LEFT + i * slot + slot * 0.1, width: slot * 0.8 };
    const kind = `bar-of ${i < used.length ? `of-${info.start.game} side${side}` : "late"}${i + 1 === ply ? " now" : ""}`;
    const bar = svg("rect", { ...across, y: BASE - height, height, class: kind });
    return spent > most ? [bar, svg("rect", { ...across, y: TOP + 12, height: 5, class: "cut" })] : [bar];
  });
  const slowest = used.findIndex(({ spent }) => spent === longest) + 1;
  const label = used.length ? `Time used for each move; move ${slowest} took longest, ${span(longest)}` : "No moves";
  const late = fallen ? `; ${info.players[fallen.side]} ran out of time after ${span(fallen.spent)}` : "";
  frame(container, label + late, [span(most), span(most / 2), "0"], bars, all.length, ply, go);
}

/**
 * Draw what the engine thinks of each position; there is a gap where it has not been asked. Wins are at the edges.
 * @param {HTMLElement} container
 * @param {(?{score: number, depth: number, win: ?number})[]} values for the side that began, from the start on
 * @param {MatchState} state
 * @param {number} ply the position shown
 * @param {(ply: number) => void} go
 * @param {number[]} mistakes moves that are marked; at the foot where the position after them was not searched
 */
export function drawValues(container, values, state, ply, go, mistakes = []) {
  const { slots, sides } = state;
  const middle = (TOP + BASE) / 2;
  const scores = values.filter((value) => value?.win === null).map(({ score }) => Math.abs(score));
  const usual = scores.sort((a, b) => a - b)[Math.floor(scores.length * 0.9)] ?? 0;
  const most = rounded(Math.max(MIN_PIECES, usual / 100));
  /** @type {any[]} */
  const places = values.map((value, i) => {
    if (!value) return null;
    const height = value.win === null ? Math.max(-1, Math.min(1, value.score / 100 / most)) : Math.sign(value.win);
    return [LEFT + i * slotOf(slots), middle - (middle - TOP) * height];
  });
  const runs = []; // of positions one after the other that are known
  places.forEach((place, i) => {
    if (place && places[i - 1]) runs.at(-1).push(place);
    else if (place) runs.push([place]);
  });
  const curves = runs.map((run) =>
    run.length > 1 ? svg("polyline", { points: points(run), class: "curve" }) : dot(run[0], 5, "alone"),
  );
  const marks = mistakes.map((one) => {
    const [x, y] = places[one] ?? [LEFT + one * slotOf(slots), BASE - 6];
    return svg("polygon", { points: points([[x - 6, y], [x, y - 6], [x + 6, y], [x, y + 6]]), class: "mistake" });
  });
  const here = places[ply] ? [dot(places[ply], 6, "here")] : [];
  const label = `Evaluation of each position, ${scale(sides)}`;
  const marked = mistakes.length ? `; mistakes at moves ${mistakes.join(", ")}` : "";
  frame(container, label + marked, [`+${most}`, "0", `−${most}`], [...curves, ...marks, ...here], slots, ply, go);
}

/** The next number that is written short: 1, 2, 5, 10, 20 and so on. */
function rounded(number) {
  const size = 10 ** Math.floor(Math.log10(number));
  return [1, 2, 5, 10].map((one) => one * size).find((one) => one >= number);
}

function points(places) {
  return places.map((place) => place.join()).join(" ");
}

function dot([cx, cy], r, className) {
  return svg("circle", { cx, cy, r, class: className });
}

/** The axis at the left: three values at lines across the graph. */
function axis(ticks) {
  return ticks.flatMap((text, i) => {
    const y = TOP + ((BASE - TOP) * i) / (ticks.length - 1);
    const line = svg("line", { x1: LEFT, x2: WIDTH, y1: y, y2: y, class: i === ticks.length - 1 ? "base" : "line" });
    return [line, svg("text", { x: LEFT - 8, y: y + 7, class: "tick" }, text)];
  });
}

function slotOf(slots) {
  return (WIDTH - LEFT) / Math.max(MIN_SLOTS, slots);
}

/** Put the parts of a graph between its axes, above the band of the move shown. */
function frame(container, label, ticks, parts, slots, ply, go) {
  const slot = slotOf(slots);
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000].find((size) => slots / size <= MAX_NUMBERS) ?? 5000;
  const numbers = Array.from({ length: Math.floor(slots / step) }, (_, i) => (i + 1) * step).map((number) =>
    svg("text", { x: LEFT + (number - 0.5) * slot, y: HEIGHT - 4, class: "tick middle" }, `${number}`),
  );
  numbers.push(svg("text", { x: LEFT - 8, y: HEIGHT - 4, class: "tick" }, "move"));
  const band = { x: LEFT + (ply - 1) * slot, y: TOP, width: Math.max(3, slot), height: BASE - TOP, class: "cursor" };
  const cursor = ply ? [svg("rect", band)] : [];
  const attributes = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, class: "graph" };
  patch(container, svg("svg", attributes, ...cursor, ...axis(ticks), ...parts, ...numbers));
  container.onclick = (event) => {
    const box = container.firstElementChild.getBoundingClientRect();
    const at = ((event.clientX - box.x) / box.width) * WIDTH - LEFT;
    go(Math.min(slots, Math.max(0, Math.ceil(at / slot))));
  };
}
