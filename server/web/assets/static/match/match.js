/** A match, running or over, of the server or from a file: its board, clocks, moves and graphs. */

import { Board } from "../boards/board.js";
import { drawStock } from "../boards/stock.js";
import { Clocks } from "../shared/clock.js";
import { el, find, patch, playerLink, say, wait } from "../shared/dom.js";
import { offerFile } from "../shared/drop.js";
import { Refused, Unreachable, ask, listen, untilReached } from "../shared/net.js";
import { MatchState } from "./match_state.js";
import { Review, drawReview, judgement } from "./review.js";
import { badge, gameName, moveText, noteFigures, outcome, reason, sentence, span } from "../shared/words.js";

/** Do without a part of the page for which the server could not be reached: it is asked for again when it is next needed. */
const leave = () => null;

const REST_MS = 600; // between two moves that are played, when what moves has come to rest


class MatchPage {
  /**
   * @param {object} told what the server tells of the match
   * @param {?number} number of a match of the server
   * @param {?string} record the text, where it came from a file
   */
  constructor(told, number, record) {
    this.state = new MatchState(told);
    this.number = number;
    this.record = record;
    this.values = null;
    this.review = new Review((before) => this.#asking("review", `?before=${before}`), 0);
    this.moves = [];
    this.lost = false;
    this.playing = null;
    const wanted = /^#[0-9]{1,5}$/.test(location.hash) ? Number(location.hash.slice(1)) : this.state.plies;
    this.ply = Math.min(wanted, this.state.plies);
    find("#match").hidden = false;
    this.#players();
    this.board = new Board(find("#board"), this.state.info.start);
    this.#head();
    if (number !== null && this.state.over) ask(`/api/matches/${number}/contest`).then((found) => this.#contest(found), leave);
    this.#wire();
    this.refresh();
    if (number !== null && !this.state.over) this.#follow();
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
    const view = state.view(ply);
    if (!view) return this.#retell();
    const motion = state.motion(ply);
    let still = Promise.resolve();
    if (animated && motion && state.view(ply - 1)) still = this.board.animate(view, motion);
    else this.board.show(view, motion);
    this.stocks.forEach((stock, side) => {
      drawStock(stock, view, side);
    });
    this.clocks.set(state.clocks(ply), this.#runs);
    this.#list();
    this.#notes();
    this.#ending();
    this.#graphs();
    if (ply) say(find("#spoken"), `Move ${ply}, ${state.sides[state.mover(ply)]}: ${state.steps[ply - 1][0]}`);
    this.#links();
    for (const id of ["#begin", "#back"]) find(id).disabled = ply === 0;
    for (const id of ["#forward", "#end"]) find(id).disabled = ply === state.plies;
    return still;
  }

  /** Let the links lead on from this position; what makes them comes after the board. */
  async #links() {
    const links = await import("../analysis/link.js").catch(leave);
    if (!links) return;
    const { studyOf, toLink, toPlay } = links;
    const study = studyOf(this.state.info.start, this.state.steps, this.ply);
    find("#analyse").href = `/analysis#${toLink(study)}`;
    find("#play-on").href = toPlay(study);
  }

  #head() {
    const { info } = this.state;
    const { start } = info;
    document.title = `${info.players.join(" – ")} · gipf-arena`;
    say(find("#title"), info.players.join(" – "));
    const control = info.increment ? `${span(info.budget)} + ${span(info.increment)} a move each` : `${span(info.budget)} each`;
    const when = new Date(info.started);
    const date = Number.isNaN(when.valueOf()) ? info.started : when.toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    say(find("#about"), [gameName(start.game, start.parameters), `match ${info.match}`, control, date].join(" · "));
  }

  /** Link to the contest of the match, if it has one. */
  #contest(found) {
    const link = find("#contest");
    link.hidden = !found;
    if (!found) return;
    link.href = `/contest/${found.contest}`;
    say(link, found.name);
  }

