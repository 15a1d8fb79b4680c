"""Encoded messages of a match since its start, for spectators and players who join later."""

from collections.abc import Iterator

from engine.wire import messages as m
from engine.wire.coding import encode
from engine.wire.notes import write_note
from server.match import referee
from server.match.match_messages import Seat


def encode_notes(state: referee.State, first: int, until: int) -> bytes:
    """Encode NOTED for the notes of a match from one number up to another, counted from 0."""
    shown = state.notes[first:until]
    return b"".join(encode(m.Noted(note.ply, state.sides[note.side], m.Text(write_note(note.note)))) for note in shown)


class SpectatorBacklog:
    """The messages that show a match from its start up to now."""

    def __init__(self, state: referee.State) -> None:
        """Encode a match up to its present state."""
        self._board = encode(referee.first_board(state.header))
        self._moved = bytearray(b"".join(map(encode, state.shown)))
        self._noted, self._notes = bytearray(), 0
        """Notes that were encoded, and how many."""

    def add(self, kind: type, data: bytes) -> None:
        """Add an encoded message, if it is MOVED; the others are made when they are sent."""
        if kind is m.Moved:
            self._moved += data

    def messages(self, state: referee.State, now: int, notes: int = 0) -> Iterator[tuple[type, bytes]]:
        """Yield the match by kinds of messages, with the clocks of this moment; ``state`` is its present state.

        ``notes`` is how many of its notes are shown: never fewer than before.
        """
        yield m.Board, self._board
        if state.ready == (True, True):
            yield m.Start, encode(m.Start(*state.clock.milliseconds(now)))
        if self._moved:
            yield m.Moved, bytes(self._moved)
        if notes:
            self._noted += encode_notes(state, self._notes, notes)
            self._notes = notes
            yield m.Noted, bytes(self._noted)
        if state.outcome is not None:
            yield m.Result, encode(referee.result(state, now))

    def send(self, seat: Seat, state: referee.State, now: int, notes: int = 0) -> None:
        """Send the `messages` to a session."""
        for kind, data in self.messages(state, now, notes):
            seat.tell(kind, data)
