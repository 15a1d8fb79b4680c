"""The answers to MOVES and LIST, made some lines at a time: the legal moves of a position, and all matches."""

from collections.abc import Callable, Iterable
from itertools import islice

import trio

from engine.games.interface import Position
from engine.wire import messages as m
from engine.wire.codes import Code, ProtocolError
from engine.wire.coding import encode
from server.config.settings import LISTED_MOVES
from server.net.rate_limiter import processor_time

AT_A_TIME = 25
"""Moves that are found before the event loop gets to others: they take a third of a millisecond as a rule."""

PART = 300
"""Microseconds of the processor after which others get their turn before that: rows of a large board can be taken in
many ways."""


LINES_AT_A_TIME = 100
"""Lines of LIST that are made before the event loop gets to others: they take a fifth of a millisecond."""


class MatchListing:
    """The list of matches."""

    def __init__(self, lines: Iterable[Callable[[], str]]) -> None:
        """Begin with none; `go_on` asks for the lines."""
        self._asked = iter(tuple(lines))
        self._lines: list[str] = []
        self.answer = b""
        """MATCHES as bytes, when all lines are there."""
        self._worked = 0

    def go_on(self) -> bool:
        """Ask for some more lines; return whether all are there."""
        before, began = len(self._lines), processor_time()
        self._lines += [f"| {line()}\n" for line in islice(self._asked, LINES_AT_A_TIME)]
        if len(self._lines) < before + LINES_AT_A_TIME:
            self.answer = "".join([f"MATCHES {len(self._lines)}\n", *self._lines]).encode()
        self._worked += processor_time() - began
        return bool(self.answer)

    def worked(self) -> int:
        """Return how many microseconds the processor has worked for it."""
        return self._worked

    async def finish(self) -> bytes:
        """Return MATCHES as bytes; the event loop gets to others again and again."""
        while not self.go_on():
            await trio.lowlevel.checkpoint()
        return self.answer


class MoveList:
    """The list of moves that are legal in a position."""

    def __init__(self, position: Position) -> None:
        """Begin with none; `go_on` finds them."""
        self._successors = position.successors()
        self._moves: list[str] = []
        self._answer = b""
        self._too_many = False
        self._worked = 0

    def go_on(self) -> bool:
        """Find some more moves; return whether all are found, or more than are listed."""
        if self._answer or self._too_many:
            return True
        began = processor_time()
        try:
            for _ in range(AT_A_TIME):
                successor = next(self._successors, None)
                if successor is None:
                    self._answer = encode(m.Moves(m.Block(tuple(self._moves))))
                    break
                self._moves.append(successor.move)
                if processor_time() - began > PART:
                    break
        except OverflowError:
            self._too_many = True
        self._too_many = self._too_many or len(self._moves) > LISTED_MOVES
        self._worked += processor_time() - began
        return self._too_many or bool(self._answer)

    def worked(self) -> int:
        """Return how many microseconds the processor has worked for it."""
        return self._worked

    async def finish(self) -> "MoveList":
        """Find all moves, and let the event loop get to others again and again."""
        while not self.go_on():
            await trio.lowlevel.checkpoint()
        return self

    @property
    def answer(self) -> bytes:
        """Return MOVES as bytes, when all are found; raises `ProtocolError` where there are too many."""
        if self._too_many:
            raise ProtocolError(Code.TOO_MANY, f"more than {LISTED_MOVES} moves are legal here; they are not listed")
        return self._answer
