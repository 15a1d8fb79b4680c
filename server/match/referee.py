"""The referee of one match: a pure function of messages and times.

Each function takes the state of a match, and returns the next state with its effects in order. Stamps are microseconds
since the match began. Nothing here sends, writes or reads a clock.
"""

from typing import NamedTuple, TypeAlias

from engine import record
from engine.clock import MICROSECONDS, Clock, Stall
from engine.games.history import History
from engine.games.interface import BadMove
from engine.games.outcome import Outcome, Termination
from engine.record import Header, RecordedNote, take_note
from engine.record.ending import bad_move, failure, resignation
from engine.record.time_use import INITIALISATION, Fall, TimeUse
from engine.wire import messages as m
from engine.wire.fields import read_note


class Tell(NamedTuple):
    """A message for one player."""

    side: int
    message: m.Message


class Show(NamedTuple):
    """A message for both players and all spectators."""

    message: m.Message


class WriteRecord(NamedTuple):
    """A line of the record, to be written before later messages are sent."""

    line: str


class GiveTurn(NamedTuple):
    """TURN for the side to move. When it is sent, `start_turn` has to be called."""

    side: int


class GiveTime(NamedTuple):
    """A side has resumed and is not ready yet. When it was sent the match, `start_initialisation` has to be called."""

    side: int


class Finish(NamedTuple):
    """The match is over; the record is complete."""

    outcome: Outcome


MAX_SENTENCE_CHARACTERS = 200
"""Longest sentence of a player in the record and in RESULT; the rest is cut off."""

Effect: TypeAlias = Tell | Show | WriteRecord | GiveTurn | GiveTime | Finish


class Awaited(NamedTuple):
    """The sides whose players have not returned since a restart of the server. Their clocks are stopped."""

    sides: tuple[bool, bool]
    until: int
    """Stamp at which waiting ends."""


class State(NamedTuple):
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
    awaited: Awaited | None = None
    outcome: Outcome | None = None
    absent: tuple[int | None, int | None] = (None, None)
    """Stamp since which each side has had no connection; None while it has one."""
    stamp: int = 0
    """Stamp of the latest READY or move: the match does not end before it."""
    uses: tuple[TimeUse, TimeUse] = (TimeUse(), TimeUse())
    """What the time of each side has gone to, up to its last READY or move."""
    notes: tuple[RecordedNote, ...] = ()
    """What both players have noted."""

    @property
    def sides(self) -> tuple[str, str]:
        """Return the names of the sides in this game."""
        return self.header.position.game.sides

    @property
    def playing(self) -> bool:
        """Tell whether initialisation is over and the game is not."""
        return self.outcome is None and self.ready == (True, True)


Step: TypeAlias = tuple[State, list[Effect]]


def begin(header: Header) -> State:
    """Start a match: both clocks run from stamp 0 until READY."""
    return State(header, History.begin(header.position), Clock.full(header.control).run(0, 0).run(1, 0))


def ready(state: State, side: int, now: int) -> Step:
    """Handle READY of a side; a repeated one changes nothing."""
    if state.outcome is not None or state.ready[side]:
        return state, []
    clock = state.clock.stop(side, now)
    if clock.left[side] <= 0:
        return flag(state, now)
    both = (side == 0 or state.ready[0], side == 1 or state.ready[1])
    use = state.uses[side].until(INITIALISATION, state.clock, side, now, state.header.control.budget)
    uses = _with_use(state.uses, side, use)
    state = state._replace(clock=clock, ready=both, stamp=max(state.stamp, now), uses=uses)
    effects: list[Effect] = [WriteRecord(record.ready_line(state.sides[side], now, clock.left[side]))]
    if not state.playing:
        return state, effects
    effects.append(Show(m.Start(*clock.milliseconds(now))))
    verdict = state.history.verdict(state.header.move_limit)
    if verdict is None:
        return state, [*effects, *_give_turn(state)]
    state, more = finish(state, verdict, state.stamp)
    return state, [*effects, *more]


def start_turn(state: State, now: int) -> State:
    """Start the clock of the side to move, now that TURN was sent; not if its player has not returned."""
    side = state.history.position.turn
    if state.awaited is not None and state.awaited.sides[side]:
        return state  # TURN was for the other side, which has moved already
    clock = state.clock.run(side, now)
    header, history, _, ready, _, shown, awaited, _, absent, stamp, uses, notes = state
    return State(header, history, clock, ready, now, shown, awaited, None, absent, stamp, uses, notes)


def start_initialisation(state: State, side: int, now: int) -> Step:
    """Start the clock of a side that has resumed during initialisation, now that it was sent the match."""
    if state.outcome is not None or state.ready[side]:
        return state, []
    line = record.runs_line(state.sides[side], now)
    return state._replace(clock=state.clock.run(side, now), sent=now), [WriteRecord(line)]


