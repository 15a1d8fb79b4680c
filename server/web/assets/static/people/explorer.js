/** The opening explorer: a position, the moves that were played in it, and how these games went. */

import { Board } from "../boards/board.js";
import { Pointing } from "../play/pointing.js";
import { ask as look, games as known } from "../play/server.js";
import { el, find, patch, say } from "../shared/dom.js";
import { ask } from "../shared/net.js";
import { gameName, moveText } from "../shared/words.js";
import { attempt } from "./asking.js";
import { behind, gameRow } from "./game_row.js";
import { signed } from "./rating_graph.js";

const AGAIN_MS = 3000;

const line = { game: "gipf", variant: "", moves: [] };
let board = null;
let pointing = null;
let drawn = ""; // the board that is drawn: of which game and variant
let answer = null; // how the position stands
let again = 0;

/** The line stands in the address, so that it can be kept and sent to others. */
function read() {
  const given = new URLSearchParams(location.search);
  line.game = given.get("game") ?? "gipf";
  line.variant = given.get("variant") ?? "";
  line.moves = (given.get("moves") ?? "").split(",").filter(Boolean);
  if (line.variant) find("#variant").value = line.variant; // stays there where it is refused
}

function go(moves, variant = line.variant, game = line.game) {
  Object.assign(line, { game, variant, moves });
  const { href } = location;
  const address = `?${new URLSearchParams({ game, variant, moves: moves.join(",") })}`;
  if (new URL(address, href).href !== href) history.pushState(null, "", address);
  show();
}

async function show() {
  clearTimeout(again);
  const { game, variant, moves } = line;
  const still = () => game === line.game && variant === line.variant && moves === line.moves;
  const later = await attempt(async () => {
    const question = { game, moves, ...(variant ? { parameters: variant } : {}) };
    const query = new URLSearchParams({ game, variant, moves: moves.join(",") });
    const [position, explored] = await Promise.all([look("look", question), ask(`/api/explorer?${query}`)]);
    if (!still()) return null;
    answer = position;
    drawPosition();
    drawMoves(explored);
    return explored.index;
  });
  find(".explorer").hidden = !answer;
  if (later && still()) again = setTimeout(show, AGAIN_MS);
}

function drawPosition() {
  const { view, motion, legal, parameters } = answer;
  find("#game").value = line.game;
  find("#variant").value = parameters;
  say(find("#about"), gameName(line.game, parameters));
  const wanted = `${line.game} ${parameters}`;
  if (drawn !== wanted) {
    find("#board").replaceChildren();
    board = new Board(find("#board"), view);
    pointing = new Pointing(board, {
      rows: (chosen) => look("rows", { game: line.game, parameters, moves: line.moves, chosen }),
      move: (move) => go([...line.moves, move]),
      say: (words) => say(find("#said"), words),
      chosen: () => {},
    });
    drawn = wanted;
  }
  pointing.stop();
  board.show(view, motion);
  if (!view.ending) pointing.begin(view, legal, motion);
  find("#back").disabled = !line.moves.length;
  find("#first").disabled = !line.moves.length;
  say(find("#walked"), line.moves.map((move, i) => `${i + 1}. ${moveText(line.game, move)}`).join("  "));
}

function drawMoves({ moves, games, plies, index }) {
  const words = behind(index);
  find("#behind").hidden = !words;
  say(find("#behind"), words);
  patch(find("#moves"), ...moves.map(moveRow));
  find("#none").hidden = moves.length > 0;
  say(
    find("#none"),
    line.moves.length < plies ? "No game has gone on from here." : `Games are followed for ${plies} moves.`,
  );
  find("#games-of").hidden = !games.length;
  patch(find("#games"), ...games.map(gameRow));
}

function moveRow({ move, games, won, drawn: draws, lost, rating }) {
  const play = el("button", { type: "button", click: () => go([...line.moves, move]) }, moveText(line.game, move));
  const figures = [games, won, draws, lost, `${Math.round((100 * (won + draws / 2)) / games)} %`, rating === null ? "" : signed(rating)];
  return el("tr", { "data-key": move }, el("th", { scope: "row" }, play), ...figures.map((value) => el("td.number", {}, `${value}`)));
}

async function begin() {
  for (const { name } of await known()) find("#game").append(el("option", { value: name }, gameName(name, "")));
  read();
  show();
}

find("#variant-form").addEventListener("submit", (event) => {
  event.preventDefault();
  go([], find("#game").value === line.game ? find("#variant").value.trim() : "", find("#game").value);
});
find("#first").addEventListener("click", () => go([]));
find("#back").addEventListener("click", () => go(line.moves.slice(0, -1)));
window.addEventListener("popstate", () => {
  read();
  show();
});
begin();