  #players() {
    const { info } = this.state;
    this.stocks = [];
    const faces = [];
    this.away = [];
    this.badges = [];
    info.players.forEach((name, side) => {
      const stock = el("span.stock");
      const clock = el("span.clock.number", { role: "timer", "aria-label": `Clock of ${name}` });
      const away = el("span.away", { hidden: true }, " is away");
      const chip = el(`span.chip.side${side}.of-${info.start.game}`);
      this.badges[side] = el("span.badge");
      const who = el("span.name", {}, playerLink(name), el("span.quiet", {}, ` ${info.start.sides[side]}`), away, this.badges[side]);
      find(`#player${side}`).replaceChildren(chip, who, stock, clock);
      [this.stocks[side], faces[side], this.away[side]] = [stock, clock, away];
    });
    this.clocks = new Clocks(faces);
  }

  #list() {
    const list = find("#moves");
    find("#nothing").hidden = this.state.plies > 0;
    const used = this.moves.length < this.state.plies ? this.state.used() : [];
    for (let i = this.moves.length; i < this.state.plies; i += 1) {
      const [move] = this.state.steps[i];
      const side = this.state.mover(i + 1);
      const button = el(
        "button",
        { type: "button", click: () => this.go(i + 1) },
        el("span.ply.number", {}, `${i + 1}.`),
        el(`span.chip.side${side}.of-${this.state.info.start.game}`, { role: "img", "aria-label": this.state.sides[side] }),
        el("span.move", {}, moveText(this.state.info.start.game, move)),
        el("span.mark", { role: "img", hidden: true }),
        el("span.took.number", { title: "Time that the move took" }, span(used[i].spent)),
      );
      this.moves.push(button);
      list.append(el("li", {}, button));
    }
    list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const current = this.moves[this.ply - 1];
    if (current) {
      current.setAttribute("aria-current", "true");
      const [box, frame] = [current.getBoundingClientRect(), list.getBoundingClientRect()];
      if (box.top < frame.top || box.bottom > frame.bottom) list.scrollTop += box.top - frame.top - frame.height / 2;
    } else list.scrollTop = 0;
  }

  /** Show what was noted of the move that led to this position. */
  #notes() {
    const { state, ply } = this;
    const judged = judgement(this.review.moves[ply], state.steps[ply - 1]?.[0], state.info.start.game);
    find("#judged").hidden = !judged;
    patch(find("#judged"), ...(judged ?? []));
    find("#notes").hidden = state.notes.length === 0 && !judged;
    const notes = state.notesOf(ply).map((note) => {
      const chip = el(`span.chip.side${note.side}.of-${state.info.start.game}`, { role: "img", "aria-label": state.sides[note.side] });
      const figures = el("span.figures.number", {}, noteFigures(note));
      const line = note.pv ? el("span.pv", {}, note.pv.map((move) => moveText(state.info.start.game, move)).join(", ")) : null;
      return el("li", {}, chip, " ", figures, note.text ? ` ${note.text}` : null, line);
    });
    find("#noted").hidden = state.notes.length === 0;
    say(find("#notes-of"), ply ? `Notes of move ${ply}` : "Notes");
    patch(find("#noted"), ...(notes.length ? notes : [el("li.quiet", {}, "Nothing was noted.")]));
  }

  /** Ask for the notes that are new, if nobody does. */
  async #askNotes() {
    if (this.asking) return;
    this.asking = true;
    let more = [];
    try {
      const { notes } = this.state;
      more = await ask(`/api/matches/${this.number}/notes?from=${notes.length}`);
      if (this.state.notes === notes) this.state.notes = [...notes, ...more]; // else all was told anew meanwhile
      this.#notes();
    } catch (error) {
      if (!(error instanceof Unreachable)) complain(error);
    } finally {
      this.asking = false;
    }
    if (more.length && this.state.moreNoted) this.#askNotes(); // they came while this was on its way
  }

  #ending() {
    const { now, info, sides } = this.state;
    const box = find("#ending");
    box.hidden = !now.ending;
    if (!now.ending) return;
    [0, 1].forEach((side) => {
      find(`#player${side}`).classList.toggle("won", now.ending.winner === side);
      say(this.badges[side], badge(now.ending, side));
    });
    if (this.number !== null) import("./log.js").then(({ offerLog }) => offerLog(this.number), leave);
    if (this.number !== null && now.ending.reason === "time") this.#spent();
    patch(
      box,
      el("strong", {}, `${outcome(now.ending, info.players, sides)}: ${reason(now.ending.reason)}`),
      now.ending.sentence,
    );
  }

  /** Say where the time of both sides went, once. */
  async #spent() {
    const box = find("#spent");
    if (!box.hidden) return;
    box.hidden = false;
    try {
      const lines = await ask(`/api/matches/${this.number}/times`);
      patch(box, ...lines.map((line) => el("li", {}, line)));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      box.hidden = true; // the sentence of the result says the most of it
    }
  }

  /** Draw the graphs; what draws them comes after the board. */
  async #graphs() {
    const graphs = await import("./graphs.js").catch(leave);
    if (!graphs) return;
    const go = (ply) => this.go(ply);
    const { slots, fallen } = this.state;
    graphs.drawTimes(find("#times"), this.state.used(), fallen, this.ply, this.state.info, go);
    find("#worth").hidden = !this.state.over || this.state.plies === 0;
    if (!this.values) return;
    graphs.drawValues(find("#values"), this.values, slots, this.ply, this.state.sides, go, this.review.mistakes);
    drawReview(this.review, this.state, this.ply, go);
    find("#evaluate").hidden = true;
    find("#value").hidden = false;
    const over = this.following && this.state.view(this.ply)?.ending;
    say(find("#value"), graphs.valueInWords(this.values[this.ply], this.state.sides) || (over ? "the game is over here" : "not searched"));
  }

  /** Mark the mistakes in the list of moves, and show the review as far as it has come. */
  #marks() {
    this.moves.forEach((button, i) => {
      const marks = this.review.moves[i + 1]?.marks ?? [];
      const mark = button.querySelector(".mark");
      mark.hidden = !marks.length;
      mark.title = marks.join(", ");
      mark.setAttribute("aria-label", mark.title);
      say(mark, marks.includes("blunder") ? "??" : marks.length ? "?" : "");
    });
    this.#notes();
    this.#graphs();
  }

  #follow() {
    const status = find("#status");
    status.hidden = false;
    const feed = listen(
      `/live/matches/${this.number}`,
      (now) => {
        const { following } = this;
        if (this.state.take(now)) {
          this.#goOn(following);
          if (this.state.moreNoted) this.#askNotes();
          if (this.state.over) feed.close();
        } else this.#retell(feed);
      },
      (lost) => {
        if (this.state.over) return;
        this.lost = Boolean(lost);
        if (lost) this.clocks.stop();
        status.classList.toggle("lost", Boolean(lost));
        say(status, lost || (this.state.now.phase === "preparing" ? "getting ready" : "live"));
      },
      () => this.#retell(feed),
    );
    find("#record").hidden = true;
  }

  /** Something is new; whoever was `following` goes on to it. */
  #goOn(following) {
    const { now } = this.state;
    const before = this.ply;
    if (following) {
      this.ply = this.state.plies;
      if (this.ply !== before || !this.fresh || this.state.over) this.refresh(this.ply === before + 1);
      else this.clocks.set(now.clocks, this.#runs);
    } else this.#list();
    this.fresh = true;
    this.away.forEach((word, side) => {
      word.hidden = !now.away[side];
    });
    if (!this.state.over) return;
    find("#status").classList.remove("lost");
    say(find("#status"), "over");
    find("#fault").hidden = true;
    find("#record").hidden = false;
    this.#ending();
    this.#graphs();
  }

  /** Ask for all of the match anew: moves or positions are missing, or nothing is told live any more. */
  async #retell(feed = null) {
    if (this.fetching) return;
    this.fetching = true;
    const { following } = this;
    try {
      this.state.reset(await ask(`/api/matches/${this.number}`));
      find("#fault").hidden = true;
    } catch (error) {
      if (!(error instanceof Unreachable)) complain(error); // else the feed tells of it, and comes back
      return;
    } finally {
      this.fetching = false;
    }
    if (this.state.over) feed?.close();
    if (feed) this.#goOn(following);
    else if (this.state.frames[this.ply]) this.refresh();
  }

  #wire() {
    const at = { begin: () => 0, back: () => this.ply - 1, forward: () => this.ply + 1, end: () => this.state.plies };
    for (const [id, where] of Object.entries(at)) {
      find(`#${id}`).addEventListener("click", () => {
        this.#pause();
        this.go(where());
      });
    }
    find("#play").addEventListener("click", () => (this.playing ? this.#pause() : this.#play()));
    document.addEventListener("keydown", (event) => {
      const keys = event.shiftKey
        ? { ArrowLeft: "mistake-before", ArrowRight: "mistake-after" }
        : { Home: "begin", ArrowLeft: "back", ArrowRight: "forward", End: "end", " ": "play" };
      const key = keys[event.key];
      const target = /** @type {?Element} */ (event.target);
      const typing = target?.closest?.("input, textarea, select, [contenteditable]");
      const pressing = event.key === " " && target?.closest?.("button, a, label");
      if (!key || typing || pressing || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      find(`#${key}`).click();
    });
    window.addEventListener("hashchange", () => {
      const ply = Number(location.hash.slice(1));
      if (Number.isInteger(ply)) this.go(ply);
    });
    find("#link").hidden = this.number === null;
    find("#link").addEventListener("click", (event) => copy(event.target, `${location.origin}${location.pathname}#${this.ply}`));
    find("#text").addEventListener("click", (event) => copy(event.target, this.state.view(this.ply)?.text ?? ""));
    find("#evaluate").addEventListener("click", () => this.#evaluate());
    find("#earlier").addEventListener("click", () => this.#reviewOn());
    find("#mistake-before").addEventListener("click", () => this.#mistake(-1));
    find("#mistake-after").addEventListener("click", () => this.#mistake(1));
    find("#record").hidden = this.number === null;
    find("#record").href = `/api/matches/${this.number}/record`;
    find("#record").download = `match-${this.number}.txt`;
  }

  /** Play move after move, each to its end: what it takes has left before the next one begins. */
  async #play() {
    if (this.following) this.go(0);
    const playing = {};
    this.playing = playing;
    find("#play").classList.add("playing");
    find("#play").setAttribute("aria-label", "Pause");
    for (;;) {
      await wait(REST_MS);
      if (this.playing !== playing) return;
      await this.go(this.ply + 1);
      if (this.playing === playing && this.following) this.#pause();
    }
  }

  #pause() {
    this.playing = null;
    find("#play").classList.remove("playing");
    find("#play").setAttribute("aria-label", "Play the moves");
  }

  async #evaluate() {
    const button = find("#evaluate");
    if (this.values || button.disabled) return;
    button.disabled = true;
    say(button, "The engine is thinking …");
    try {
      const { values, unsearched } = await ask(...this.#asking("values"));
      this.values = values;
      find("#sparse").hidden = !unsearched;
      const known = values.filter(Boolean).length;
      say(find("#sparse"), `${known} of ${known + unsearched} positions were searched; the others are left out.`);
      this.#graphs();
    } catch (error) {
      complain(error);
      button.disabled = false;
      say(button, "Ask the engine");
      return;
    }
    this.review.plies = this.state.plies;
    this.review.first = this.state.plies + 1;
    this.#reviewOn();
  }

  /** Have some more moves reviewed. */
  async #reviewOn() {
    const [status, button] = [find("#reviewing"), find("#earlier")];
    button.hidden = true;
    status.hidden = false;
    try {
      await this.review.go(() => this.#marks());
    } catch (error) {
      complain(error);
    }
    status.hidden = true;
    button.hidden = this.review.first <= 1;
  }

  /** Go to the next mistake in a direction. */
  #mistake(step) {
    const ply = this.review.beside(this.ply, step);
    if (ply === null) return;
    this.#pause();
    this.go(ply);
  }

  /**
   * Where and how something is asked for about this match, or this record.
   * @returns {[string, RequestInit]}
   */
  #asking(what, query = "") {
    if (this.number === null) return [`/api/${what}${query}`, { method: "POST", body: this.record }];
    return [`/api/matches/${this.number}/${what}${query}`, {}];
  }
}

async function copy(button, text) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    say(button, "Copied");
  } catch {
    say(button, "The browser does not allow it");
  }
  setTimeout(() => say(button, label), 1500);
}

