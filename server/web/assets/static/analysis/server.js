/** Asking the server for what only the board to think on needs. docs/api.md has the JSON. */

import { Refused, ask as fetched } from "../shared/net.js";
import { t } from "../shared/texts.js";

/**
 * @param {"lines"|"open"|"kit"|"arrange"|"record"} kind
 * @param {object} question
 * @param {AbortSignal} [signal] ends the question, and a search on the server
 * @returns {Promise<any>} the answer; rejects with `Refused` of net.js
 */
export function ask(kind, question, signal) {
  const headers = { "Content-Type": "application/json" };
  return fetched(`/api/analysis/${kind}`, { method: "POST", headers, body: JSON.stringify(question), signal });
}

/**
 * @param {string} kind picture, png or gif: the position as SVG or PNG, or all of the game, animated
 * @param {object} question
 * @returns {Promise<Blob>} rejects with `Refused` of net.js
 */
export async function picture(kind, question) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`/api/play/${kind}`, { method: "POST", headers, body: JSON.stringify(question) });
  if (!response.ok) throw new Refused(t("The server could not draw this position."));
  return response.blob();
}
