/** A match, running or over, of the server or from a file: its board, clocks, moves and graphs. */

import { $, GamePage, chip, reveal, showStock } from "../boards/game_page.js";
import { Clocks } from "../shared/clock.js";
import { el, patch, playerLink, say, wait } from "../shared/dom.js";
import { offerFile } from "../shared/drop.js";
import { Refused, Unreachable, ask, listen, posted, untilReached } from "../shared/net.js";
import { store, stored } from "../shared/storage.js";
import { badge, moveText, noteFigures, removal, scale, sentence, span } from "../shared/words.js";
import { studyOf, toGameLink, toLink } from "../play/link.js";
import { MatchState } from "./match_state.js";
import { Review, drawReview, judgement, notedValues, valueInWords } from "./review.js";

const SAID = ["no_reserve", "dead_lock", "no_move", "resign", "repetition", "board_full"]; // ends that their headlines say in full
const REVIEWED = "reviewed"; // the key of `reviewed` in the storage of the browser
const MAX_REVIEWED = 100;
const REST_MS = 600; // between two moves that are played, when what moves has come to rest

class MatchPage extends GamePage {
  /**
   * @param {object} told what the server tells of the match
   * @param {?number} number of a match of the server
   * @param {?string} record the text, where it came from a file
   */
  constructor(told, number, record) {
    super();
    this.state = new MatchState(told);
    this.number = number;
    this.record = record;
    this.review = new Review((before) => this.#asking("review", `?before=${before}`), 0);
    this.moves = []; // the buttons of the moves
    this.lost = false;
    this.playing = null;
    const wanted = /^#[0-9]{1,5}$/.test(location.hash) ? Number(location.hash.slice(1)) : this.state.plies;
    this.ply = Math.min(wanted, this.state.plies);
    $("match").hidden = false;
    $("match").removeAttribute("aria-busy");
    this.#showHead();
    this.#showPlayers();
    this.#wire();
    this.refresh();
    if (number === null) return;
    if (!this.state.over) this.#follow();
    else if (reviewed().includes(number)) this.#beginReview(); // the server remembers its answers
  }

  /** Whether the page shows whatever comes. */
  get following() {
    return this.ply === this.state.plies;
  }

  /** Which clocks run on the page: none in the past, and none while nobody knows how they go on. */
  get #runs() {
    return this.following && !this.lost ? this.state.now.runs : [false, false];
  }

  /** Go to the position after so many plies; resolves when nothing moves any more. */
  go(ply) {
    const before = this.ply;
    this.ply = Math.max(0, Math.min(ply, this.state.plies));
    const hash = this.following && !this.state.over ? "" : `#${this.ply}`;
    history.replaceState(null, "", location.pathname + hash);
    return this.refresh(this.ply === before + 1);
  }

  /**
   * Draw all that depends on the position; `animated` where it comes from the one before by a move. Resolves when
   * nothing moves any more.
   */
  refresh(animated = false) {
    const { state, ply } = this;
    const { start } = state.info;
    const view = state.view(ply);
    if (!view) return this.#retell();
    const still = this.draw(view, state.frames[ply].motion, animated && Boolean(state.view(ply - 1)));
    for (const side of [0, 1]) showStock($(`player${side}`).querySelector(".stock"), view, side);
    this.clocks.set(state.clocks(ply), this.#runs);
    this.#list();
    this.#showNotes();
    this.#showEnding();
    this.#showGraphs();
    if (ply) say($("spoken"), `Move ${ply}, ${state.sides[state.mover(ply)]}: ${state.steps[ply - 1][0]}${removal(state.frames[ply].motion ?? {})}`);
    const study = studyOf(start, state.steps, ply);
    $("analyse").href = `/analysis#${toLink(study)}`;
    $("play-on").href = `/play#${toGameLink(study)}`;
    this.showSteps(ply === 0, ply === state.plies);
    return still;
  }

  #showHead() {
    const { about, players, start } = this.state.info;
    say($("title"), players.join(" – "));
    document.title = `${players.join(" – ")} · gipf-arena`;
    patch($("about"), ...about.split(" · ").map((part) => el("span.whole", {}, part)));
    say($("scale"), scale(start.sides));
  }