def credit_stall(state: State, stall: Stall) -> Step:
    """Credit the clocks that ran when a stall of the server began."""
    if state.outcome is not None or not state.clock.touched(stall):
        return state, []
    return state._replace(clock=state.clock.stalled(stall)), [WriteRecord(record.stall_line(stall))]


def allow_lag(state: State, side: int, lag: int) -> Step:
    """Set the lag, in whole milliseconds and within the allowance, that a side is not charged in each turn."""
    allowance = min(lag, state.header.lag_allowance) // MICROSECONDS * MICROSECONDS
    if state.outcome is not None or allowance == state.clock.allowances[side]:
        return state, []
    line = record.lag_line(state.sides[side], allowance)
    return state._replace(clock=state.clock.allow(side, allowance)), [WriteRecord(line)]


def move(state: State, side: int, text: str, now: int) -> Step:
    """Handle MOVE of the side on turn, received at ``now``. The session makes sure that it is on turn."""
    clock = state.clock.stop(side, now)
    if clock.left[side] <= 0:
        return flag(state, now)
    try:
        history = state.history.after(text)
    except BadMove as error:
        refused = WriteRecord(record.refused_line(state.sides[side], state.sent, now, text))
        state, effects = finish(state._replace(clock=clock), bad_move(state.header, side, text, error), now)
        return state, [refused, *effects]
    charged, since = state.clock.left[side] - clock.left[side], state.clock.since[side]
    use = state.uses[side].with_turn(history.plies, charged, max(0, now - (now if since is None else since)) - charged)
    clock = clock.add_increment(side)
    ply, name, played = history.plies, state.sides[side], history.moves[-1]
    line = record.move_line(ply, name, state.sent, now, clock.left[side], played)
    moved = m.Moved(ply, name, *clock.milliseconds(now), m.Text(played))
    shown = (*state.shown, moved)
    state = State(
        state.header,
        history,
        clock,
        state.ready,
        state.sent,
        shown,
        state.awaited,
        None,
        state.absent,
        now,
        _with_use(state.uses, side, use),
        state.notes,
    )
    verdict = history.verdict(state.header.move_limit)
    if verdict is None:
        return state, [WriteRecord(line), Show(moved), *_give_turn(state)]
    state, effects = finish(state, verdict, now)
    return state, [WriteRecord(line), Show(moved), *effects]


def note(state: State, side: int, content: str) -> Step:
    """Handle NOTE of a side, at any time of the match; raises `ProtocolError` where it cannot be recorded."""
    if state.outcome is not None:
        return state, []
    recorded = take_note(state.notes, state.history, state.sides, side, read_note(content))
    return state._replace(notes=(*state.notes, recorded)), [WriteRecord(recorded.line(state.sides))]


def resign(state: State, side: int, now: int) -> Step:
    """Handle RESIGN of a side, unless a clock has run out."""
    if any(state.clock.fallen(now)):
        return flag(state, now)
    resigned = WriteRecord(record.resigned_line(state.sides[side], now))
    state, effects = finish(state, resignation(state.header, side), now)
    return state, [resigned, *effects]


def report_crash(state: State, side: int, sentence: str, now: int) -> Step:
    """Handle CRASHED of a side whose program has failed, unless a clock has run out."""
    if any(state.clock.fallen(now)):
        return flag(state, now)
    if len(sentence) > MAX_SENTENCE_CHARACTERS:
        sentence = f"{sentence[: MAX_SENTENCE_CHARACTERS - 1]}…"
    said = WriteRecord(record.crashed_line(state.sides[side], now, sentence))
    state, effects = finish(state, failure(state.header, side, sentence), now)
    return state, [said, *effects]


def deadline(state: State) -> int | None:
    """Return the stamp at which to call `flag`; None for never."""
    falls = state.clock.deadline()
    if state.awaited is None:
        return falls
    return state.awaited.until if falls is None else min(falls, state.awaited.until)


def flag(state: State, now: int) -> Step:
    """End the match if a clock has run out, and stop waiting for players when that is due."""
    now = max(now, state.stamp)
    fallen = state.clock.fallen(now)
    if state.outcome is not None:
        return state, []
    if not any(fallen):
        waited = state.awaited is not None and now >= state.awaited.until
        return _stop_waiting(state, now) if waited else (state, [])
    fall = Fall(state.header, state.history.plies, state.playing, state.clock, state.uses, state.absent, now)
    winner = None if all(fallen) else fallen.index(False)
    return finish(state, Outcome(winner, Termination.TIME, fall.sentence()), now)


def annul(state: State, termination: Termination, sentence: str, now: int) -> Step:
    """End the match without a result."""
    return finish(state, Outcome(None, termination, sentence), now)


