"""The referee of one match: a pure function of what the players say and when.

Each function takes the state of a match and returns the next one with its effects, in the order in which they are
to be carried out. Stamps are microseconds since the match began. Nothing here sends, writes or reads a clock.
"""

from typing import NamedTuple, TypeAlias

from engine import record
from engine.clock import MICROSECONDS, Clock, Stall
from engine.games.history import History
from engine.games.interface import BadMove
from engine.games.outcome import Outcome, Termination
from engine.record import Header
from engine.wire import messages as m


class Tell(NamedTuple):
    """A message for one player."""

    side: int
    message: m.Message


class Show(NamedTuple):
    """A message for both players and everybody who watches."""

    message: m.Message


class WriteRecord(NamedTuple):
    """A line of the record, to be written before what follows is sent."""

    line: str


class GiveTurn(NamedTuple):
    """TURN for the side to move. When it was sent, `turn_given` has to be told."""

    side: int


class GiveTime(NamedTuple):
    """A side that was waited for is back and not ready yet. When it was told, `time_given` has to be."""

    side: int


class Finish(NamedTuple):
    """The match is over; the record is complete."""

    outcome: Outcome


MAX_SAID = 200
"""Characters that a player's own sentence may have in the record and in RESULT; the rest is cut off."""

Effect: TypeAlias = Tell | Show | WriteRecord | GiveTurn | GiveTime | Finish


class Awaited(NamedTuple):
    """Who is waited for after a restart of the server. The clock of such a side stands, whatever its turn."""

    sides: tuple[bool, bool]
    until: int
    """The stamp from which on nobody is waited for any more."""


class State(NamedTuple):
    """A match, as far as it has come."""

    header: Header
    history: History
    clock: Clock
    ready: tuple[bool, bool] = (False, False)
    """Which side has said READY."""
    sent: int = 0
    """Stamp of the last TURN, or of what else has let a clock run; what is answered to it came later."""
    shown: tuple[m.Moved, ...] = ()
    """The moves as they were shown, for those who come later."""
    awaited: Awaited | None = None
    outcome: Outcome | None = None
    absent: tuple[int | None, int | None] = (None, None)
    """The stamp from which on a side has had no connection, None while it has one."""
    stamp: int = 0
    """The latest one of a READY or a move: the match does not end before it."""

    @property
    def sides(self) -> tuple[str, str]:
        """What the sides are called in this game."""
        return self.header.position.game.sides

    @property
    def playing(self) -> bool:
        """Tell whether initialisation is over, and the game is not."""
        return self.outcome is None and self.ready == (True, True)


Step: TypeAlias = tuple[State, list[Effect]]


def begin(header: Header) -> State:
    """Begin a match: both clocks run from stamp 0, until each side is ready."""
    return State(header, History.begin(header.position), Clock.full(header.control).run(0, 0).run(1, 0))


def ready(state: State, side: int, now: int) -> Step:
    """A side has finished its initialisation. To say so again changes nothing."""
    if state.outcome is not None or state.ready[side]:
        return state, []
    clock = state.clock.stop(side, now)
    if clock.left[side] <= 0:
        return flag(state, now)
    both = (side == 0 or state.ready[0], side == 1 or state.ready[1])
    state = state._replace(clock=clock, ready=both, stamp=max(state.stamp, now))
    effects: list[Effect] = [WriteRecord(record.ready_line(state.sides[side], now, clock.left[side]))]
    if not state.playing:
        return state, effects
    effects.append(Show(m.Start(*clock.milliseconds(now))))
    verdict = state.history.verdict(state.header.move_limit)
    if verdict is None:
        return state, [*effects, *_turn(state)]
    state, more = finish(state, verdict, state.stamp)
    return state, [*effects, *more]


def turn_given(state: State, now: int) -> State:
    """The last byte of TURN was handed over: from here on the side to move is charged, unless it is waited for."""
    side = state.history.position.turn
    if state.awaited is not None and state.awaited.sides[side]:
        return state  # the TURN was for the other side, which has answered it already
    clock = state.clock.run(side, now)
    header, history, _, ready, _, shown, awaited, _, absent, stamp = state
    return State(header, history, clock, ready, now, shown, awaited, None, absent, stamp)


def time_given(state: State, side: int, now: int) -> Step:
    """A side that was waited for has been told all that it missed: from here on its initialisation is charged."""
    if state.outcome is not None or state.ready[side]:
        return state, []
    line = record.runs_line(state.sides[side], now)
    return state._replace(clock=state.clock.run(side, now), sent=now), [WriteRecord(line)]


def stalled(state: State, stall: Stall) -> Step:
    """The server stood still: the clocks that ran when that began are not charged for it."""
    if state.outcome is not None or not state.clock.touched(stall):
        return state, []
    return state._replace(clock=state.clock.stalled(stall)), [WriteRecord(record.stall_line(stall))]


