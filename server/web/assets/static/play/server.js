/** Asking the server: how a game stands, which rows can be chosen, what the bot plays. docs/api.md has the JSON. */

import { el } from "../shared/dom.js";
import { Refused, ask as fetched, posted } from "../shared/net.js";

/** @returns {Promise<{name: string, sides: string[], parameters: string}[]>} the games, with their usual variants */
export function games() {
  return fetched("/api/play/games");
}

/**
 * @param {"look"|"rows"|"think"} kind
 * @param {object} question
 * @param {AbortSignal} [signal] ends the question, and a thought on the server
 * @returns {Promise<object>} the answer; rejects with `Refused` of net.js
 */
export function ask(kind, question, signal) {
  return fetched(`/api/play/${kind}`, posted(question, signal));
}

/**
 * The same for analysis.
 * @param {"lines"|"open"|"kit"|"arrange"|"record"} kind
 * @param {object} question
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export function askAnalysis(kind, question, signal) {
  return fetched(`/api/analysis/${kind}`, posted(question, signal));
}

/**
 * @param {string} kind picture, png or gif: the position as SVG or PNG, or all of the game, animated
 * @param {object} question
 * @returns {Promise<Blob>} rejects with `Refused` of net.js
 */
export async function picture(kind, question) {
  const response = await fetch(`/api/play/${kind}`, posted(question));
  if (!response.ok) throw new Refused("The server could not draw this position.");
  return response.blob();
}

/** Offer a file to be kept. */
export function save(blob, name) {
  const href = URL.createObjectURL(blob);
  el("a", { href, download: name }).click();
  URL.revokeObjectURL(href);
}
