"""Reads the words of a record: numbers, times and stamps as the server writes them, and the head."""

import re
from calendar import monthrange, timegm
from itertools import zip_longest
from typing import NoReturn

from engine.games.catalogue import GAMES, unknown_game
from engine.games.interface import GameError
from engine.match.clock import TimeControl
from engine.match.record import VERSION, Header

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
            self._fail("a budget is more than nothing")
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