def allowed(state: State, side: int, lag: int) -> Step:
    """A side's lag was measured: so many whole milliseconds of each turn are not charged, within the allowance."""
    allowance = min(lag, state.header.lag_allowance) // MICROSECONDS * MICROSECONDS
    if state.outcome is not None or allowance == state.clock.allowances[side]:
        return state, []
    line = record.lag_line(state.sides[side], allowance)
    return state._replace(clock=state.clock.allow(side, allowance)), [WriteRecord(line)]


def move(state: State, side: int, text: str, now: int) -> Step:
    """A side plays. ``now`` is when its line was received. It must be on turn: the session sees to that."""
    clock = state.clock.stop(side, now)
    if clock.left[side] <= 0:
        return flag(state, now)
    try:
        history = state.history.after(text)
    except BadMove as error:
        refused = WriteRecord(record.refused_line(state.sides[side], state.sent, now, text))
        state, effects = finish(state._replace(clock=clock), bad_move(state.header, side, text, error), now)
        return state, [refused, *effects]
    clock = clock.add_increment(side)
    ply, name, played = history.plies, state.sides[side], history.moves[-1]
    line = record.move_line(ply, name, state.sent, now, clock.left[side], played)
    moved = m.Moved(ply, name, *clock.milliseconds(now), m.Text(played))
    shown = (*state.shown, moved)
    state = State(
        state.header, history, clock, state.ready, state.sent, shown, state.awaited, absent=state.absent, stamp=now
    )
    verdict = history.verdict(state.header.move_limit)
    if verdict is None:
        return state, [WriteRecord(line), Show(moved), *_turn(state)]
    state, effects = finish(state, verdict, now)
    return state, [WriteRecord(line), Show(moved), *effects]


def resign(state: State, side: int, now: int) -> Step:
    """A side gives up. A used-up clock goes before, whosever it is."""
    if any(state.clock.fallen(now)):
        return flag(state, now)
    resigned = WriteRecord(record.resigned_line(state.sides[side], now))
    state, effects = finish(state, resignation(state.header, side), now)
    return state, [resigned, *effects]


def says_crashed(state: State, side: int, sentence: str, now: int) -> Step:
    """A side gives up because its program has failed, and says how. A used-up clock goes before, whosever it is."""
    if any(state.clock.fallen(now)):
        return flag(state, now)
    if len(sentence) > MAX_SAID:
        sentence = f"{sentence[: MAX_SAID - 1]}…"
    said = WriteRecord(record.crashed_line(state.sides[side], now, sentence))
    state, effects = finish(state, failure(state.header, side, sentence), now)
    return state, [said, *effects]


def deadline(state: State) -> int | None:
    """Return the stamp at which `flag` has something to do, None where it has nothing."""
    falls = state.clock.deadline()
    if state.awaited is None:
        return falls
    return state.awaited.until if falls is None else min(falls, state.awaited.until)


def flag(state: State, now: int) -> Step:
    """End the match if a clock that runs is used up at ``now``, and wait no longer than is due; else change nothing."""
    now = max(now, state.stamp)
    fallen = state.clock.fallen(now)
    if state.outcome is not None:
        return state, []
    if not any(fallen):
        waited = state.awaited is not None and now >= state.awaited.until
        return _wait_no_more(state, now) if waited else (state, [])
    phase = "" if state.playing else " while initialising"
    sentences = []
    for side in (0, 1):
        if fallen[side]:
            over = record.milliseconds(-state.clock.remaining(side, now))
            budget = record.milliseconds(state.header.control.budget)
            sentences.append(
                f"{state.header.players[side]} ({state.sides[side]}) ran out of time{phase}:"
                f" {over} ms beyond a budget of {budget} ms{_without_connection(state, side, now)}"
            )
    winner = None if all(fallen) else fallen.index(False)
    return finish(state, Outcome(winner, Termination.TIME, "; ".join(sentences)), now)


def annul(state: State, termination: Termination, sentence: str, now: int) -> Step:
    """End the match without a result, through no fault of the players."""
    return finish(state, Outcome(None, termination, sentence), now)


def adjudicate(state: State, winner: int | None, sentence: str, now: int) -> Step:
    """End a game in play with the result that its position is proven to have.

    A clock that is used up goes before, and is left to `flag`: what has arrived in time is looked at first.
    """
    if not state.playing or any(state.clock.fallen(now)):
        return state, []
    return finish(state, Outcome(winner, Termination.ADJUDICATED, sentence), now)


_ENDED = {
    Termination.CRASHED: "crashed",
    Termination.OUT_OF_MEMORY: "used too much memory",
    Termination.TOO_MANY_PROCESSES: "had too many processes",
    Termination.OUT_OF_CPU_TIME: "used too much processor time",
    Termination.FILE_TOO_LARGE: "wrote too large a file",
}


