"""The text of a record: its head, a line for each event, and notes of players. `docs/records.md` has the format.

The first functions write a record; `RecordReader` reads its words and its head.
"""

import re
from calendar import monthrange, timegm
from itertools import zip_longest
from typing import NamedTuple, NoReturn

from engine.games.catalogue import GAMES, title_of, unknown_game
from engine.games.interface import GameError, History, Position
from engine.match.clock import TimeControl
from engine.wire.fields import Note, write_note
from engine.wire.messages import Code, ProtocolError

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
        return f"{title_of(self.position)}: {self.who(0)} against {self.who(1)}, {self.started}"

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
    """Return a note in the form of the record; raises `ProtocolError` if it is invalid or over a limit.

    On turn, a note without a ply is about the player's next move; otherwise about its last move, or its first one if it
    has made none.
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


TIME = re.compile(r"(0|[1-9][0-9]{0,14})\.[0-9]{3}")
"""Milliseconds with three decimals."""

WHOLE = re.compile(r"0|[1-9][0-9]{0,14}")
"""A whole number, as it is written."""

DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})\.([0-9]{3})Z", re.ASCII)
"""Date and time in UTC."""


class BadRecord(ValueError):
    """A record that cannot be read or is not true. ``str(error)`` names the line and the fault."""

    def __init__(self, line: int, sentence: str) -> None:
        """Put the line, from 1, before the sentence."""
        super().__init__(f"line {line}: {sentence}")
        self.line = line


def seconds_of(date: str) -> float | None:
    """Return the seconds from 1970 until a date as records write it; None where it is none."""
    found = DATE.fullmatch(date)
    if found is None:
        return None
    year, month, day, hour, minute, second, thousandths = map(int, found.groups())
    if not (
        year and 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1] and max(hour + 36, minute, second) < 60
    ):
        return None
    return timegm((year, month, day, hour, minute, second)) + thousandths / 1000


def decoded(data: bytes) -> str:
    """Return the text of a record; raises `BadRecord` where it is no UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start]
        byte = error.start - before.rfind(b"\n")
        raise BadRecord(before.count(b"\n") + 1, f"byte {byte} is not UTF-8") from None


class RecordReader:
    """Walks through the lines of a record; what cannot be read raises `BadRecord` with the line that was read last."""

    def __init__(self, text: str) -> None:
        """Begin before the first line. Each line ends with a line feed, and nothing else ends one."""
        *self.lines, rest = text.split("\n")
        self._is_cut = bool(rest)
        if rest:
            self.lines.append(rest)
        self.at = 0
        """Lines read so far: also the number, from 1, of the line last read."""

    def _fail(self, sentence: str) -> NoReturn:
        raise BadRecord(self.at, sentence)

    def _next(self) -> str:
        if self.at >= len(self.lines):
            raise BadRecord(self.at + 1, "the record ends before its first position is complete")
        self.at += 1
        line = self.lines[self.at - 1]
        if not line.isprintable():
            self._fail(f"a line has printable characters alone, not {line!r}")
        return line

    def _end(self) -> None:
        if self._is_cut:
            raise BadRecord(len(self.lines), "the last line ends with a line feed, too")

    def _value(self, name: str) -> str:
        line = self._next()
        word, blank, value = line.partition(" ")
        if word != name or not blank or value != value.strip() or not (value or name == "parameters"):
            self._fail(f"expected {name} and its value, not {line!r}")
        return value

    def _number(self, name: str) -> int:
        value = self._value(name)
        if not WHOLE.fullmatch(value):
            self._fail(f"{name} is a whole number without zeros before it, not {value!r}")
        return int(value)

    def _time(self, word: str) -> int:
        if not TIME.fullmatch(word):
            self._fail(f"a time is written in milliseconds with three decimals, and is 0.000 or more, not {word!r}")
        return int(word.replace(".", ""))

    def header(self) -> Header:
        """Read the head, which has to be as `Header.text` writes it."""
        if self._number("arena-record") != VERSION:
            self._fail(f"this program reads version {VERSION} of the format")
        match, name = self._number("match"), self._value("game")
        if name not in GAMES:
            self._fail(unknown_game(name))
        game = GAMES[name]
        self._value("parameters")
        players = self._value(game.sides[0]), self._value(game.sides[1])
        budget = self._time(self._value("budget"))
        if budget == 0:
            self._fail("the budget is 0.000, but it has to be more")
        control = TimeControl(budget, self._time(self._value("increment")))
        has_lag = self.at < len(self.lines) and self.lines[self.at].startswith("lag-allowance ")
        lag = self._time(self._value("lag-allowance")) if has_lag else 0
        limit, server, started = self._number("move-limit"), self._value("server"), self._value("started")
        if seconds_of(started) is None:
            self._fail(f"a date is written as in 2026-11-20T20:15:00.000Z, not {started!r}")
        if self._next() != "position":
            self._fail("expected the first position")
        first = self.at
        while self.at < len(self.lines) and self.lines[self.at].startswith("|"):
            self.at += 1
        try:
            position = game.read("\n".join(line[2:] for line in self.lines[first : self.at]))
        except GameError as error:
            raise BadRecord(first + 1, f"the first position cannot be read: {error}") from None
        header = Header(match, position, players, control, limit, server, started, lag)
        for number, (line, right) in enumerate(zip_longest(self.lines[: self.at], header.text().splitlines()), 1):
            if line != right:
                raise BadRecord(number, f"this line is written {right!r}, not {line!r}")
        return header

    def _words(self, rest: str, names: tuple[str, ...]) -> list[str]:
        """Split the rest of a line into words, the last of which may have blanks in it, and may be optional."""
        words = rest.split(" ", len(names) - 1)
        if len(words) == len(names) - 1 and names[-1].startswith("[") and "" not in words:
            return [*words, ""]
        if len(words) != len(names) or "" in words or words[-1] != words[-1].strip():
            self._fail(f"expected {' '.join(names)}")
        return words