function complain(error) {
  if (!(error instanceof Refused)) throw error;
  tell(sentence(error.message));
}

function tell(words) {
  const fault = find("#fault");
  fault.hidden = false;
  say(fault, words);
}

async function showServers(number) {
  try {
    const told = await untilReached(() => ask(`/api/matches/${number}`), tell);
    find("#fault").hidden = true;
    new MatchPage(told, number, null);
  } catch (error) {
    say(find("#title"), `Match ${number}`);
    complain(error);
  }
}

const SIGNED = {
  "this server": "This server has signed the record: names, date and times are as they were.",
  "another key":
    "The signature is not of this server for this text: another server has signed it, or something was changed.",
  nobody: "Nobody has signed the record: names, date and number may have been changed, and times shifted together.",
};

async function showFile(file) {
  find("#fault").hidden = true;
  try {
    const record = await file.text();
    new MatchPage(await ask("/api/record", { method: "POST", body: file }), null, record);
    const { by } = await ask("/api/signature", { method: "POST", body: file });
    find("#signature").hidden = false;
    say(find("#signature"), SIGNED[by]);
    find("#another").hidden = false;
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

const path = /^\/match\/([0-9]+)$/.exec(location.pathname);
if (path) showServers(Number(path[1]));
else {
  say(find("#title"), "Replay a record");
  offerFile(showFile);
}
