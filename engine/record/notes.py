"""The notes of both players in the record of a match: which move each is about, and how many there may be."""

from typing import NamedTuple

from engine.games.history import History
from engine.wire.codes import Code, ProtocolError
from engine.wire.fields import Note, write_note

MAX_NOTES_PER_MOVE = 16
"""Notes of a player between two of its own moves: one for each depth of a search."""

MAX_NOTE_BYTES = 64 * 1024
"""Bytes of all lines of a player's notes in a record: the longest record still fits what waits for a peer."""


class RecordedNote(NamedTuple):
    """A note of a player, as it stands in the record."""

    ply: int
    """The move that it is about: one that its player has made, or is going to make."""
    side: int
    plies: int
    """Moves that had been made when it came."""
    note: Note
    """What it says; the ply in it is None."""
    total_bytes: int
    """Length of all lines of the player's notes up to this one."""

    def line(self, sides: tuple[str, str]) -> str:
        """Return the line of the note."""
        return _line(self.ply, sides[self.side], self.note)


def take_note(
    notes: tuple[RecordedNote, ...], history: History, sides: tuple[str, str], side: int, note: Note
) -> RecordedNote:
    """Return a note as it is recorded behind earlier ones; raises `ProtocolError` where it cannot be.

    Without a ply it is about the move that its player is to make, where it is on turn; else about its last move, or its
    first one where it has made none.
    """
    plies = history.plies
    following = plies + 1 if history.position.turn == side else plies + 2
    own = following if history.position.turn == side or plies == 0 else plies
    ply = own if note.ply is None else note.ply
    if not 1 <= ply <= following or (following - ply) % 2:
        sentence = f"a note is about a move of its sender, made or to be made, which move {ply} is not"
        raise ProtocolError(Code.BAD_ARGUMENTS, sentence)
    note = note._replace(ply=None)
    moved = plies if history.position.turn != side else plies - 1  # the player's own last move
    since, total = 0, 0
    for recorded in reversed(notes):
        if recorded.side == side:
            total = total or recorded.total_bytes
            if recorded.plies < moved:
                break
            since += 1
    if since >= MAX_NOTES_PER_MOVE:
        sentence = f"{MAX_NOTES_PER_MOVE} notes have come since your last move; more are left out until the next one"
        raise ProtocolError(Code.TOO_MANY, sentence)
    total += len(_line(ply, sides[side], note).encode())
    if total > MAX_NOTE_BYTES:
        sentence = f"the notes of a player have at most {MAX_NOTE_BYTES} bytes in a match; this one was left out"
        raise ProtocolError(Code.TOO_MANY, sentence)
    return RecordedNote(ply, side, plies, note, total)


def _line(ply: int, side: str, note: Note) -> str:
    return f"note {ply} {side} {write_note(note)}\n"
