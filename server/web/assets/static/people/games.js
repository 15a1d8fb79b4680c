/** The search of games. What is asked for stands in the address, so that it can be kept and sent to others. */

import { find, el, patch, say } from "../shared/dom.js";
import { ask } from "../shared/net.js";
import { REASONS, count, reason } from "../shared/words.js";
import { attempt } from "./asking.js";
import { behind, gameRow } from "./game_row.js";

const AGAIN_MS = 1500;

const form = /** @type {HTMLFormElement} */ (find("#search"));
let games = [];
let next = null;
let again = 0;

for (const word of Object.keys(REASONS)) find("#reason").append(el("option", { value: word }, reason(word)));

function wanted() {
  const filled = [...new FormData(form)].map(([name, value]) => [name, String(value).trim()]).filter(([, value]) => value);
  return new URLSearchParams(filled).toString();
}

function fill() {
  const given = new URLSearchParams(location.search);
  for (const field of /** @type {HTMLInputElement[]} */ ([...form.elements])) if (field.name) field.value = given.get(field.name) ?? "";
}

/** Ask for what the form says, or for the page behind the last one. */
async function search(more = false) {
  clearTimeout(again);
  const query = wanted();
  const before = more ? `${query ? "&" : ""}before=${next}` : "";
  const later = await attempt(async () => {
    const answer = await ask(`/api/games?${query}${before}`);
    if (query !== wanted()) return null; // something else is wanted by now
    games = more ? [...games, ...answer.games] : answer.games;
    next = answer.next;
    show(answer);
    return answer.index;
  });
  if (later && !more && query === wanted()) again = setTimeout(() => refresh(query), AGAIN_MS);
}

/** Look again, but not under somebody who is filling in the form, or has gone on to further games. */
function refresh(query) {
  if (query === wanted() && games.length <= 50) search();
}

function show(answer) {
  say(find("#counted"), count(answer.found, "game"));
  const words = behind(answer.index);
  find("#behind").hidden = !words;
  say(find("#behind"), words);
  patch(find("#games"), ...games.map(gameRow));
  find("#results").hidden = !games.length;
  find("#none").hidden = games.length > 0 || !answer.index.complete;
  find("#more").hidden = next === null;
}

function begin() {
  const query = wanted();
  history.pushState(null, "", query ? `?${query}` : location.pathname);
  search();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  begin();
});
form.addEventListener("reset", () => setTimeout(begin)); // the fields are cleared after the event
find("#more").addEventListener("click", () => search(true));
window.addEventListener("popstate", () => {
  fill();
  search();
});
fill();
search();
