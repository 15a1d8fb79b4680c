/** A contest in a list: how far it has come, and a link to its page. */

import { el } from "../shared/dom.js";
import { count } from "../shared/words.js";

/** A bar that shows how many of the known games are over. */
function progress({ done, known, running, state }) {
  const words = state === "over" ? `${done} games` : `${done} of ${known} games${running ? `, ${running} running` : ""}`;
  const total = Math.max(1, state === "over" ? done : known);
  return el("span.progress", {}, el("progress", { value: done, max: total, "aria-label": words }), el("span.number.small", {}, words));
}

/** Draw a contest. */
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
