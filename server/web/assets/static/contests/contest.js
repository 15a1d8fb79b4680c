/** A contest: its report as the server draws it (`server/contest/report/templates`), and every game by rounds. */

import { el, find, parse, patch, playerLink, say } from "../shared/dom.js";
import { ask } from "../shared/net.js";
import { count, sentence } from "../shared/words.js";

const AGAIN_MS = 5000;
const OPEN_ROUNDS = 2; // of the newest games

const number = location.pathname.split("/")[2];
let told = null;
let shown = ""; // what the page was made of last
let chosen = null; // two names whose games alone are listed
let listed = null; // the choice whose games are listed

function show() {
  document.title = `${told.name} · gipf-arena`;
  patch(find("#contest"), ...linked(parse(told.contest)));
  patch(find("#notes"), ...parse(told.notes));
  listGames();
}

/** Let the names of entrants lead to their pages; in a report on the disk they could lead nowhere. */
function linked(nodes) {
  const all = el("div", {}, ...nodes);
  for (const row of /** @type {NodeListOf<HTMLElement>} */ (all.querySelectorAll("tr[data-key]"))) {
    const head = row.querySelector("th.name");
    if (head?.textContent === row.dataset.key) head.replaceChildren(playerLink(head.textContent));
  }
  return [...all.childNodes];
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
  const parts = told.rounds.map(({ title, games, html }, i) => {
    const table = chosen ? withGamesOf(chosen, html) : null;
    const rows = chosen ? table.querySelectorAll("tr[data-key]").length : games;
    const fill = (details) => details.childElementCount === 1 && details.append(table ?? el("div", {}, ...parse(html)));
    const attributes = {
      "data-key": `${chosen ?? ""} ${title}`,
      open: Boolean(chosen || open.has(title) || (fresh && i < OPEN_ROUNDS)),
      toggle: (event) => event.currentTarget.open && fill(event.currentTarget),
    };
    const summary = el("summary", {}, el("strong", {}, title), ` ${count(rows, "game")}`);
    const details = /** @type {HTMLDetailsElement} */ (el("details.card", attributes, summary));
    if (details.open) fill(details);
    return rows ? details : null;
  });
  patch(find("#rounds"), ...parts);
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
