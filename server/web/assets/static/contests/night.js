/** A contest on a projector: boards that choose themselves, the table, what comes next, and the last results. */

import { announce, el, find, patch, say } from "../shared/dom.js";
import { listen } from "../shared/net.js";
import { count, reason } from "../shared/words.js";
import { Tiles } from "./tiles.js";

const number = location.pathname.split("/")[2];
const parts = [".beside", ".ticker"].map(find);
const tiles = new Tiles(find("#boards"));

function update(night) {
  const { summary, announcements } = night;
  announce(announcements);
  for (const part of parts) part.hidden = !summary;
  if (!summary) {
    say(find("#name"), `Contest ${number} has no report yet`);
    find("#name").href = "/contests";
    return;
  }
  document.title = `${summary.name} · gipf-arena`;
  say(find("#name"), summary.name);
  find("#name").href = `/contest/${number}`;
  say(find("#progress"), progress(summary));
  find("#state").hidden = summary.over; // nothing is awaited any more
  showChampions(summary);
  tiles.show(night.boards);
  find("#none").hidden = night.boards.length > 0 || summary.over;
  showTable(night);
  find("#coming").hidden = !night.next.length;
  patch(find("#next"), ...night.next.map(coming));
  patch(find("#results"), ...summary.results.map(result));
}

function progress({ title, over, done, known, seconds_left, paused }) {
  if (over) return `over after ${count(done, "game")}`;
  if (paused) return paused;
  const left = seconds_left === null ? "" : `about ${Math.max(1, Math.round(seconds_left / 60))} min left`;
  return [title, `${done} of ${count(known, "game")}`, left].filter(Boolean).join(" · ");
}

function showChampions({ champions }) {
  const place = find("#champion");
  place.hidden = !champions.length;
  if (place.hidden) return;
  const title = champions.length === 1 ? "has won" : "have won";
  patch(place, el("p.who", {}, champions.join(" and ")), el("p", {}, title));
}

function showTable({ summary, table, entrants }) {
  find("#placed").hidden = !table.length;
  say(find("#mark"), summary.mark);
  const isLed = table.some((line) => line.place !== 1); // else all are equal yet
  patch(
    find("#standings"),
    ...table.map((line) =>
      el(line.out ? "tr.out" : isLed && line.place === 1 ? "tr.leads" : "tr", { "data-key": line.name }, el("td", {}, `${line.place}`), el("th.name", { scope: "row" }, line.name), el("td", {}, line.mark)),
    ),
  );
  find("#more").hidden = entrants <= table.length;
  say(find("#more"), `and ${entrants - table.length} more`);
}

function coming(game) {
  return el("li", {}, el("span.name", {}, game.first), el("span.quiet", {}, " – "), el("span.name", {}, game.second));
}

function result(game) {
  const counts = /[0-9½]/.test(game.score); // else a word, which would stand between them like a verb
  const names = counts ? `${game.first} ${game.score} ${game.second}` : `${game.first} – ${game.second} ${game.score}`;
  const shown = game.match === null ? el("strong", {}, names) : el("a", { href: `/match/${game.match}` }, names);
  return el("li", { "data-key": `${game.match} ${names}` }, shown, el("span.quiet", {}, ` ${reason(game.sentence.split(":")[0].replaceAll(" ", "_"))}`));
}

listen(`/live/contests/${number}`, update, (lost) => {
  const state = find("#state");
  say(state, lost || "live");
  state.classList.toggle("lost", Boolean(lost));
  if (lost) tiles.stop();
});
