"""What was shown of a match since it began, encoded as it goes along: who comes later is told all of it at once."""

from engine.wire import messages as m
from engine.wire.coding import encode
from server.match import referee
from server.match.match_messages import Seat


class SpectatorBacklog:
    """A match as far as some of its spectators have seen it."""

    def __init__(self, state: referee.State) -> None:
        """Begin with a match as far as it has come."""
        self._board = encode(referee.first_board(state.header))
        self._moved = bytearray(b"".join(map(encode, state.shown)))

    def add(self, kind: type, data: bytes) -> None:
        """Take note of a message that is shown; of those that are not part of it, nothing is kept."""
        if kind is m.Moved:
            self._moved += data

    def tell(self, seat: Seat, state: referee.State, now: int) -> None:
        """Tell all of it, with the clocks of this moment; ``state`` is what the story has come to."""
        seat.tell(m.Board, self._board)
        if state.ready == (True, True):
            seat.tell(m.Start, encode(m.Start(*state.clock.milliseconds(now))))
        if self._moved:
            seat.tell(m.Moved, bytes(self._moved))
        if state.outcome is not None:
            seat.tell(m.Result, encode(referee.result(state, now)))
