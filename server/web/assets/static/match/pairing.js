/** Where a match belongs that is a game of a contest: links to it, to the opening, and to the other games of the same two. */

import { el, find, patch } from "../shared/dom.js";
import { Refused, ask } from "../shared/net.js";
import { t } from "../shared/texts.js";

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
  const where = stage ? t("stage {0}, round {1}", stage, round) : t("qualification, round {0}", round);
  patch(
    find("#pairing"),
    el("a", { href: `/contest/${contest}` }, name),
    el("a", { href: `/contest/${contest}#round-${stage}${stage ? `-${round}` : ""}` }, where),
    el("span", {}, t("game {0} of {1} of these two", place, count)),
    el("a", { href: `/match/${number}#0` }, t("Opening {0}", opening)),
    previous === null ? null : el("a", { href: `/match/${previous}`, rel: "prev" }, t("Previous game")),
    next === null ? null : el("a", { href: `/match/${next}`, rel: "next" }, t("Next game")),
  );
}
