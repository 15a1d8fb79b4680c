/** A contest on a projector: boards that choose themselves, the table, what comes next, and the last results. */

import { drawBoard } from "../boards/board.js";
import { Clocks } from "../shared/clock.js";
import { el, find, patch, say } from "../shared/dom.js";
import { listen } from "../shared/net.js";
import { count, gameName, reason, score } from "../shared/words.js";

const number = location.pathname.split("/")[2];
const tiles = new Map(); // match number -> its tile

function update(night) {
  if (!night.name) {
    say(find("#name"), `Contest ${number} has no report yet`);
    return;
  }
  document.title = `${night.name} · gipf-arena`;
  say(find("#name"), night.name);
  find("#name").href = `/contest/${number}`;
  say(find("#progress"), progress(night));
  showChampions(night);
  showBoards(night);
  showTable(night);
  find("#coming").hidden = !night.next.length;
  patch(find("#next"), ...night.next.map(coming));
  patch(find("#results"), ...night.results.map(result));
}

function progress({ over, done, known, seconds_left, paused }) {
  if (over) return `over after ${count(done, "game")}`;
  if (paused) return paused;
  const left = seconds_left === null ? "" : ` · about ${Math.max(1, Math.round(seconds_left / 60))} min left`;
  return `${done} of ${known} games${left}`;
}

function showChampions({ champions }) {
  const place = find("#champion");
  place.hidden = !champions.length;
  if (place.hidden) return;
  const title = champions.length === 1 ? "has won" : "have won";
  patch(place, el("p.who", {}, champions.join(" and ")), el("p", {}, title));
}

function showTable({ table, entrants, mark }) {
  say(find("#mark"), mark);
  patch(
    find("#standings"),
    ...table.map((line) =>
      el(line.out ? "tr.out" : "tr", { "data-key": line.name }, el("td", {}, `${line.place}`), el("th.name", { scope: "row" }, line.name), el("td", {}, line.mark)),
    ),
  );
  find("#more").hidden = entrants <= table.length || !table.length;
  say(find("#more"), `and ${entrants - table.length} more`);
}

function coming(game) {
  return el("li", {}, el("span.name", {}, game.first), el("span.quiet", {}, " – "), el("span.name", {}, game.second));
}

function result(game) {
  const names = `${game.first} ${game.score} ${game.second}`;
  const shown = game.match === null ? el("strong", {}, names) : el("a", { href: `/match/${game.match}` }, names);
  return el("li", { "data-key": `${game.match} ${names}` }, shown, el("span.quiet", {}, ` ${game.sentence.split(":")[0]}`));
}

function showBoards({ boards, over }) {
  const place = find("#boards");
  const shown = new Set(boards.map(({ match }) => match.match));
  for (const [key, tile] of tiles) {
    if (shown.has(key)) continue;
    tile.root.remove();
    tile.clocks.set([0, 0], [false, false]);
    tiles.delete(key);
  }
  place.dataset.count = String(boards.length);
  find("#none").hidden = boards.length > 0 || over;
  boards.forEach((board, at) => {
    const { match } = board;
    const tile = tiles.get(match.match) ?? newTile(match);
    if (place.children[at] !== tile.root) place.insertBefore(tile.root, place.children[at] ?? null);
    if (tile.plies !== match.plies) tile.board.show(match.board);
    tile.plies = match.plies;
    tile.clocks.set(match.clocks, match.runs);
    tile.root.classList.toggle("over", Boolean(match.ending));
    say(tile.foot, match.ending ? `${score(match.ending)} · ${reason(match.ending.reason)}` : facts(board));
    patch(tile.stakes, ...(match.ending ? [] : stakes(board)));
  });
}

function facts({ match, round }) {
  return [round ? `round ${round}` : "", gameName(match.game, match.parameters), count(match.plies, "move")].filter(Boolean).join(" · ");
}

/** What each result of a game would change, a line for each result that changes anything. */
function stakes({ match, stakes: found }) {
  if (!found) return [];
  const titles = { first: `${match.players[0]} wins`, draw: "draw", second: `${match.players[1]} wins` };
  return Object.entries(titles)
    .filter(([key]) => found.changes[key].length)
    .map(([key, title]) => el("li", {}, `${title}: ${found.changes[key].map(({ name, before, after }) => `${name} ${before} → ${after}`).join(", ")}`));
}

function newTile(match) {
  const place = el("div.place");
  const faces = [0, 1].map(() => el("span.clock.number"));
  const sides = match.players.map((name, side) =>
    el("div.side", {}, el(`span.chip.side${side}.of-${match.game}`, { role: "img", "aria-label": match.sides[side] }), el("span.name", {}, name), faces[side]),
  );
  const foot = el("p.foot");
  const lines = el("ul.stakes");
  const root = el("a.tile.card", { href: `/match/${match.match}` }, el("div.who", {}, ...sides), place, el("div.below", {}, foot, lines));
  const tile = { root, foot, stakes: lines, clocks: new Clocks(faces), plies: match.plies, board: drawBoard(place, match.board, { small: true }) };
  tiles.set(match.match, tile);
  return tile;
}

listen(`/live/contests/${number}`, update, (lost) => {
  const state = find("#state");
  say(state, lost || "live");
  state.classList.toggle("lost", Boolean(lost));
  if (lost) for (const tile of tiles.values()) tile.clocks.stop();
});
