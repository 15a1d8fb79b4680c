/** The bracket of a knockout: a list of rounds, each a list of meetings, as in the report (`server/contest/report/render/bracket.py`). */

import { points } from "./contest_parts.js";
import { el } from "./dom.js";

/**
 * @param {object} stage of the report
 * @param {object[]} games of the report, in their order
 */
export function bracket(stage, games) {
  const rounds = stage.bracket.map((round) =>
    el(
      "li.round",
      {},
      el("h3", {}, round.name),
      el("ol", {}, ...round.meetings.map((meeting) => el("li", {}, drawMeeting(meeting, games)))),
    ),
  );
  return el("ol.bracket", {}, ...rounds);
}

function drawMeeting(meeting, games) {
  const matches = meeting.games.map((number) => games[number - 1].match).filter((match) => match !== null);
  const links = matches.flatMap((match) => [" ", el("a", { href: `/match/${match}` }, String(match))]);
  const played = links.length ? el("p.played", {}, matches.length === 1 ? "Match" : "Matches", ...links) : null;
  return el("div.pair", {}, drawSide(meeting, 0), drawSide(meeting, 1), played);
}

function drawSide(meeting, side) {
  const name = meeting.players[side];
  if (name === null) return el("p.side.nobody", {}, meeting.bye ? "bye" : "open");
  const wins = meeting.winner === side;
  return el(
    wins ? "p.side.on" : meeting.winner === null ? "p.side" : "p.side.out",
    {},
    el("span.who", { title: name }, name),
    meeting.games.length ? el("span.score", {}, points(meeting.points[side])) : null,
    wins ? el("span.mark", {}, "won") : null,
  );
}
