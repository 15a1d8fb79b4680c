/** The list of contests. */

import { el, find, say } from "./dom.js";
import { ask } from "./net.js";
import { progress } from "./contest_parts.js";
import { count, sentence } from "./words.js";

const AGAIN_MS = 5000;

function card(contest) {
  const state = contest.state === "over" ? "over" : "running";
  const facts = [count(contest.entrants, "entrant"), new Date(contest.opened).toLocaleDateString([], { dateStyle: "medium" })];
  const leader = contest.leader ? `${state === "over" ? "won by" : "led by"} ${contest.leader}` : "not begun";
  return el(
    "a.card.one",
    { href: `/contest/${contest.contest}` },
    el("span.line", {}, el("strong", {}, contest.name), el(`span.tag.${state}`, {}, state)),
    progress(contest),
    el("span.line.small.quiet", {}, el("span", {}, leader), el("span", {}, facts.join(" · "))),
  );
}

async function show() {
  const fault = find("#fault");
  try {
    const contests = await ask("/api/contests");
    fault.hidden = true;
    find("#contests").replaceChildren(...contests.map(card));
    find("#none").hidden = contests.length > 0;
  } catch (error) {
    fault.hidden = false;
    say(fault, sentence(error.message));
  }
  setTimeout(show, AGAIN_MS);
}

show();