def adjudicate(state: State, winner: int | None, sentence: str, now: int) -> Step:
    """End a game in play with the proven result of its position.

    A clock that has run out takes precedence, and is left to `flag`: messages that arrived in time are read first.
    """
    if not state.playing or any(state.clock.fallen(now)):
        return state, []
    return finish(state, Outcome(winner, Termination.ADJUDICATED, sentence), now)


_ENDINGS = {
    Termination.CRASHED: "crashed",
    Termination.OUT_OF_MEMORY: "used too much memory",
    Termination.TOO_MANY_PROCESSES: "had too many processes",
    Termination.OUT_OF_CPU_TIME: "used too much processor time",
    Termination.FILE_TOO_LARGE: "wrote too large a file",
}


def end_crashed(
    state: State, side: int, sentence: str, now: int, termination: Termination = Termination.CRASHED
) -> Step:
    """End the match because the program of a side exited or exceeded a limit, unless a clock has run out."""
    if state.outcome is not None or any(state.clock.fallen(now)):
        return state, []
    detail = f"{state.header.who(side)} {_ENDINGS[termination]}: {sentence}"
    return finish(state, Outcome(1 - side, termination, detail), now)


def disconnect(state: State, side: int, now: int) -> Step:
    """Note that a side has lost its connection. Its clock runs on."""
    absent = (now, state.absent[1]) if side == 0 else (state.absent[0], now)
    return state._replace(absent=absent), _presence_effects(state, side, "gone", now)


def reconnect(state: State, side: int, now: int) -> Step:
    """Note that a side has resumed. Its clock runs on, or starts again after a restart of the server."""
    effects = _presence_effects(state, side, "back", now)
    absent = (None, state.absent[1]) if side == 0 else (state.absent[0], None)
    state = state._replace(absent=absent)
    awaited = state.awaited
    if awaited is None or not awaited.sides[side]:
        return state, effects
    others = awaited.sides[1 - side]
    left = awaited._replace(sides=(side == 1 and others, side == 0 and others)) if others else None
    state = state._replace(awaited=left)
    if not state.playing:
        return state, effects if state.ready[side] else [*effects, GiveTime(side)]
    return state, [*effects, GiveTurn(side)] if state.history.position.turn == side else effects


def turn_message(state: State, now: int) -> m.Turn:
    """Return TURN for the side to move."""
    side = state.history.position.turn
    left = state.clock.milliseconds(now)
    return m.Turn(left[side], left[1 - side])


def first_board(header: Header) -> m.Board:
    """Return BOARD with the first position of the match."""
    return m.board_of(header.position.text())


def result(state: State, now: int) -> m.Result:
    """Return RESULT of a finished match."""
    assert state.outcome is not None
    outcome = state.outcome
    left = state.clock.milliseconds(now)
    name = outcome.result(state.sides)
    return m.Result(state.header.match, name, str(outcome.termination), *left, m.Text(outcome.detail))


def _with_use(uses: tuple[TimeUse, TimeUse], side: int, use: TimeUse) -> tuple[TimeUse, TimeUse]:
    return (use, uses[1]) if side == 0 else (uses[0], use)


def _give_turn(state: State) -> list[Effect]:
    """Give the turn, unless the player to move has not returned: then `reconnect` gives it."""
    side = state.history.position.turn
    return [] if state.awaited is not None and state.awaited.sides[side] else [GiveTurn(side)]


def _stop_waiting(state: State, now: int) -> Step:
    """Stop waiting for players after a restart: clocks run from now on."""
    assert state.awaited is not None
    awaited, state = state.awaited.sides, state._replace(awaited=None)
    if state.playing:
        return state, _give_turn(state) if awaited[state.history.position.turn] else []
    effects: list[Effect] = []
    for side in (0, 1):
        if awaited[side]:
            state, more = start_initialisation(state, side, now)
            effects += more
    return state, effects


def _presence_effects(state: State, side: int, word: str, now: int) -> list[Effect]:
    line = record.presence_line(word, state.sides[side], now)
    return [WriteRecord(line), Tell(1 - side, m.Opponent(word))]


def finish(state: State, outcome: Outcome, now: int) -> Step:
    """End the match: stop the clocks, complete the record, and send RESULT."""
    effects: list[Effect] = []
    side = state.history.position.turn
    if state.playing and state.clock.since[side] is not None:
        effects.append(WriteRecord(record.unanswered_line(state.sides[side], state.sent)))
    clock = state.clock.stop(0, now).stop(1, now)
    state = state._replace(clock=clock, awaited=None, outcome=outcome)
    line = record.result_line(outcome.result(state.sides), outcome.termination, now, clock.left, outcome.detail)
    return state, [*effects, WriteRecord(line), Show(result(state, now)), Finish(outcome)]
