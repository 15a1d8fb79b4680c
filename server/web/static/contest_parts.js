/** Parts of the pages on contests: bars, tables and the plot of ratings, each drawn from what the report tells. */

import { svg, text } from "./boards/svg.js";
import { el } from "./dom.js";
import { count, span } from "./words.js";

/** A bar that shows how many of the known games are over. */
export function progress({ done, known, running, state }) {
  const words = state === "over" ? `${done} games` : `${done} of ${known} games${running ? `, ${running} running` : ""}`;
  const total = Math.max(1, state === "over" ? done : known);
  return el("span.progress", {}, el("progress", { value: done, max: total, "aria-label": words }), el("span.number.small", {}, words));
}

/** A contest in a list: a link to its page. */
export function card(contest) {
  const state = contest.state === "over" ? "over" : "running";
  const facts = [count(contest.entrants, "entrant"), new Date(contest.opened).toLocaleDateString([], { dateStyle: "medium" })];
  const leader = contest.leader ? `${state === "over" ? "won by" : "led by"} ${contest.leader}` : "not begun";
  return el(
    "a.card.one",
    { href: `/contest/${contest.contest}`, "data-key": contest.contest },
    el("span.line", {}, el("strong", {}, contest.name), el(`span.tag.${state}`, {}, state)),
    progress(contest),
    el("span.line.small.quiet", {}, el("span", {}, leader), el("span", {}, facts.join(" · "))),
  );
}

/** Points with halves as people write them. */
export function points(value) {
  const whole = Math.floor(value);
  return value > whole ? `${whole || ""}½` : String(whole);
}

/** A table: headings, and rows of cells, each text or an element; columns of numbers are set as such; keys as of `patch`. */
export function table(label, headings, rows, numbers = [], keys = []) {
  const cell = (tag, content, i, attributes = {}) =>
    el(numbers.includes(i) ? `${tag}.number.right` : tag, attributes, content instanceof Node ? content : String(content));
  return el(
    "table",
    { "aria-label": label },
    el("thead", {}, el("tr", {}, ...headings.map((heading, i) => cell("th", heading, i, { scope: "col" })))),
    el("tbody", {}, ...rows.map((row, at) => el("tr", { "data-key": keys[at] ?? null }, ...row.map((content, i) => cell("td", content, i))))),
  );
}

const POINTS = ["Points", (line) => points(line.points)];
const BERGER = ["S.-B.", (line) => line.sonneborn_berger];
const RATING = ["Rating", (line) => signed(line.rating ?? 0)];

/** By what the formats rank, in the order in which it decides: headings, and what stands under them. */
const MARKS = {
  "round-robin": [POINTS, BERGER],
  swiss: [POINTS, ["Buchholz", (line) => points(line.buchholz)], BERGER],
  knockout: [["Rounds won", (line) => line.rounds_won], POINTS],
  gauntlet: [RATING, POINTS],
  ladder: [RATING, POINTS],
};

function signed(value) {
  const rounded = Math.round(value);
  return rounded > 0 ? `+${rounded}` : rounded < 0 ? `−${-rounded}` : "0";
}

/** The table of a stage. */
export function standings(stage) {
  const marks = MARKS[stage.kind];
  const headings = ["", "Name", ...marks.map(([heading]) => heading), "Games", "+ = −", "Time used", "Longest"];
  const rows = stage.table.map((line) => [
    `${line.place}.`,
    line.disqualified ? el("s", { title: line.disqualified }, line.name) : el("strong", {}, line.name),
    ...marks.map(([, value]) => value(line)),
    line.games,
    `${line.wins} ${line.draws} ${line.losses}`,
    span(Math.round(line.used / 1000)),
    span(Math.round(line.longest / 1000)),
  ]);
  const numbers = headings.map((_, i) => i).filter((i) => i !== 1);
  return table(`Standings of stage ${stage.number}`, headings, rows, numbers, stage.table.map(({ name }) => name));
}

/**
 * The crosstable of a stage: what each has reached against each, leading to their games.
 * @param {(one: string, other: string) => void} choose
 */
export function crosstable(stage, choose) {
  const headings = ["", "Name", ...stage.table.map((_, i) => i + 1)];
  const rows = stage.crosstable.map((cells, i) => {
    const name = stage.table[i].name;
    const shown = cells.map((cell, j) => {
      if (i === j) return el("span.self.unseen", {}, "itself");
      if (!cell) return "";
      const other = stage.table[j].name;
      const half = cell.games.length / 2;
      const kind = cell.points > half ? ".win" : cell.points < half ? ".loss" : "";
      const label = `${name} against ${other}: ${points(cell.points)} of ${cell.games.length}; show the games`;
      return el(`button.cell${kind}`, { type: "button", "aria-label": label, click: () => choose(name, other) }, points(cell.points));
    });
    return [`${i + 1}.`, name, ...shown];
  });
  return table(`Crosstable of stage ${stage.number}`, headings, rows, headings.map((_, i) => i).filter((i) => i !== 1));
}

const ROW = 34;
const NAME = 190;
const WIDTH = 720;
const EDGE = 76;

/** Ratings as points with their 95 % intervals. */
export function ratingPlot(ratings) {
  const low = Math.min(...ratings.map(({ elo, low: value }) => value ?? elo));
  const high = Math.max(...ratings.map(({ elo, high: value }) => value ?? elo));
  const room = Math.max(50, (high - low) * 0.05);
  const x = (value) => NAME + ((value - low + room) / (high - low + 2 * room)) * (WIDTH - NAME - EDGE);
  const parts = ticks(low, high).map((value) => [
    svg("line", { x1: x(value), x2: x(value), y1: 8, y2: ROW * ratings.length + 8, class: "gridline" }),
    text(String(value), { x: x(value), y: ROW * ratings.length + 28, class: "tick middle" }),
  ]);
  ratings.forEach(({ name, elo, low: from, high: to }, i) => {
    const y = ROW * i + 25;
    parts.push([text(shortened(name), { x: 0, y: y + 5, class: "name" })]);
    if (from !== null) parts.push([svg("line", { x1: x(from), x2: x(to), y1: y, y2: y, class: "interval" })]);
    parts.push([svg("circle", { cx: x(elo), cy: y, r: 6, class: "rating" })]);
    parts.push([text(signed(elo), { x: WIDTH, y: y + 5, class: "tick" })]);
  });
  const label = `Ratings in Elo, with 95 % intervals: ${ratings.map(({ name, elo }) => `${name} ${Math.round(elo)}`).join(", ")}`;
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${ROW * ratings.length + 36}`, role: "img", "aria-label": label, class: "ratings" }, parts.flat());
}

function shortened(name) {
  return name.length > 20 ? `${name.slice(0, 19)}…` : name;
}

function ticks(low, high) {
  const step = [10, 20, 50, 100, 200, 500, 1000, 2000].find((size) => (high - low) / size <= 8) ?? 5000;
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) found.push(value);
  return found;
}
