/** The page of a player: results by opponent, variant, colour and cause of loss, time, games. */

import { el, find, patch, playerLink, say } from "../shared/dom.js";
import { ask } from "../shared/net.js";
import { count, gameName, reason, span } from "../shared/words.js";
import { attempt } from "./asking.js";
import { behind, gameRow } from "./game_row.js";

const AGAIN_MS = 3000;

const name = decodeURIComponent(location.pathname.slice("/player/".length));

async function show() {
  const later = await attempt(async () => {
    const told = await ask(`/api/player?${new URLSearchParams({ name })}`);
    draw(told);
    return told.index;
  });
  if (later) setTimeout(show, AGAIN_MS);
}

function draw(told) {
  document.title = `${told.name} · gipf-arena`;
  say(find("#name"), told.name);
  const words = behind(told.index);
  find("#behind").hidden = !words;
  say(find("#behind"), words);
  const { won, drawn, lost } = told.score;
  const total = won + drawn + lost;
  say(find("#total"), `${count(total, "game")}: ${won} won, ${drawn} drawn, ${lost} lost`);
  find("#profile").hidden = !total;
  if (!total) return;
  patch(
    find("#tables"),
    scores("By opponent", told.opponents, (score) => playerLink(score.name)),
    scores("By variant", told.variants, (score) => gameName(score.game, score.name)),
    scores("By colour", told.colours, (score) => `${gameName(score.game, "")}, ${score.name}`),
    causes(told.causes, lost),
  );
  patch(find("#time"), ...time(told));
  patch(
    find("#lists"),
    games("Last games", told.recent),
  );
  find("#all").setAttribute("href", `/games?${new URLSearchParams({ player: told.name })}`);
}

function scores(title, rows, heading) {
  return el(
    "section",
    {},
    el("h2", {}, title),
    el(
      "div.card.scroll",
      {},
      el(
        "table.games.scores",
        { "aria-label": title },
        el("thead", {}, el("tr", {}, el("td"), ...["Won", "Drawn", "Lost", "Score"].map((word) => el("th.number", {}, word)))),
        el("tbody", {}, ...rows.map((row) => scoreRow(row, heading(row)))),
      ),
    ),
  );
}

function scoreRow({ won, drawn, lost }, heading) {
  const share = `${Math.round((100 * (won + drawn / 2)) / (won + drawn + lost))} %`;
  return el("tr", {}, el("th", { scope: "row" }, heading), ...[won, drawn, lost, share].map((value) => el("td.number", {}, `${value}`)));
}

function causes(rows, lost) {
  const body = rows.map(([word, number]) =>
    el("tr", {}, el("th", { scope: "row" }, reason(word)), el("td.number", {}, `${number}`), el("td.number", {}, `${Math.round((100 * number) / lost)} %`)),
  );
  const table = el("table.games.scores", { "aria-label": "Lost by" }, el("tbody", {}, ...body));
  return el("section", {}, el("h2", {}, "Lost by"), el("div.card.scroll", {}, rows.length ? table : el("p.empty", {}, "No game was lost.")));
}

function time({ seconds_a_game: game, seconds_a_move: move, longest_turn: longest }) {
  const said = (seconds) => span(Math.round(1000 * seconds));
  const used = `${said(game)} a game and ${said(move)} a move on average.`;
  if (!longest) return [used];
  return [`${used} The longest turn took ${said(longest[1])}: `, el("a", { href: `/match/${longest[0]}` }, `match ${longest[0]}`), "."];
}

function games(title, rows) {
  if (!rows.length) return null;
  const table = el("table.games", { "aria-label": title }, el("tbody", {}, ...rows.map(gameRow)));
  return el("section", {}, el("h2", {}, title), el("div.card.scroll", {}, table));
}

say(find("#name"), name);
show();
