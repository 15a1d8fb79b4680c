/** A contest in a list: how far it has come, and a link to its page. */

import { el } from "../shared/dom.js";
import { count } from "../shared/words.js";

/** A bar that shows how many of the known games are over. */
function progress({ done, known, running, state }) {
  const words = state === "over" ? count(done, "game") : running ? `${done} of ${count(known, "game")}, ${running} running` : `${done} of ${count(known, "game")}`;
  const total = Math.max(1, state === "over" ? done : known);
  return el("span.progress", {}, el("progress", { value: done, max: total, "aria-label": words }), el("span.number.small", {}, words));
}

/** Draw a contest. */
export function card(contest) {
  const state = contest.state === "over" ? "over" : "running";
  const facts = [count(contest.entrants, "entrant"), new Date(contest.opened).toLocaleString([], { dateStyle: "medium" })];
  const nobody = state === "over" ? "nobody has won" : contest.done ? "nobody leads yet" : "not begun";
  const leader = !contest.leader ? nobody : state === "over" ? `won by ${contest.leader}` : `led by ${contest.leader}`;
  return el(
    "a.card.one",
    { href: `/contest/${contest.contest}`, "data-key": contest.contest },
    el("span.line", {}, el("strong", {}, contest.name), el(`span.tag.${state}`, {}, state)),
    progress(contest),
    el("span.line.small.quiet", {}, el("span", {}, leader), el("span", {}, facts.join(" · "))),
  );
}
