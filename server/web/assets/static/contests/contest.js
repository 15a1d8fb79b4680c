/** A contest: its report as the server draws it (`server/contest/report/templates`), and every game by rounds. */

import { announce, el, find, parse, patch, say } from "../shared/dom.js";
import { ask, listen } from "../shared/net.js";
import { count, sentence } from "../shared/words.js";

const AGAIN_MS = 5000;
const ROUNDS = 8; // that stand in a row: older ones are shown by a click
const OPEN_ROUNDS = 2; // of the newest games, where they have no more than these
const OPEN_GAMES = 24;

const number = location.pathname.split("/")[2];
let told = null;
let follows = false; // whether running games are shown, or are about to be
let live = null; // the connection that tells of them
let shown = ""; // what the page was made of last
let chosen = null; // two names whose games alone are listed
let listed = null; // the choice whose games are listed

function show() {
  document.title = `${told.name} · gipf-arena`;
  patch(find("#head"), ...parse(told.head));
  patch(find("#contest"), ...parse(told.contest));
  patch(find("#more"), ...parse(told.more));
  patch(find("#notes"), ...parse(told.notes));
  follow();
  listGames();
}

/** Show the running games until the contest is over; what draws boards comes behind the tables. */
async function follow() {
  if (told.over) live?.close();
  if (told.over || follows) return;
  follows = true;
  const found = await import("./tiles.js").catch(() => null); // the server cannot be reached: the next look tries again
  follows = found !== null;
  if (!found || told.over) return;
  const { Tiles } = found;
  const tiles = new Tiles(find("#boards"));
  const update = ({ boards = [], announcements }) => {
    announce(announcements);
    find("#live").hidden = !boards.length;
    tiles.show(boards);
  };
  live = listen(`/live/contests/${number}`, update, (lost) => lost && tiles.stop());
}

/** Choose two whose games alone are listed, or null for all. */
function choose(names) {
  chosen = names;
  listGames();
}

function listGames() {
  find("#games").hidden = !told.rounds.length;
  find("#chosen").hidden = !chosen;
  if (chosen) say(find("#chosen span"), `Games of ${chosen.join(" and ")}.`);
  const open = new Set([...document.querySelectorAll("#rounds details[open] > summary strong")].map((title) => title.textContent));
  const fresh = listed !== String(chosen);
  listed = String(chosen);
  let above = 0; // games of this round and of newer ones
  const parts = told.rounds.map(({ title, id, games, html }, i) => {
    above += games;
    const table = chosen ? withGamesOf(chosen, html) : null;
    const rows = chosen ? table.querySelectorAll("tr[data-key]").length : games;
    const fill = (details) => details.childElementCount === 1 && details.append(table ?? el("div", {}, ...parse(html)));
    const attributes = {
      id,
      "data-key": `${chosen ?? ""} ${title}`,
      open: Boolean(chosen || open.has(title) || (fresh && i < OPEN_ROUNDS && above <= OPEN_GAMES)),
      toggle: (event) => event.currentTarget.open && fill(event.currentTarget),
    };
    const summary = el("summary", {}, el("strong", {}, title), ` · ${count(rows, "game")}`);
    const details = /** @type {HTMLDetailsElement} */ (el("details.card", attributes, summary));
    if (details.open) fill(details);
    return rows ? details : null;
  });
  const [newest, older] = chosen ? [parts, []] : [parts.slice(0, ROUNDS), parts.slice(ROUNDS)];
  const earlier = older.length ? el("details", { "data-key": "earlier" }, el("summary", {}, count(older.length, "earlier round")), ...older) : null;
  patch(find("#rounds"), ...newest, earlier);
}

/** The table of a round with the games of two alone. */
function withGamesOf(names, html) {
  const table = el("div", {}, ...parse(html));
  for (const row of /** @type {NodeListOf<HTMLElement>} */ (table.querySelectorAll("tr[data-key]"))) {
    if (!names.includes(row.dataset.first) || !names.includes(row.dataset.second)) row.remove();
  }
  return table;
}

async function load() {
  const fault = find("#fault");
  let again = true;
  try {
    told = await ask(`/api/contests/${number}/fragments`);
    fault.hidden = true;
    const made = JSON.stringify(told);
    if (made !== shown) show();
    shown = made;
    again = !told.over;
  } catch (error) {
    fault.hidden = false;
    say(fault, sentence(error.message));
  }
  if (again) setTimeout(load, AGAIN_MS);
}

find("#contest").addEventListener("click", (event) => {
  const cell = event.target.closest("button.cell");
  if (!cell) return;
  choose([cell.dataset.first, cell.dataset.second]);
  find("#games-title").scrollIntoView();
});
find("#all").addEventListener("click", () => choose(null));
load();
