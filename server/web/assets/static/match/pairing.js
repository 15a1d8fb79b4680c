/** Where a match belongs that is a game of a contest: links to it, to the opening, and to the other games of the same two. */

import { el, find, patch } from "../shared/dom.js";
import { Refused, ask } from "../shared/net.js";

/**
 * Show the contest of a match of the server, where it has one.
 * @param {number} number
 */
export async function showPairing(number) {
  let told = null;
  try {
    told = await ask(`/api/matches/${number}/contest`);
  } catch (error) {
    if (!(error instanceof Refused)) throw error; // the match is shown without it
  }
  find("#pairing").hidden = !told;
  if (!told) return;
  const { contest, name, stage, round, opening, place, count, previous, next } = told;
  const where = stage ? `stage ${stage}, round ${round}` : `qualification, round ${round}`;
  patch(
    find("#pairing"),
    el("a", { href: `/contest/${contest}` }, name),
    el("a", { href: `/contest/${contest}#round-${stage}${stage ? `-${round}` : ""}` }, where),
    el("span", {}, `game ${place} of ${count} of these two`),
    el("a", { href: `/match/${number}#0` }, `Opening ${opening}`),
    previous === null ? null : el("a", { href: `/match/${previous}`, rel: "prev" }, "Previous game"),
    next === null ? null : el("a", { href: `/match/${next}`, rel: "next" }, "Next game"),
  );
}
