/** Asking the server for what only the board to think on needs. docs/web.md has the JSON. */

import { Refused, ask as fetched } from "../shared/net.js";

/**
 * @param {"lines"|"open"} kind
 * @param {object} question
 * @param {AbortSignal} [signal] ends the question, and a search on the server
 * @returns {Promise<any>} the answer; rejects with `Refused` of net.js
 */
export function ask(kind, question, signal) {
  const headers = { "Content-Type": "application/json" };
  return fetched(`/api/analysis/${kind}`, { method: "POST", headers, body: JSON.stringify(question), signal });
}

/** @returns {Promise<string>} a position as SVG; rejects with `Refused` of net.js */
export async function picture(question) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch("/api/play/picture", { method: "POST", headers, body: JSON.stringify(question) });
  if (!response.ok) throw new Refused("The server could not draw this position.");
  return response.text();
}
