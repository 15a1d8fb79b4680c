"""The text of a record: its head, a line for each event, and notes of players. `docs/records.md` has the format."""

from typing import NamedTuple

from engine.games.catalogue import title_of
from engine.games.interface import History, Position
from engine.match.clock import TimeControl
from engine.wire.codes import Code, ProtocolError
from engine.wire.fields import Note, write_note

VERSION = 1

MAX_NOTES_PER_MOVE = 16
"""Notes of a player between two of its own moves: one for each depth of a search."""

MAX_NOTE_BYTES = 64 * 1024
"""Bytes of all lines of a player's notes in a record: the longest record still fits what waits for a peer."""


class Header(NamedTuple):
    """The head of a record: all that is fixed when a match begins."""

    match: int
    position: Position
    players: tuple[str, str]
    """Names, that of the side that begins first."""
    control: TimeControl
    move_limit: int
    """The match is drawn after so many moves, both sides' counted."""
    server: str
    started: str
    """Date and time in UTC, as 2026-11-20T20:15:00.000Z."""
    lag_allowance: int = 0
    """Most microseconds of a turn that a player is not charged for the way through the network."""

    def who(self, side: int) -> str:
        """Return a player with its side, as in sentences: ``alice (white)``."""
        return f"{self.players[side]} ({self.position.game.sides[side]})"

    @property
    def title(self) -> str:
        """The match in a line: what was played, who against whom, and when."""
        variant = title_of(self.position)
        return f"{variant}: {self.who(0)} against {self.who(1)}, {self.started}"

    def text(self) -> str:
        """Return the head of the record, down to the first position."""
        game = self.position.game
        lines = [
            f"arena-record {VERSION}",
            f"match {self.match}",
            f"game {game.name}",
            f"parameters {self.position.parameters}",
            f"{game.sides[0]} {self.players[0]}",
            f"{game.sides[1]} {self.players[1]}",
            f"budget {milliseconds(self.control.budget)}",
            f"increment {milliseconds(self.control.increment)}",
            *([f"lag-allowance {milliseconds(self.lag_allowance)}"] if self.lag_allowance else []),
            f"move-limit {self.move_limit}",
            f"server {self.server}",
            f"started {self.started}",
            "position",
            *(f"| {line}" for line in self.position.text().splitlines()),
        ]
        return "\n".join(lines) + "\n"


def milliseconds(microseconds: int) -> str:
    """Write a time of the record: milliseconds with three decimals."""
    return f"{microseconds / 1000:.3f}"  # exact up to 140 years: a float tells 2**52 microseconds apart


def event_line(*words: str | int) -> str:
    """Return the line of an event; a number is a time in microseconds."""
    return " ".join(word if isinstance(word, str) else milliseconds(word) for word in words).rstrip() + "\n"


def move_line(ply: int, side: str, sent: int, received: int, left: int, move: str) -> str:
    """Return the line of a legal move, as `event_line` would, but faster."""
    return f"move {ply} {side} {sent / 1000:.3f} {received / 1000:.3f} {left / 1000:.3f} {move}\n"


def players_of(text: str) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return the sides of a record, each with its player; raises ValueError where it has no head."""
    (first, name), (second, other) = (line.split(" ") for line in text.split("\n", 6)[4:6])
    return (first, name), (second, other)


class RecordedNote(NamedTuple):
    """A note of a player, as it stands in the record."""

    ply: int
    """The move that it is about: one that its player has made, or is going to make."""
    side: int
    plies: int
    """Moves that had been made when it came."""
    note: Note
    """The content; the ply in it is None."""
    total_bytes: int
    """Length of all lines of the player's notes up to this one."""


def note_line(ply: int, side: str, note: Note) -> str:
    """Return the line of a note."""
    return f"note {ply} {side} {write_note(note)}\n"


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
        raise ProtocolError(
            Code.BAD_ARGUMENTS, f"a note is about a move of its sender, made or to be made, which move {ply} is not"
        )
    note = note._replace(ply=None)
    last = plies if history.position.turn != side else plies - 1  # the player's own last move
    since, total = 0, 0
    for recorded in reversed(notes):
        if recorded.side == side:
            total = total or recorded.total_bytes
            if recorded.plies < last:
                break
            since += 1
    if since >= MAX_NOTES_PER_MOVE:
        raise ProtocolError(
            Code.TOO_MANY,
            f"{MAX_NOTES_PER_MOVE} notes have come since your last move; more are left out until the next one",
        )
    total += len(note_line(ply, sides[side], note).encode())
    if total > MAX_NOTE_BYTES:
        raise ProtocolError(
            Code.TOO_MANY,
            f"the notes of a player have at most {MAX_NOTE_BYTES} bytes in a match; this one was left out",
        )
    return RecordedNote(ply, side, plies, note, total)
