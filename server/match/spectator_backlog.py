"""Encoded messages of a match since its start, for spectators and players who join later."""

from collections.abc import Iterator

from engine.wire import messages as m
from engine.wire.coding import encode
from server.match import referee
from server.match.match_messages import Seat


class SpectatorBacklog:
    """The messages that show a match from its start up to now."""

    def __init__(self, state: referee.State) -> None:
        """Encode a match up to its present state."""
        self._board = encode(referee.first_board(state.header))
        self._moved = bytearray(b"".join(map(encode, state.shown)))

    def add(self, kind: type, data: bytes) -> None:
        """Add an encoded message, if it is MOVED; the others are made when they are sent."""
        if kind is m.Moved:
            self._moved += data

    def messages(self, state: referee.State, now: int) -> Iterator[tuple[type, bytes]]:
        """Yield the match by kinds of messages, with the clocks of this moment; ``state`` is its present state."""
        yield m.Board, self._board
        if state.ready == (True, True):
            yield m.Start, encode(m.Start(*state.clock.milliseconds(now)))
        if self._moved:
            yield m.Moved, bytes(self._moved)
        if state.outcome is not None:
            yield m.Result, encode(referee.result(state, now))

    def send(self, seat: Seat, state: referee.State, now: int) -> None:
        """Send the `messages` to a session."""
        for kind, data in self.messages(state, now):
            seat.tell(kind, data)
