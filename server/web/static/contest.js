/** A contest: how far it has come, standings, crosstables, ratings, and every game by rounds. */

import { bracket } from "./bracket.js";
import { crosstable, progress, ratingPlot, standings, table } from "./contest_parts.js";
import { el, find, patch, say } from "./dom.js";
import { ask } from "./net.js";
import { count, reason, sentence } from "./words.js";

const AGAIN_MS = 5000;
const OPEN_ROUNDS = 2; // of the newest games

const number = location.pathname.split("/")[2];
let chosen = null; // two names whose games alone are listed
let shown = ""; // what the page was made of last
let report = null;
let listed = null; // the choice whose games are listed

function show({ entry, report }) {
  find("#contest").hidden = false;
  document.title = `${report.name} · gipf-arena`;
  say(find("#title"), report.name);
  const date = new Date(report.opened).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  say(find("#about"), `${count(report.entrants.length, "entrant")} · opened ${date} · ${report.state}`);
  patch(find("#progress"), progress(entry));
  const stages = [...report.stages].reverse().map((stage) => section(stage, report));
  if (report.qualification) stages.push(qualification(report.qualification));
  patch(find("#stages"), ...stages);
  find("#rated").hidden = !report.ratings.length;
  if (report.ratings.length) patch(find("#ratings"), ratingPlot(report.ratings));
  find("#coming").hidden = !report.schedule.length;
  patch(find("#schedule"), schedule(report));
  find("#out").hidden = !report.disqualified.length;
  const out = report.disqualified.map(({ name, reason: why }) => [name, why]);
  patch(find("#disqualified"), table("Disqualified", ["Name", "Why"], out));
  listGames(report);
}

function section(stage, report) {
  const choose = (one, other) => {
    chosen = [one, other];
    listGames(report);
    find("#games-title").scrollIntoView();
  };
  const part = (what, child, kind = "") =>
    el(`div.card.scroll${kind}`, { tabindex: 0, role: "region", "aria-label": `${what}, stage ${stage.number}` }, child);
  const state = stage.over ? "over" : `${stage.games} of ${stage.known} paired games`;
  return el(
    "section",
    { "data-key": stage.number },
    el("h2", {}, `Stage ${stage.number}: ${stage.format} `, el("span.quiet.small", {}, `${stage.time}, ${state}`)),
    stage.bracket.length ? part("Bracket", bracket(stage, report.games)) : null,
    part("Standings", standings(stage)),
    stage.crosstable.length && !stage.bracket.length ? part("Crosstable", crosstable(stage, choose), ".cross") : null,
  );
}

function qualification(found) {
  const rows = found.table.map((line) => [
    line.name,
    `${line.wins} ${line.draws} ${line.losses}`,
    line.left,
    line.late,
    line.bad_moves,
    line.disqualified || "qualified",
  ]);
  const headings = ["Name", "+ = −", "To play", "On time", "Bad moves", ""];
  return el(
    "section",
    { "data-key": "qualification" },
    el("h2", {}, "Qualification ", el("span.quiet.small", {}, `${found.time}, against ${found.opponents.join(", ")}`)),
    el("div.card.scroll", { tabindex: 0, role: "region", "aria-label": "Qualification" }, table("Qualification", headings, rows, [1, 2, 3, 4])),
  );
}

function schedule(report) {
  const rows = report.schedule.map((game) => [
    game.first,
    game.second,
    game.variant,
    game.stage ? `${game.stage}, ${game.round}` : "qualification",
    game.running ? "running" : "due",
  ]);
  return table("Games that are being played, and those that come next", ["Begins", "Second", "Game", "Stage, round", ""], rows);
}

function listGames(report) {
  find("#chosen").hidden = !chosen;
  if (chosen) say(find("#chosen span"), `Games of ${chosen.join(" and ")}.`);
  const games = report.games.filter((game) => !chosen || (chosen.includes(game.first) && chosen.includes(game.second)));
  find("#played").hidden = !report.games.length;
  const rounds = new Map();
  for (const game of games) {
    const key = game.stage ? `Stage ${game.stage}, round ${game.round}` : "Qualification";
    rounds.set(key, [...(rounds.get(key) ?? []), game]);
  }
  const open = new Set([...document.querySelectorAll("#games details[open] > summary strong")].map((title) => title.textContent));
  const fresh = listed !== String(chosen);
  listed = String(chosen);
  const parts = [...rounds].reverse().map(([title, list], i) => {
    const fill = (details) => details.childElementCount === 1 && details.append(el("div.scroll", {}, gameTable(title, list)));
    const attributes = {
      "data-key": `${chosen ?? ""} ${title}`,
      open: Boolean(chosen || open.has(title) || (fresh && i < OPEN_ROUNDS)),
      toggle: (event) => event.currentTarget.open && fill(event.currentTarget),
    };
    const details = el("details.card", attributes, el("summary", {}, el("strong", {}, title), ` ${count(list.length, "game")}`));
    if (details.open) fill(details);
    return details;
  });
  patch(find("#games"), ...parts);
}

function gameTable(title, games) {
  const name = (game, side) => el(game.result === side ? "strong" : "span", {}, game[side]);
  const results = { first: "1 – 0", second: "0 – 1", draw: "½ – ½", none: "–", annulled: "annulled" };
  const rows = games.map((game) => [
    game.match === null ? "–" : el("a", { href: `/match/${game.match}` }, String(game.match)),
    name(game, "first"),
    name(game, "second"),
    results[game.result] ?? game.result,
    game.variant,
    el("span", { title: game.sentence }, reason(game.reason)),
    game.plies,
  ]);
  return table(title, ["Match", "First", "Second", "Result", "Game", "Ended by", "Moves"], rows, [0, 6], games.map((game) => game.number));
}

async function load() {
  const fault = find("#fault");
  let again = true;
  try {
    const contest = await ask(`/api/contests/${number}`);
    fault.hidden = true;
    const made = JSON.stringify(contest);
    report = contest.report;
    if (made !== shown) show(contest);
    shown = made;
    again = contest.report.state !== "over";
  } catch (error) {
    fault.hidden = false;
    say(fault, sentence(error.message));
  }
  if (again) setTimeout(load, AGAIN_MS);
}

for (const name of ["report.json", "standings.csv", "games.csv", "ratings.csv"]) {
  document.getElementById(name).href = `/api/contests/${number}/${name}`;
}
find("#all").addEventListener("click", () => {
  chosen = null;
  listGames(report);
});
load();
