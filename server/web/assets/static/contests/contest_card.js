/** A contest in a list: how far it has come, and a link to its page. */

import { el } from "../shared/dom.js";
import { day, t } from "../shared/texts.js";
import { count } from "../shared/words.js";

/** A bar that shows how many of the known games are over. */
function progress({ done, known, running, state }) {
  const words = state === "over" ? count(done, "game") : running ? t("{0} of {1}, {2} running", done, count(known, "game"), running) : t("{0} of {1}", done, count(known, "game"));
  const total = Math.max(1, state === "over" ? done : known);
  return el("span.progress", {}, el("progress", { value: done, max: total, "aria-label": words }), el("span.number.small", {}, words));
}

/** Draw a contest. */
export function card(contest) {
  const state = contest.state === "over" ? "over" : "running";
  const facts = [count(contest.entrants, "entrant"), day(new Date(contest.opened))];
  const nobody = state === "over" ? t("nobody has won") : contest.done ? t("nobody leads yet") : t("not begun");
  const leader = !contest.leader ? nobody : state === "over" ? t("won by {0}", contest.leader) : t("led by {0}", contest.leader);
  return el(
    "a.card.one",
    { href: `/contest/${contest.contest}`, "data-key": contest.contest },
    el("span.line", {}, el("strong", {}, contest.name), el(`span.tag.${state}`, {}, t(state))),
    progress(contest),
    el("span.line.small.quiet", {}, el("span", {}, leader), el("span", {}, facts.join(" · "))),
  );
}
