/** The page of a player: ratings over time, results by opponent, variant, colour and cause of loss, time, games. */

import "../shared/further_texts.js";
import { el, find, patch, playerLink, say } from "../shared/dom.js";
import { ask } from "../shared/net.js";
import { t } from "../shared/texts.js";
import { count, gameName, reason, span } from "../shared/words.js";
import { attempt } from "./asking.js";
import { behind, gameRow } from "./game_row.js";
import { ratingGraph, signed } from "./rating_graph.js";

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
  say(find("#total"), t("{0}: {1} won, {2} drawn, {3} lost", count(total, "game"), won, drawn, lost));
  find("#profile").hidden = !total;
  if (!total) return;
  patch(find("#ratings"), ...told.ratings.map(rating));
  patch(
    find("#tables"),
    scores(t("By opponent"), told.opponents, (score) => playerLink(score.name)),
    scores(t("By variant"), told.variants, (score) => gameName(score.game, score.name)),
    scores(t("By colour"), told.colours, (score) => `${gameName(score.game, "")}, ${t(score.name)}`),
    causes(told.causes, lost),
  );
  patch(find("#time"), ...time(told));
  patch(
    find("#lists"),
    games(t("Best wins"), told.best, t("Games won from the opponents with the highest ratings.")),
    games(t("Worst losses"), told.worst, t("Games lost to the opponents with the lowest ratings.")),
    games(t("Last games"), told.recent, ""),
  );
  find("#all").setAttribute("href", `/games?${new URLSearchParams({ player: told.name })}`);
}

function rating({ game, players, points }) {
  const { elo, low, high } = points.at(-1).rating;
  const now = t("{0} Elo, 95 % interval {1} to {2}", signed(elo), signed(low), signed(high));
  const label = t("Rating in {0} after so many games; now {1}", gameName(game, ""), now);
  const against = players === 1 ? t("against the average of {0} player", players) : t("against the average of {0} players", players);
  return el(
    "section",
    {},
    el("h2", {}, t("Rating in {0}", gameName(game, ""))),
    el(
      "div.card.rated",
      {},
      el("p", {}, el("strong", {}, now), ` ${against}`),
      ratingGraph(points, label),
      el("p.small.quiet", {}, t("After so many games. The bars are 95 % intervals.")),
    ),
  );
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
        el("thead", {}, el("tr", {}, el("td"), ...["Won", "Drawn", "Lost", "Score"].map((word) => el("th.number", {}, t(word))))),
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
  const table = el("table.games.scores", { "aria-label": t("Lost by") }, el("tbody", {}, ...body));
  return el("section", {}, el("h2", {}, t("Lost by")), el("div.card.scroll", {}, rows.length ? table : el("p.empty", {}, t("No game was lost."))));
}

function time({ seconds_a_game: game, seconds_a_move: move, longest_turn: longest }) {
  const said = (seconds) => span(Math.round(1000 * seconds));
  const used = t("{0} a game and {1} a move on average.", said(game), said(move));
  if (!longest) return [used];
  return [`${used} ${t("The longest turn took {0}:", said(longest[1]))} `, el("a", { href: `/match/${longest[0]}` }, t("match {0}", longest[0])), "."];
}

function games(title, rows, about) {
  if (!rows.length) return null;
  const table = el("table.games", { "aria-label": title }, el("tbody", {}, ...rows.map(gameRow)));
  return el("section", {}, el("h2", {}, title), about ? el("p.small.quiet", {}, about) : null, el("div.card.scroll", {}, table));
}

say(find("#name"), name);
show();
