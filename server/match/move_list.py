"""The answers to MOVES and LIST, made in small steps that do not hold up the event loop."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Self

import trio

from engine.games.interface import Position
from engine.wire import messages as m
from engine.wire.codes import Code, ProtocolError
from engine.wire.coding import encode
from server.config.settings import LISTED_MOVES
from server.net.rate_limiter import processor_time

MOVES_PER_STEP = 25
"""Moves generated in one step: a third of a millisecond as a rule."""

STEP_MICROSECONDS = 300
"""Processor time after which a step ends early: rows of a large board can be removed in many ways."""


LINES_PER_STEP = 100
"""Lines of LIST made in one step: a fifth of a millisecond."""


class SteppedList(ABC):
    """An answer that is made step by step."""

    def __init__(self) -> None:
        """Start with nothing made."""
        self._worked = 0

    @abstractmethod
    def _step(self) -> bool:
        """Make some of the answer; return whether it is complete."""

    def step(self) -> bool:
        """Make some of the answer, unless it is complete; return whether it is."""
        began = processor_time()
        complete = self._step()
        self._worked += processor_time() - began
        return complete

    def worked(self) -> int:
        """Return the processor time used, in microseconds."""
        return self._worked

    async def finish(self) -> Self:
        """Complete the answer, with a checkpoint after each step."""
        while not self.step():
            await trio.lowlevel.checkpoint()
        return self


class MatchListing(SteppedList):
    """The answer to LIST: all matches."""

    def __init__(self, lines: Iterable[Callable[[], str]]) -> None:
        """Take a function for each line."""
        super().__init__()
        self._pending = iter(tuple(lines))
        self._lines: list[str] = []
        self.answer = b""
        """Encoded MATCHES, when the list is complete."""

    def _step(self) -> bool:
        before = len(self._lines)
        self._lines += [f"| {line()}\n" for line in islice(self._pending, LINES_PER_STEP)]
        if len(self._lines) < before + LINES_PER_STEP:
            self.answer = "".join([f"MATCHES {len(self._lines)}\n", *self._lines]).encode()
        return bool(self.answer)


class MoveList(SteppedList):
    """The answer to MOVES: the legal moves of a position, unless there are too many."""

    def __init__(self, position: Position) -> None:
        """Take the position."""
        super().__init__()
        self._successors = position.successors()
        self._moves: list[str] = []
        self._answer = b""
        self._too_many = False

    def _step(self) -> bool:
        if self._answer or self._too_many:
            return True
        began = processor_time()
        try:
            for _ in range(MOVES_PER_STEP):
                successor = next(self._successors, None)
                if successor is None:
                    self._answer = encode(m.Moves(m.Block(tuple(self._moves))))
                    break
                self._moves.append(successor.move)
                if processor_time() - began > STEP_MICROSECONDS:
                    break
        except OverflowError:
            self._too_many = True
        self._too_many = self._too_many or len(self._moves) > LISTED_MOVES
        return self._too_many or bool(self._answer)

    @property
    def answer(self) -> bytes:
        """Return encoded MOVES of a complete list; raises `ProtocolError` if there are too many moves."""
        if self._too_many:
            raise ProtocolError(Code.TOO_MANY, f"more than {LISTED_MOVES} moves are legal here; they are not listed")
        return self._answer