  #showPlayers() {
    const { players, start } = this.state.info;
    const faces = players.map((name, side) => {
      const clock = el("span.clock.number", { role: "timer", "aria-label": `Clock of ${name}` });
      const away = el("span.away", { hidden: true }, " is away");
      const who = el("span.name", {}, playerLink(name), el("span.quiet", {}, ` ${start.sides[side]}`), away, el("span.badge"));
      $(`player${side}`).replaceChildren(chip(start.game, side), who, el("span.stock"), clock);
      return clock;
    });
    this.clocks = new Clocks(faces);
  }

  #list() {
    const { state } = this;
    const { game } = state.info.start;
    $("nothing").hidden = state.plies > 0;
    const used = this.moves.length < state.plies ? state.used() : [];
    for (let i = this.moves.length; i < state.plies; i += 1) {
      const side = state.mover(i + 1);
      const button = el(
        "button",
        { type: "button", click: () => this.go(i + 1) },
        el("span.ply.number", {}, `${i + 1}.`),
        chip(game, side, state.sides[side]),
        el("span.move", {}, moveText(game, state.steps[i][0])),
        el("span.mark", { role: "img", hidden: true }),
        el("span.took.number", { title: "Time that the move took" }, span(used[i].spent)),
      );
      this.moves.push(button);
      $("moves").append(el("li", {}, button));
    }
    $("moves").querySelector("[aria-current]")?.removeAttribute("aria-current");
    const current = this.moves[this.ply - 1];
    current?.setAttribute("aria-current", "true");
    // after the parts beside the list have their size
    if (current) requestAnimationFrame(() => reveal($("moves"), current));
    else $("moves").scrollTop = 0;
  }

  /** Show what was noted of the move that led to this position, and what the review says of it. */
  #showNotes() {
    const { state, ply } = this;
    const { start } = state.info;
    const move = state.steps[ply - 1]?.[0];
    const judged = move && judgement(this.review.moves[ply], move, state.mover(ply), start);
    $("judged").hidden = !judged;
    patch($("judged"), ...(judged || []));
    say($("notes-of"), ply ? `Notes of move ${ply}` : "Notes");
    const notes = state.notesOf(ply).map((note) => {
      const line = note.pv ? el("span.pv", {}, note.pv.map((one) => moveText(start.game, one)).join(", ")) : null;
      const unmade = note.ply > state.plies ? el("b.unmade", {}, `Move ${note.ply}, not made: `) : null;
      const figures = el("span.figures.number", {}, noteFigures(note, start.sides));
      return el("li", {}, chip(start.game, note.side, start.sides[note.side]), " ", unmade, figures, note.text ? ` ${note.text}` : null, line);
    });
    const none = state.over || state.notes.length ? "Nothing was noted." : "Notes of the players are shown when the match is over.";
    patch($("noted"), ...(notes.length || judged ? notes : [el("li.quiet", {}, none)]));
  }

  /** Ask for the notes that are new, if nobody does. */
  async #askNotes() {
    while (this.state.moreNoted && !this.asking) {
      const { notes } = this.state;
      this.asking = true;
      const more = await optional(() => ask(`/api/matches/${this.number}/notes?from=${notes.length}`));
      this.asking = false;
      if (!more?.length) return;
      if (this.state.notes === notes) this.state.notes = [...notes, ...more]; // else all was told anew meanwhile
      this.#showNotes();
    }
  }

  /** Say how the match stands, or how it has ended. */
  #showEnding() {
    const { now, info, sides, plies } = this.state;
    const { ending } = now;
    for (const side of ending ? [0, 1] : []) {
      $(`player${side}`).classList.toggle("won", ending.winner === side);
      say($(`player${side}`).querySelector(".badge"), badge(ending, side));
    }
    const turn = this.state.frames[plies]?.turn ?? 0;
    const isPlayed = now.phase !== "preparing";
    const running = isPlayed ? `Move ${plies + 1}: ${info.players[turn]} (${sides[turn]}) to play` : "The players get ready";
    const [said, detail] = ending ? [ending.headline, SAID.includes(ending.reason) ? "" : ending.sentence] : [running, ""];
    const live = el("button", { type: "button", click: () => this.go(plies) }, "Live");
    const behind = ending || this.following ? null : el("span.behind", {}, `You see move ${this.ply} of ${plies}.`, live);
    patch($("ending"), el("strong", {}, said), detail, behind);
    if (!ending) return;
    if (this.number === null || this.isOver) return;
    this.isOver = true;
    $("log").hidden = false;
    $("log").open = location.hash === "#log";
    if ($("log").open) $("log").scrollIntoView();
    if (ending.reason === "time") this.#showTimes();
  }

  /** Say where the time of both sides went; the sentence of the result says the most of it. */
  async #showTimes() {
    const lines = await optional(() => ask(`/api/matches/${this.number}/times`), () => {});
    $("spent").hidden = !lines;
    patch($("spent"), ...(lines ?? []).map((line) => el("li", {}, line)));
  }

  /** Show what the program of a player wrote, to who has its token. */
  async #showLog() {
    let [written, fault] = ["", ""];
    try {
      const { lines } = await ask(`/api/matches/${this.number}/log`, posted({ token: $("log-token").value }));
      written = lines.join("\n") || "Nothing was written.";
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      fault = error.message;
    }
    say($("log-lines"), written);
    say($("log-fault"), fault);
    $("log-lines").hidden = !written;
    $("log-fault").hidden = !fault;
  }

  /** Draw the graphs; what draws them comes after the board, or not at all where the server cannot be reached. */
  async #showGraphs() {
    const graphs = await import("./graphs.js").catch(() => null);
    if (!graphs) return;
    const { state, ply } = this;
    const go = (there) => this.go(there);
    graphs.drawTimes($("times"), state, ply, go);
    const isReviewed = this.review.moves.length > 0;
    const values = isReviewed ? this.review.values(state) : notedValues(state);
    graphs.drawValues($("values"), values, state, ply, go, this.review.mistakes);
    if (!isReviewed) {
      const canAsk = state.over && state.plies > 0;
      $("evaluate").hidden = !canAsk || !$("reviewing").hidden;
      const noted = values[ply] ? `Noted by the player: ${valueInWords(values[ply], state.sides)}` : "";
      $("value").hidden = canAsk && !noted;
      say($("value"), noted || "Once the match is over, the engine reviews its moves.");
      return;
    }
    drawReview(this.review, state, ply, go);
    $("value").hidden = false;
    const nothing = state.view(ply)?.ending ? "the game is over here" : "not searched";
    say($("value"), values[ply] ? valueInWords(values[ply], state.sides) : nothing);
  }

  /** Mark the mistakes in the list of moves, and show the review as far as it has come. */
  #showMarks() {
    this.moves.forEach((button, i) => {
      const marks = this.review.moves[i + 1]?.marks ?? [];
      const mark = button.querySelector(".mark");
      mark.hidden = !marks.length;
      mark.title = marks.join(", ");
      mark.setAttribute("aria-label", mark.title);
      say(mark, marks.includes("blunder") ? "??" : marks.length ? "?" : "");
    });
    this.#showNotes();
    this.#showGraphs();
  }

  #follow() {
    const status = $("status");
    status.hidden = false;
    this.feed = listen(
      `/live/matches/${this.number}`,
      (now) => {
        const { following } = this;
        if (this.state.take(now)) this.#goOn(following);
        else this.#retell(true);
      },
      (lost) => {
        if (this.state.over) return;
        this.lost = Boolean(lost);
        if (lost) this.clocks.stop();
        status.classList.toggle("lost", Boolean(lost));
        say(status, lost || (this.state.now.phase === "preparing" ? "getting ready" : "live"));
      },
      () => this.#retell(true),
    );
    $("record").classList.add("later");
  }

  /** Something is new; whoever was `following` goes on to it. */
  #goOn(following) {
    const { now, plies, over } = this.state;
    const before = this.ply;
    if (following) this.ply = plies;
    if (following && (plies !== before || !this.fresh || over)) this.refresh(plies === before + 1);
    else if (following) this.clocks.set(now.clocks, this.#runs);
    else {
      this.#list();
      this.#showGraphs();
    }
    this.#showEnding();
    this.fresh = true;
    for (const side of [0, 1]) $(`player${side}`).querySelector(".away").hidden = !now.away[side];
    this.#askNotes();
    if (!over) return;
    this.feed.close();
    $("status").className = "status over";
    say($("status"), "over");
    $("fault").hidden = true;
    $("record").classList.remove("later");
    this.#showGraphs();
  }

  /** Ask for all of the match anew: moves or positions are missing, or nothing is told `live` any more. */
  async #retell(live = false) {
    if (this.fetching) return;
    this.fetching = true;
    const told = await optional(() => ask(`/api/matches/${this.number}`)); // the feed tells of an unreachable server
    this.fetching = false;
    if (!told) return;
    const { following } = this; // the reader may have stepped back meanwhile
    this.state.reset(told);
    $("fault").hidden = true;
    if (live) this.#goOn(following);
    else if (this.state.frames[this.ply]) this.refresh();
  }

  #wire() {
    const go = (ply) => {
      this.#setPlaying(null);
      this.go(ply);
    };
    const places = { begin: () => 0, back: () => this.ply - 1, forward: () => this.ply + 1, end: () => this.state.plies };
    this.steps(places, go);
    for (const [id, step] of Object.entries({ "mistake-before": -1, "mistake-after": 1 })) {
      $(id).addEventListener("click", () => go(this.review.beside(this.ply, step) ?? this.ply));
      this.keys[`Shift+Arrow${step < 0 ? "Left" : "Right"}`] = () => $(id).click();
    }
    $("play").addEventListener("click", () => (this.playing ? this.#setPlaying(null) : this.#play()));
    this.keys[" "] = () => $("play").click();
    window.addEventListener("hashchange", () => {
      const ply = Number(location.hash.slice(1));
      if (Number.isInteger(ply)) this.go(ply);
    });
    this.offerCopies({
      link: () => `${location.origin}${location.pathname}#${this.ply}`,
      text: () => this.state.view(this.ply)?.text ?? "",
      command: () => this.#command(),
    });
    $("evaluate").addEventListener("click", () => {
      if (this.number !== null) store(REVIEWED, [...new Set([this.number, ...reviewed()])].slice(0, MAX_REVIEWED).join());
      this.#beginReview();
    });
    $("earlier").addEventListener("click", () => this.#reviewOn());
    $("log-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#showLog();
    });
    for (const id of ["link", "command", "record"]) $(id).hidden = this.number === null;
    $("record").href = `/api/matches/${this.number}/record`;
    $("record").download = `match-${this.number}.txt`;
  }

  /** The command that follows the match in a terminal, or reviews it. Hosts and addresses need quotes in some shells. */
  #command() {
    const { port, tls } = $("command").dataset;
    if (this.state.over) return `arena-bot review "${location.origin}${location.pathname}"`;
    return `arena-bot watch ${this.number} --host "${location.hostname}" --port ${port}${tls ? " --tls" : ""}`;
  }

  /** Play move after move, each to its end: what it takes has left before the next one begins. */
  async #play() {
    if (this.following) this.go(0);
    const playing = {};
    this.#setPlaying(playing);
    for (;;) {
      await wait(REST_MS);
      if (this.playing !== playing) return;
      await this.go(this.ply + 1);
      if (this.playing === playing && this.following) this.#setPlaying(null);
    }
  }

  #setPlaying(playing) {
    this.playing = playing;
    $("play").classList.toggle("playing", Boolean(playing));
    $("play").setAttribute("aria-label", playing ? "Pause" : "Play the moves");
  }

  #beginReview() {
    this.review.plies = this.state.plies;
    this.review.first = this.state.plies + 1;
    this.#reviewOn();
  }

  /** Have some more moves reviewed. */
  async #reviewOn() {
    $("evaluate").hidden = $("earlier").hidden = true;
    $("reviewing").hidden = false;
    this.#showProgress();
    const goOn = () => {
      this.#showMarks();
      this.#showProgress();
    };
    await optional(() => this.review.go(goOn), complain);
    $("reviewing").hidden = true;
    const { first, moves } = this.review;
    $("evaluate").hidden = moves.length > 0;
    $("earlier").hidden = moves.length === 0 || first <= 1;
  }

  /** Say how many moves the engine has reviewed, while it reviews the moves before them. */
  #showProgress() {
    const { first, plies } = this.review;
    const done = plies + 1 - first;
    say($("reviewing"), `The engine reviews the moves: ${done} of ${plies} done …`);
  }

  /** Where and how something is asked for about this match, or this record. @returns {[string, RequestInit]} */
  #asking(what, query = "") {
    if (this.number === null) return [`/api/${what}${query}`, { method: "POST", body: this.record }];
    return [`/api/matches/${this.number}/${what}${query}`, {}];
  }
}

