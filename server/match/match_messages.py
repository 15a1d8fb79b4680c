"""Messages of a match beside those of the referee: descriptions, spectators' view, perhaps delayed, MOVES and LIST.

MOVES and LIST are made in small steps that do not hold up the event loop.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple, Protocol

import trio
from msgspec.structs import replace

from engine.games.interface import History, Position
from engine.match import referee
from engine.match.clock import Clock
from engine.match.record import RecordedNote
from engine.wire import messages as m
from engine.wire.coding import encode
from engine.wire.fields import write_note
from server.config.settings import LISTED_MOVES
from server.net.admission import processor_time


class Spectator(Protocol):
    """Interface of a spectator for a match."""

    def tell(self, kind: type, data: bytes) -> None:
        """Send encoded messages of one kind."""

    def leave(self) -> None:
        """Forget the match, which is over."""


class PlayerSeat(Spectator, Protocol):
    """Interface of the session of a player for a match."""

    def report_unfinished(self) -> None:
        """Report bytes that have arrived without a line end as a line that was refused."""


def now_text() -> str:
    """Return the date and the time now, in UTC, as 2026-11-20T20:15:00.000Z."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class ShownMatch(NamedTuple):
    """The part of a match that somebody has been shown."""

    started: bool = False
    plies: int = 0
    notes: int = 0
    over: bool = False

    @classmethod
    def of(cls, state: referee.MatchState, notes: Sequence[RecordedNote]) -> "ShownMatch":
        """Return the view of somebody who has been shown a match up to a state, and these notes."""
        return cls(state.ready == (True, True), len(state.shown), len(notes), state.outcome is not None)


def changes(
    old: ShownMatch, state: referee.MatchState, notes: Sequence[RecordedNote], moved: Sequence[bytes], now: int
) -> Iterator[tuple[type, bytes]]:
    """Yield the messages, by kind, that lead from a view of a match to a state of it, with some notes.

    ``moved`` are the encoded moves of the match.
    """
    new = ShownMatch.of(state, notes)
    if new.started and not old.started:
        yield m.Start, encode(m.Start(*state.clock.milliseconds(now)))
    if new.plies > old.plies:
        yield m.Moved, b"".join(moved[old.plies : new.plies])
    if new.notes > old.notes:
        noted = (
            m.Noted(note.ply, state.sides[note.side], m.Text(write_note(note.note))) for note in notes[old.notes :]
        )
        yield m.Noted, b"".join(map(encode, noted))
    if new.over and not old.over:
        yield m.Result, encode(referee.result(state, now))


def send_match(
    seat: Spectator,
    board: bytes,
    state: referee.MatchState,
    notes: Sequence[RecordedNote],
    moved: Sequence[bytes],
    now: int,
) -> None:
    """Send a match from its start, whose encoded ``board`` is given, up to a state of it, with some notes."""
    seat.tell(m.Board, board)
    for kind, data in changes(ShownMatch(), state, notes, moved, now):
        seat.tell(kind, data)


def recent_states(state: referee.MatchState, moves: int) -> list[referee.MatchState]:
    """Return the states of a match from ``moves`` moves ago up to now."""
    if state.outcome is not None or not state.shown:
        return [state]
    history = History.begin(state.header.position)
    histories = [history]
    for move in state.history.moves:
        history = history.after(move)
        histories.append(history)
    first = max(0, len(state.shown) - moves)
    return [
        replace(state, history=histories[plies], shown=state.shown[:plies], clock=_clock(state, plies))
        for plies in range(first, len(histories))
    ]


def _clock(state: referee.MatchState, plies: int) -> Clock:
    """Return the stopped clock after a number of moves."""
    if plies == 0:
        return Clock.full(state.header.control)
    moved = state.shown[plies - 1]
    return Clock((moved.first * m.MICROSECONDS, moved.second * m.MICROSECONDS))


STEP_MICROSECONDS = 300
"""Processor time after which a step that generates moves ends."""

LINES_PER_STEP = 100
"""Lines of LIST made in one step: a fifth of a millisecond."""


class SteppedAnswer:
    """An answer that is made step by step."""

    def __init__(self, steps: Iterator[bytes]) -> None:
        """Take the steps: each yields nothing, the last one the encoded answer, or raises `ProtocolError`."""
        self._steps = steps
        self._worked = 0

    def step(self) -> bytes:
        """Make some of the answer; return the answer if it is complete, else nothing. Raises `ProtocolError`."""
        began = processor_time()
        try:
            return next(self._steps)
        finally:
            self._worked += processor_time() - began

    def worked(self) -> int:
        """Return the processor time used, in microseconds."""
        return self._worked

    async def finish(self) -> bytes:
        """Complete and return the answer, with a checkpoint after each step; raises `ProtocolError`."""
        while not (made := self.step()):
            await trio.lowlevel.checkpoint()
        return made


def list_moves(position: Position) -> Iterator[bytes]:
    """Make the answer to MOVES."""
    found: list[str] = []
    began = processor_time()
    for child in position.children():
        if len(found) == LISTED_MOVES:
            raise m.ProtocolError(
                m.Code.TOO_MANY, f"more than {LISTED_MOVES} moves are legal here; they are not listed"
            )
        found.append(child.move)
        if processor_time() - began > STEP_MICROSECONDS:
            yield b""
            began = processor_time()
    yield encode(m.Moves(m.Block(tuple(found))))


def list_matches(lines: Sequence[Callable[[], str]]) -> Iterator[bytes]:
    """Make the answer to LIST from a function for each line."""
    written = [f"MATCHES {len(lines)}\n"]
    for number, line in enumerate(lines, 1):
        written.append(f"| {line()}\n")
        if number % LINES_PER_STEP == 0:
            yield b""
    yield "".join(written).encode()
