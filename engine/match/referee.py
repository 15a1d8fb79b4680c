"""The referee of one match: a pure function of messages and times.

Each function takes the state of a match, and returns the next state with its effects in order. Stamps are microseconds
since the match began. Nothing here sends, writes or reads a clock.
"""

from typing import NamedTuple, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from engine.games.interface import ANNULLED, BadMove, History, Outcome, Position, Termination
from engine.match.clock import INITIALISATION, Clock, Stall, TimeUse, about, span
from engine.match.record import Header, RecordedNote, event_line, move_line, note_line, take_note
from engine.wire import messages as m
from engine.wire.coding import usage
from engine.wire.fields import read_note
from engine.wire.words import shorten, word_of


class Tell(Struct, frozen=True):
    """A message for one player."""

    side: int
    message: m.Message


class Show(Struct, frozen=True):
    """A message for both players and all spectators."""

    message: m.Message


class WriteRecord(Struct, frozen=True):
    """A line of the record, to be written before later messages are sent."""

    line: str


class GiveTurn(Struct, frozen=True):
    """TURN for the side to move. When it is sent, `start_turn` has to be called."""

    side: int


class GiveTime(Struct, frozen=True):
    """A side has resumed and is not ready yet. When it was sent the match, `start_initialisation` has to be called."""

    side: int


MAX_SENTENCE_CHARACTERS = 200
"""Longest sentence of a player in the record and in RESULT; the rest is cut off."""

Effect: TypeAlias = Tell | Show | WriteRecord | GiveTurn | GiveTime


class AwaitedPlayers(NamedTuple):
    """The sides whose players have not returned since a restart of the server. Their clocks are stopped."""

    sides: tuple[bool, bool]
    until: int
    """Stamp at which waiting ends."""