/** Ask for a part of the page that it can do without; `onRefusal` is told why there is none. */
async function optional(asking, onRefusal = (error) => error instanceof Unreachable || complain(error)) {
  try {
    return await asking();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    onRefusal(error);
    return null;
  }
}

function complain(error) {
  if (!(error instanceof Refused)) throw error;
  tell(sentence(error.message));
}

function tell(words) {
  $("fault").hidden = false;
  say($("fault"), words);
}

/** @returns {number[]} the matches of the server whose review this browser has asked for, the last one first */
function reviewed() {
  return stored(REVIEWED).split(",").filter(Boolean).map(Number);
}

async function showServers(number) {
  try {
    const told = await untilReached(() => ask(`/api/matches/${number}`), tell);
    $("fault").hidden = true;
    new MatchPage(told, number, null);
  } catch (error) {
    say($("title"), `Match ${number}`);
    complain(error);
  }
}

const SIGNED = {
  "this server": "This server has signed the record.",
  "another key": "This server has not signed this text: another server has, or the record was changed.",
  nobody: "The record has no signature: nothing shows that its names, date, number and times are true.",
};

async function showFile(file) {
  $("fault").hidden = $("signature").hidden = true;
  try {
    const record = await file.text();
    if (!record.startsWith("arena-record ")) {
      tell("This is no record of a match.");
      return false;
    }
    new MatchPage(await ask("/api/record", { method: "POST", body: file }), null, record);
    const { by } = await ask("/api/signature", { method: "POST", body: file });
    say($("signature"), SIGNED[by]);
    $("signature").hidden = $("another").hidden = false;
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

const path = /^\/match\/([0-9]+)$/.exec(location.pathname);
if (path) showServers(Number(path[1]));
else {
  say($("title"), "Replay a record");
  offerFile(showFile);
}
