"""The answers to MOVES and LIST, made in small steps that do not hold up the event loop."""

from collections.abc import Callable, Iterator, Sequence
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


class SteppedAnswer:
    """An answer that is made step by step."""

    def __init__(self, steps: Iterator[bytes]) -> None:
        """Take the steps: each yields nothing, the last one the encoded answer, or raises `ProtocolError`."""
        self._steps = steps
        self._made = b""
        self._error: ProtocolError | None = None
        self._worked = 0

    def step(self) -> bool:
        """Make some of the answer, unless it is complete; return whether it is."""
        if not self._made and self._error is None:
            began = processor_time()
            try:
                self._made = next(self._steps)
            except ProtocolError as error:
                self._error = error
            self._worked += processor_time() - began
        return bool(self._made) or self._error is not None

    def worked(self) -> int:
        """Return the processor time used, in microseconds."""
        return self._worked

    async def finish(self) -> Self:
        """Complete the answer, with a checkpoint after each step."""
        while not self.step():
            await trio.lowlevel.checkpoint()
        return self

    @property
    def answer(self) -> bytes:
        """Return the encoded answer, when it is complete; raises `ProtocolError` if there are too many moves."""
        if self._error is not None:
            raise self._error
        return self._made


def list_moves(position: Position) -> Iterator[bytes]:
    """Make the answer to MOVES."""
    found: list[str] = []
    began = processor_time()
    try:
        for successor in position.successors():
            found.append(successor.move)
            if len(found) > LISTED_MOVES:
                raise OverflowError
            if len(found) % MOVES_PER_STEP == 0 or processor_time() - began > STEP_MICROSECONDS:
                yield b""
                began = processor_time()
    except OverflowError:
        sentence = f"more than {LISTED_MOVES} moves are legal here; they are not listed"
        raise ProtocolError(Code.TOO_MANY, sentence) from None
    yield encode(m.Moves(m.Block(tuple(found))))


def list_matches(lines: Sequence[Callable[[], str]]) -> Iterator[bytes]:
    """Make the answer to LIST from a function for each line."""
    written = [f"MATCHES {len(lines)}\n"]
    for number, line in enumerate(lines, 1):
        written.append(f"| {line()}\n")
        if number % LINES_PER_STEP == 0:
            yield b""
    yield "".join(written).encode()
