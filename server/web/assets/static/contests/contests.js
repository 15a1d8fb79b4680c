/** The list of contests. */

import { card } from "./contest_card.js";
import { find, patch, say } from "../shared/dom.js";
import { ask } from "../shared/net.js";
import { sentence } from "../shared/words.js";

const AGAIN_MS = 5000;

async function show() {
  const fault = find("#fault");
  try {
    const contests = await ask("/api/contests");
    fault.hidden = true;
    patch(find("#contests"), ...contests.map(card));
    find("#none").hidden = contests.length > 0;
  } catch (error) {
    fault.hidden = false;
    say(fault, sentence(error.message));
  }
  setTimeout(show, AGAIN_MS);
}

show();