def crashed(state: State, side: int, sentence: str, now: int, termination: Termination = Termination.CRASHED) -> Step:
    """A side's program has ended, and its connection is lost: nobody can come back. A used-up clock goes before."""
    if state.outcome is not None or any(state.clock.fallen(now)):
        return state, []
    name = f"{state.header.players[side]} ({state.sides[side]})"
    return finish(state, Outcome(1 - side, termination, f"{name} {_ENDED[termination]}: {sentence}"), now)


def gone(state: State, side: int, now: int) -> Step:
    """A side's connection was lost. Its clock runs on as before."""
    absent = (now, state.absent[1]) if side == 0 else (state.absent[0], now)
    return state._replace(absent=absent), _presence(state, side, "gone", now)


def back(state: State, side: int, now: int) -> Step:
    """A side that had no connection has resumed it. Its clock runs on, or again where it was waited for."""
    effects = _presence(state, side, "back", now)
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


def board(state: State) -> m.Board:
    """Return the position on the board."""
    return m.Board(m.Block(tuple(state.history.position.text().splitlines())))


def first_board(header: Header) -> m.Board:
    """Return the position in which the match began."""
    return m.Board(m.Block(tuple(header.position.text().splitlines())))


def story(state: State, now: int) -> list[m.Message]:
    """Return what was shown since the match began, for somebody who comes later."""
    start = [m.Start(*state.clock.milliseconds(now))] if state.ready == (True, True) else []
    ended = [result(state, now)] if state.outcome is not None else []
    return [first_board(state.header), *start, *state.shown, *ended]


def result(state: State, now: int) -> m.Result:
    """Return RESULT of a match that is over."""
    assert state.outcome is not None
    outcome = state.outcome
    left = state.clock.milliseconds(now)
    name = outcome.result(state.sides)
    return m.Result(state.header.match, name, str(outcome.termination), *left, m.Text(outcome.detail))


def bad_move(header: Header, side: int, text: str, error: BadMove) -> Outcome:
    """Return how a match ends whose side has played what is no legal move."""
    who = f"{header.players[side]} ({header.position.game.sides[side]})"
    return Outcome(1 - side, Termination.BAD_MOVE, f"{who} played {text!r}, {error.code}: {error}")


def resignation(header: Header, side: int) -> Outcome:
    """Return how a match ends that a side has given up."""
    sentence = f"{header.players[side]} ({header.position.game.sides[side]}) resigned"
    return Outcome(1 - side, Termination.RESIGN, sentence)


def failure(header: Header, side: int, sentence: str) -> Outcome:
    """Return how a match ends in which a side's program has failed by its own account."""
    who = f"{header.players[side]} ({header.position.game.sides[side]})"
    return Outcome(1 - side, Termination.CRASHED, f"{who} crashed{f', and says: {sentence!r}' if sentence else ''}")


def _without_connection(state: State, side: int, now: int) -> str:
    """Say since when a side that has lost on time has had no connection; nothing where it has one."""
    since = state.absent[side]
    if since is None:
        return ""
    return f"; its connection had been lost for {(now - since) / 1_000_000:.1f} s"


def _turn(state: State) -> list[Effect]:
    """Give the turn, unless the side to move is waited for: then it gets it when it comes back."""
    side = state.history.position.turn
    return [] if state.awaited is not None and state.awaited.sides[side] else [GiveTurn(side)]


def _wait_no_more(state: State, now: int) -> Step:
    """Nobody is waited for any longer: who is still absent is charged as ever."""
    assert state.awaited is not None
    awaited, state = state.awaited.sides, state._replace(awaited=None)
    if state.playing:
        return state, _turn(state) if awaited[state.history.position.turn] else []
    effects: list[Effect] = []
    for side in (0, 1):
        if awaited[side]:
            state, more = time_given(state, side, now)
            effects += more
    return state, effects


def _presence(state: State, side: int, word: str, now: int) -> list[Effect]:
    line = record.presence_line(word, state.sides[side], now)
    return [WriteRecord(line), Tell(1 - side, m.Opponent(word))]


def finish(state: State, outcome: Outcome, now: int) -> Step:
    """End the match: clocks stop, the record gets its result, and everybody is told."""
    effects: list[Effect] = []
    side = state.history.position.turn
    if state.playing and state.clock.since[side] is not None:
        effects.append(WriteRecord(record.unanswered_line(state.sides[side], state.sent)))
    clock = state.clock.stop(0, now).stop(1, now)
    state = state._replace(clock=clock, awaited=None, outcome=outcome)
    line = record.result_line(outcome.result(state.sides), outcome.termination, now, clock.left, outcome.detail)
    return state, [*effects, WriteRecord(line), Show(result(state, now)), Finish(outcome)]
