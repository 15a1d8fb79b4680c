/** Asking about games, of an index that may still grow. */

import { find, say } from "../shared/dom.js";
import { Busy, Refused } from "../shared/net.js";
import { sentence } from "../shared/words.js";

/**
 * Ask and show what is answered; what is refused stands in `#fault`.
 * @param {() => Promise<?{complete: boolean}>} asking returns how far the index is, null where nobody wants to know now
 * @returns {Promise<boolean>} whether to ask again in a while: more will be known then, or the server is busy
 */
export async function attempt(asking) {
  const fault = find("#fault");
  try {
    const index = await asking();
    if (index) fault.hidden = true;
    return index !== null && !index.complete;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    fault.hidden = false;
    say(fault, sentence(error.message));
    return error instanceof Busy;
  }
}
