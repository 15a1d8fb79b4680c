/** What tiles of running matches have in common. */

import { el } from "./dom.js";
import { t } from "./texts.js";

/**
 * The board of a tile, which is a link to its match; the names in the tile are links of their own.
 * @param {{match: number, players: string[]}} match
 */
export function matchLink({ match, players }) {
  return el("a.place", { href: `/match/${match}`, "aria-label": `${t("Match {0}", match)}: ${players.join(" – ")}` });
}