class MatchState(Struct, frozen=True):
    """The state of a match."""

    header: Header
    history: History
    clock: Clock
    ready: tuple[bool, bool] = (False, False)
    """Whether each side has sent READY."""
    sent: int = 0
    """Stamp of the last TURN, or of another message that started a clock; answers arrive later."""
    shown: tuple[m.Moved, ...] = ()
    """MOVED of each move, for those who join later."""
    awaited: AwaitedPlayers | None = None
    outcome: Outcome | None = None
    absent: tuple[int | None, int | None] = (None, None)
    """Stamp since which each side has had no connection; None while it has one."""
    stamp: int = 0
    """Stamp of the latest event that clocks depend on: the match does not end before it."""
    uses: tuple[TimeUse, TimeUse] = (TimeUse(), TimeUse())
    """Time use of each side, up to its last READY or move, or to the end."""
    notes: tuple[RecordedNote, ...] = ()
    """The notes of both players."""
    refusals: tuple[str, str] = ("", "")
    """The first line of each side that was refused, and why; empty for none."""

    @property
    def sides(self) -> tuple[str, str]:
        """Return the names of the sides in this game."""
        return self.header.position.game.sides

    @property
    def playing(self) -> bool:
        """Tell whether initialisation is over and the game is not."""
        return self.outcome is None and self.ready == (True, True)

    @property
    def gone(self) -> tuple[bool, bool]:
        """Tell which side has no connection."""
        return (self.absent[0] is not None, self.absent[1] is not None)

    @property
    def used(self) -> tuple[int, int]:
        """Return the time that both sides were charged in all, in microseconds."""
        control, first, plies = self.header.control, self.header.position.turn, self.history.plies
        earned = [(plies + (side == first)) // 2 * control.increment for side in (0, 1)]
        left = self.clock.left
        return (control.budget + earned[0] - left[0], control.budget + earned[1] - left[1])


Step: TypeAlias = tuple[MatchState, list[Effect]]


def begin(header: Header) -> MatchState:
    """Start a match: both clocks run from stamp 0 until READY."""
    return MatchState(header, History.begin(header.position), Clock.full(header.control).run(0, 0).run(1, 0))


def ready(state: MatchState, side: int, now: int) -> Step:
    """Handle READY of a side; a repeated one changes nothing."""
    if state.outcome is not None or state.ready[side]:
        return state, []
    clock = state.clock.stop(side, now)
    if clock.left[side] <= 0:
        return flag(state, now)
    both = (side == 0 or state.ready[0], side == 1 or state.ready[1])
    use = state.uses[side].until(INITIALISATION, state.clock, side, now, state.header.control.budget)
    state = replace(state, clock=clock, ready=both, stamp=max(state.stamp, now), uses=_with_use(state.uses, side, use))
    effects: list[Effect] = [_write("ready", state.sides[side], now, clock.left[side])]
    if not state.playing:
        return state, effects
    effects.append(Show(m.Start(*clock.milliseconds(now))))
    verdict = state.history.outcome(state.header.move_limit)
    if verdict is None:
        return state, [*effects, *_give_turn(state)]
    state, more = finish(state, verdict, state.stamp)
    return state, [*effects, *more]


def start_turn(state: MatchState, now: int) -> MatchState:
    """Start the clock of the side to move, now that TURN was sent; not if its player has not returned."""
    side = state.history.position.turn
    if state.awaited is not None and state.awaited.sides[side]:
        return state  # TURN was for the other side, which has moved already
    return replace(state, clock=state.clock.run(side, now), sent=now)


def start_initialisation(state: MatchState, side: int, now: int) -> Step:
    """Start the clock of a side that has resumed during initialisation, now that it was sent the match."""
    if state.outcome is not None or state.ready[side]:
        return state, []
    state = replace(state, clock=state.clock.run(side, now), sent=now, stamp=max(state.stamp, now))
    return state, [_write("runs", state.sides[side], now)]


def credit_stall(state: MatchState, stall: Stall) -> Step:
    """Credit the clocks that ran when a stall of the server began."""
    if state.outcome is not None or not state.clock.touched(stall):
        return state, []
    return replace(state, clock=state.clock.stalled(stall)), [_write("stall", *stall)]


def allow_lag(state: MatchState, side: int, lag: int) -> Step:
    """Set the lag, in whole milliseconds and within the allowance, that a side is not charged in each turn."""
    allowance = min(lag, state.header.lag_allowance) // m.MICROSECONDS * m.MICROSECONDS
    if state.outcome is not None or allowance == state.clock.allowances[side]:
        return state, []
    return replace(state, clock=state.clock.allow(side, allowance)), [_write("lag", state.sides[side], allowance)]


def move(state: MatchState, side: int, text: str, now: int) -> Step:
    """Handle MOVE of the side on turn, received at ``now``. The session makes sure that it is on turn."""
    clock = state.clock.stop(side, now)
    if clock.left[side] <= 0:
        return flag(state, now)
    try:
        history = state.history.after(text)
    except BadMove as error:
        sentence = f"{state.header.who(side)} played {text!r}, {error.code}: {error}"
        refused = _write("refused", state.sides[side], state.sent, now, text)
        state, effects = finish(_stopped(state, now), Outcome(1 - side, Termination.BAD_MOVE, sentence), now)
        return state, [refused, *effects]
    charged, since = state.clock.left[side] - clock.left[side], state.clock.since[side]
    took = 0 if since is None else now - since
    use = state.uses[side].with_turn(history.plies, charged, took - charged)
    clock = clock.add_increment(side)
    ply, name, played = history.plies, state.sides[side], history.moves[-1]
    line = move_line(ply, name, state.sent, now, clock.left[side], played)
    moved = m.Moved(ply, name, *clock.milliseconds(now), m.Text(played))
    uses = _with_use(state.uses, side, use)
    state = replace(state, history=history, clock=clock, shown=(*state.shown, moved), stamp=now, uses=uses)
    verdict = history.outcome(state.header.move_limit)
    if verdict is None:
        return state, [WriteRecord(line), Show(moved), *_give_turn(state)]
    state, effects = finish(state, verdict, now)
    return state, [WriteRecord(line), Show(moved), *effects]


def note(state: MatchState, side: int, content: str) -> Step:
    """Handle NOTE of a side, at any time of the match; raises `ProtocolError` where it cannot be recorded."""
    if state.outcome is not None:
        return state, []
    recorded = take_note(state.notes, state.history, state.sides, side, read_note(content))
    line = note_line(recorded.ply, state.sides[side], recorded.note)
    return replace(state, notes=(*state.notes, recorded)), [WriteRecord(line)]


def refuse(state: MatchState, side: int, refusal: str) -> MatchState:
    """Take note of the first line of a side that was refused: a loss on time may follow from it."""
    if state.refusals[side]:
        return state
    refusal = shorten(refusal, MAX_SENTENCE_CHARACTERS)
    return replace(state, refusals=(refusal, state.refusals[1]) if side == 0 else (state.refusals[0], refusal))


def refused(header: Header, side: int) -> str:
    """Return what stands before a refused line in the sentence of a loss on time."""
    return f"; {header.who(side)} wrote a line that was refused: "


def resign(state: MatchState, side: int, now: int) -> Step:
    """Handle RESIGN of a side, unless a clock has run out."""
    outcome = Outcome(1 - side, Termination.RESIGN, f"{state.header.who(side)} resigned")
    return _give_up(state, outcome, now, "resigned", state.sides[side], now)


def report_crash(state: MatchState, side: int, sentence: str, now: int) -> Step:
    """Handle CRASHED of a side whose program has failed, unless a clock has run out."""
    sentence = shorten(sentence, MAX_SENTENCE_CHARACTERS)
    says = f", and says: {sentence!r}" if sentence else ""
    outcome = Outcome(1 - side, Termination.CRASHED, f"{state.header.who(side)} crashed{says}")
    return _give_up(state, outcome, now, "crashed", state.sides[side], now, sentence)


def _give_up(state: MatchState, outcome: Outcome, now: int, *words: str | int) -> Step:
    if any(state.clock.fallen(now)):
        return flag(state, now)
    state, effects = finish(state, outcome, now)
    return state, [_write(*words), *effects]


def deadline(state: MatchState) -> int | None:
    """Return the stamp at which to call `flag`; None for never."""
    falls = state.clock.deadline()
    if state.awaited is None:
        return falls
    return state.awaited.until if falls is None else min(falls, state.awaited.until)


def flag(state: MatchState, now: int) -> Step:
    """End the match if a clock has run out, and stop waiting for players when that is due."""
    now = max(now, state.stamp)
    fallen = state.clock.fallen(now)
    if state.outcome is not None:
        return state, []
    if not any(fallen):
        return _stop_waiting(state, now) if state.awaited is not None and now >= state.awaited.until else (state, [])
    winner = None if all(fallen) else fallen.index(False)
    return finish(state, Outcome(winner, Termination.TIME, _loss_on_time(_stopped(state, now), fallen, now)), now)


def _loss_on_time(state: MatchState, fallen: tuple[bool, bool], now: int) -> str:
    """Return the sentence of a loss on time: the loser, the excess, and the use of its time. The clocks are stopped."""
    initialised = state.ready == (True, True)
    phase = "" if initialised else " while initialising"
    clauses = []
    for side in (side for side in (0, 1) if fallen[side]):
        use, absent = state.uses[side], state.absent[side]
        over, budget = about(-state.clock.left[side]), span(state.header.control.budget)
        clauses.append(f"{state.header.who(side)} ran out of time{phase}: {over} beyond a budget of {budget}")
        if initialised:
            turn = "initialisation" if use.ply == INITIALISATION else f"move {use.ply}"
            clauses.append(f"{about(use.longest)} of {about(state.used[side])} went to {turn}")
        if not all(fallen):
            clauses.append(f"its opponent used {about(state.used[1 - side])}")
        if use.uncharged:
            clauses.append(f"{about(use.uncharged)} were not charged, for stalls of the server and lag")
        if absent is not None:
            clauses.append(f"its connection had been lost for {about(max(0, now - absent))}")
    told = (
        refused(state.header, side) + state.refusals[side] for side in (0, 1) if fallen[side] and state.refusals[side]
    )
    return "".join(("; ".join(clauses), *told))


def end(state: MatchState, outcome: Outcome, now: int) -> Step:
    """End the match by a decision from outside the game: an annulment, an adjudication, or the end of a program.

    A game is adjudicated in play only. A clock that has run out takes precedence over all but an annulment, and is left
    to `flag`: messages that arrived in time are read first.
    """
    late = outcome.reason not in ANNULLED and any(state.clock.fallen(now))
    early = outcome.reason == Termination.ADJUDICATED and not state.playing
    return (state, []) if state.outcome is not None or late or early else finish(state, outcome, now)


_ENDINGS = {
    Termination.CRASHED: "crashed",
    Termination.OUT_OF_MEMORY: "used too much memory",
    Termination.TOO_MANY_PROCESSES: "had too many processes",
    Termination.OUT_OF_CPU_TIME: "used too much processor time",
    Termination.FILE_TOO_LARGE: "wrote too large a file",
}


def program_ended(header: Header, side: int, sentence: str, termination: Termination) -> Outcome:
    """Return the outcome of a match in which the program of a side exited or exceeded a limit."""
    return Outcome(1 - side, termination, f"{header.who(side)} {_ENDINGS[termination]}: {sentence}")


def disconnect(state: MatchState, side: int, now: int) -> Step:
    """Note that a side has lost its connection. Its clock runs on."""
    absent = (now, state.absent[1]) if side == 0 else (state.absent[0], now)
    return replace(state, absent=absent), _presence_effects(state, side, "gone", now)


def reconnect(state: MatchState, side: int, now: int) -> Step:
    """Note that a side has resumed. Its clock runs on, or starts again after a restart of the server."""
    effects = _presence_effects(state, side, "back", now)
    state = replace(state, absent=(None, state.absent[1]) if side == 0 else (state.absent[0], None))
    awaited = state.awaited
    if awaited is None or not awaited.sides[side]:
        return state, effects
    others = awaited.sides[1 - side]
    left = awaited._replace(sides=(side == 1 and others, side == 0 and others)) if others else None
    state = replace(state, awaited=left)
    if not state.playing:
        return state, effects if state.ready[side] else [*effects, GiveTime(side)]
    return state, [*effects, GiveTurn(side)] if state.history.position.turn == side else effects


def restart(state: MatchState, now: int, until: int) -> Step:
    """Continue a match after a crash of the server: no clock runs, and both players are awaited up to a stamp.

    Clocks that ran are charged up to the last event.
    """
    clock = state.clock.stop(0, state.stamp).stop(1, state.stamp)
    state = replace(
        state, clock=clock, sent=now, stamp=now, awaited=AwaitedPlayers((True, True), until), absent=(now, now)
    )
    return state, [_write("restarted", now)]


def announcement(header: Header, side: int, token: str) -> m.Match:
    """Return MATCH for a side."""
    position = header.position
    return m.Match(
        header.match,
        position.game.name,
        word_of(position.parameters),
        position.game.sides[side],
        header.players[1 - side],
        *header.control.milliseconds,
        header.move_limit,
        token,
    )


def answer(request: m.Message, position: Position | None = None) -> m.Message | None:
    """Return the answer to a request that changes nothing: PING, HELP, and in a match BOARD and MOVES."""
    match request:
        case m.Ping(text):
            return m.Pong(text)
        case m.AskHelp():
            return m.Help(m.Block(tuple(usage(kind) for kind in m.REQUESTS.values())))
        case m.AskBoard() if position is not None:
            return m.board_of(position.text())
        case m.AskMoves() if position is not None:
            return m.Moves(m.Block(tuple(position.legal_moves)))
    return None


def turn_message(state: MatchState, now: int) -> m.Turn:
    """Return TURN for the side to move."""
    side = state.history.position.turn
    left = state.clock.milliseconds(now)
    return m.Turn(left[side], left[1 - side])


def first_board(header: Header) -> m.Board:
    """Return BOARD with the first position of the match."""
    return m.board_of(header.position.text())


def result(state: MatchState, now: int) -> m.Result:
    """Return RESULT of a finished match."""
    assert state.outcome is not None
    outcome = state.outcome
    left = state.clock.milliseconds(now)
    return m.Result(state.header.match, outcome.result(state.sides), str(outcome.reason), *left, m.Text(outcome.detail))


def lines_of(effects: list[Effect]) -> list[str]:
    """Return the lines of the record among effects."""
    return [effect.line for effect in effects if isinstance(effect, WriteRecord)]


def _write(*words: str | int) -> WriteRecord:
    return WriteRecord(event_line(*words))


def _with_use(uses: tuple[TimeUse, TimeUse], side: int, use: TimeUse) -> tuple[TimeUse, TimeUse]:
    return (use, uses[1]) if side == 0 else (uses[0], use)


def _stopped(state: MatchState, now: int) -> MatchState:
    """Stop the clocks that run, and account for the turn that is under way."""
    clock, uses, budget = state.clock, state.uses, state.header.control.budget
    ply = state.history.plies + 1 if state.ready == (True, True) else INITIALISATION
    for side in (0, 1):
        if clock.since[side] is not None:
            uses = _with_use(uses, side, uses[side].until(ply, clock, side, now, budget))
    return replace(state, clock=clock.stop(0, now).stop(1, now), uses=uses)


def _give_turn(state: MatchState) -> list[Effect]:
    """Give the turn, unless the player to move has not returned: then `reconnect` gives it."""
    side = state.history.position.turn
    return [] if state.awaited is not None and state.awaited.sides[side] else [GiveTurn(side)]


def _stop_waiting(state: MatchState, now: int) -> Step:
    """Stop waiting for players after a restart: clocks run from now on."""
    assert state.awaited is not None
    awaited, state = state.awaited.sides, replace(state, awaited=None)
    if state.playing:
        return state, _give_turn(state) if awaited[state.history.position.turn] else []
    effects: list[Effect] = []
    for side in (0, 1):
        if awaited[side]:
            state, more = start_initialisation(state, side, now)
            effects += more
    return state, effects


def _presence_effects(state: MatchState, side: int, word: str, now: int) -> list[Effect]:
    return [_write(word, state.sides[side], now), Tell(1 - side, m.Opponent(word))]


def finish(state: MatchState, outcome: Outcome, now: int) -> Step:
    """End the match: stop the clocks, complete the record, and send RESULT."""
    effects: list[Effect] = []
    side = state.history.position.turn
    if state.playing and state.clock.since[side] is not None:
        effects.append(_write("unanswered", state.sides[side], state.sent))
    state = replace(_stopped(state, now), awaited=None, outcome=outcome, stamp=now)
    words = (outcome.result(state.sides), str(outcome.reason), now, *state.clock.left, outcome.detail)
    return state, [*effects, _write("result", *words), Show(result(state, now))]
