/** What tiles of running matches have in common. */

import { el } from "./dom.js";

/**
 * The board of a tile, which is a link to its match; the names in the tile are links of their own.
 * @param {{match: number, players: string[]}} match
 */
export function matchLink({ match, players }) {
  return el("a.place", { href: `/match/${match}`, "aria-label": `Match ${match}: ${players.join(" – ")}` });
}
