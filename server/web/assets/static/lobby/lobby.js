/** The lobby: running matches with their boards, results, who is here, and contests. */

import { Board } from "../boards/board.js";
import { card } from "../contests/contest_card.js";
import { announce, el, find, matchLink, patch, playerLink, say } from "../shared/dom.js";
import { Further } from "./further.js";
import { listen } from "../shared/net.js";
import { badge, count, gameName, reason, score, time } from "../shared/words.js";

const tiles = new Map(); // match number -> its tile
const further = new Further((matches) => patch(find("#others"), ...matches.map(row)));

function update(lobby) {
  say(find("#counted"), lobby.playing ? count(lobby.playing, "match", "matches") : "");
  showBoards([...lobby.running, ...lobby.recent].filter((match) => match.board));
  further.take(lobby);
  find("#nobody").hidden = lobby.running.length > 0;
  find("#table").hidden = !lobby.recent.length;
  find("#fresh").hidden = !lobby.complete || lobby.recent.length > 0;
  patch(find("#results"), ...lobby.recent.map(row));
  find("#alone").hidden = lobby.players.length > 0;
  patch(find("#people"), ...lobby.players.map(person), ...unlisted(lobby));
  showContests(lobby.contests);
  announce(lobby.announcements);
}

function showContests(contests) {
  find("#held").hidden = !contests.length;
  patch(find("#contests"), ...contests.map(card));
}

function showBoards(matches) {
  const shown = new Set(matches.map((match) => match.match));
  for (const [number, tile] of tiles) {
    if (!shown.has(number)) {
      tile.root.remove();
      tiles.delete(number);
    }
  }
  for (const match of matches) {
    const tile = tiles.get(match.match) ?? newTile(match);
    if (tile.plies !== match.plies) tile.board.show(match.board);
    tile.plies = match.plies;
    tile.root.classList.toggle("over", Boolean(match.ending));
    match.clocks.forEach((left, side) => {
      say(tile.clocks[side], match.ending ? badge(match.ending, side) : time(left));
      tile.clocks[side].classList.toggle("runs", match.runs[side] || match.ending?.winner === side);
    });
    say(tile.moves, match.ending ? reason(match.ending.reason) : count(match.plies, "move"));
  }
}

function newTile(match) {
  const place = matchLink(match);
  const clocks = [0, 1].map(() => el("span.number"));
  const moves = el("span.number");
  const who = match.players.flatMap((name, side) => [
    el(`span.chip.side${side}.of-${match.game}`, { role: "img", "aria-label": match.sides[side] }),
    el("span.name", {}, playerLink(name)),
    clocks[side],
  ]);
  const root = el(
    "div.card.tile",
    { "data-match": match.match },
    place,
    el("span.who", {}, ...who),
    el("span.foot.small.quiet", {}, el("span", {}, gameName(match.game, match.parameters)), moves),
  );
  const tile = { root, clocks, moves, plies: match.plies, board: null };
  tile.board = new Board(place, match.board);
  tiles.set(match.match, tile);
  const boards = find("#boards");
  const after = [...boards.children].find((child) => Number(child.dataset.match) < match.match);
  root.dataset.match = match.match;
  boards.insertBefore(root, after ?? null);
  return tile;
}

function row(match) {
  const names = match.players.map((name, side) =>
    el(match.ending?.winner === side ? "strong.seated" : "span.seated", {}, el(`span.chip.side${side}.of-${match.game}`), playerLink(name)),
  );
  return el(
    "tr",
    { "data-key": match.match },
    el("td.number", {}, el("a", { href: `/match/${match.match}` }, `${match.match}`)),
    el("td", {}, names[0], el("span.quiet", {}, " – "), names[1]),
    el("td.score.number", {}, score(match.ending)),
    el("td.extra.small.kind", {}, gameName(match.game, match.parameters)),
    el("td.extra.small.quiet", {}, match.ending ? reason(match.ending.reason) : count(match.plies, "move")),
  );
}

function person(player) {
  const doing =
    player.match === null
      ? el("span.small.quiet", {}, player.doing)
      : el("a.small", { href: `/match/${player.match}` }, player.doing === "watches" ? `watches match ${player.match}` : `in match ${player.match}`);
  return el("li", { "data-key": player.name }, playerLink(player.name, "a.player.name"), doing);
}

function unlisted(lobby) {
  const more = lobby.present - lobby.players.length;
  return more > 0 ? [el("li.quiet", {}, `and ${count(more, "other")}`)] : [];
}

const status = find("#status");
status.hidden = false;
say(status, "connecting");
listen("/live/lobby", update, (lost) => {
  status.classList.toggle("lost", Boolean(lost));
  find("#main").classList.toggle("lost", Boolean(lost));
  say(status, lost || "live");
});
