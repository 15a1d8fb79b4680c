/** Asking the server: how a game stands, which rows can be chosen, what the bot plays. docs/api.md has the JSON. */

import { ask as fetched, posted } from "../shared/net.js";

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
