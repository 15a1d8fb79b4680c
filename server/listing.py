"""The answer to MOVES: the legal moves of a position, found some at a time."""

from itertools import islice

import trio

from engine.game import Position
from engine.wire import messages as m
from engine.wire.codes import Code, ProtocolError
from engine.wire.messages import encode
from server.settings import LISTED_MOVES

AT_A_TIME = 25
"""Moves that are found before the event loop gets to others: they take a third of a millisecond at most."""


class Listing:
    """The list of moves that are legal in a position."""

    def __init__(self, position: Position) -> None:
        """Begin with none; `go_on` finds them."""
        self._successors = position.successors()
        self._moves: list[str] = []
        self._answer = b""
        self._too_many = False

    def go_on(self) -> bool:
        """Find some more moves; return whether all are found, or more than are listed."""
        if self._answer or self._too_many:
            return True
        before = len(self._moves)
        try:
            self._moves += [successor.move for successor in islice(self._successors, AT_A_TIME)]
        except OverflowError:
            self._too_many = True
        if len(self._moves) > LISTED_MOVES:
            self._too_many = True
        elif len(self._moves) < before + AT_A_TIME:
            self._answer = encode(m.Moves(m.Block(tuple(self._moves))))
        return self._too_many or bool(self._answer)

    async def finish(self) -> "Listing":
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
