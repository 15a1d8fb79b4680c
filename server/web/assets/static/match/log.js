/** The log of a player in a match that is over: what its program wrote, for who has its token. */

import { el, find, patch } from "../shared/dom.js";
import { Refused, ask, posted } from "../shared/net.js";

/**
 * Offer the log of a match of the server.
 * @param {number} number
 */
export function offerLog(number) {
  const box = /** @type {HTMLDetailsElement} */ (find("#log"));
  if (!box.hidden) return;
  box.hidden = false;
  box.open = location.hash === "#log";
  if (box.open) box.scrollIntoView();
  find("#log-form").addEventListener("submit", (event) => {
    event.preventDefault();
    show(number, /** @type {HTMLInputElement} */ (find("#log-token")).value);
  });
}

async function show(number, token) {
  const [lines, fault] = [find("#log-lines"), find("#log-fault")];
  try {
    const told = await ask(`/api/matches/${number}/log`, posted({ token }));
    fault.hidden = true;
    patch(lines, told.lines.length ? told.lines.join("\n") : "Nothing was written.");
    lines.hidden = false;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    lines.hidden = true;
    patch(fault, el("span", {}, error.message));
    fault.hidden = false;
  }
}
