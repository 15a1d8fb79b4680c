"""Files of games that were played under one setting: JSON lines, the setting first, then what was played, a line each.

A line is written in one piece. A last line without a newline is half written, and counts as not there.
"""

from typing import Protocol, TypeVar

import msgspec


class Numbered(Protocol):
    """What was played, with its number."""

    @property
    def number(self) -> int:
        """Different for each line of a file."""


Played = TypeVar("Played", bound=Numbered)
Line = TypeVar("Line")


class BadGames(ValueError):
    """A file of games that cannot be used. ``str(error)`` says why, and in which line."""


def line_of(value: msgspec.Struct) -> bytes:
    """Return a line of such a file, its newline included."""
    return msgspec.json.encode(value) + b"\n"


def read_setting(content: bytes, reader: msgspec.json.Decoder[Line], of: str) -> Line:
    """Return the setting of a file; ``of`` says of what, as in "a duel". Raises `BadGames`."""
    line, newline, _ = content.partition(b"\n")
    if not newline:
        raise BadGames(f"line 1: this is no setting of {of}: it has no end")
    return _decode(line, 1, reader, f"setting of {of}")


def read_games(content: bytes, reader: msgspec.json.Decoder[Played], what: str, least: int = 0) -> list[Played]:
    """Return what was played, in the order of the file; ``what`` is one of it, as in "game of a match".

    Raises `BadGames`, also for a number that comes again or is less than ``least``.
    """
    games: dict[int, Played] = {}
    for at, line in enumerate(content.split(b"\n")[1:-1], 2):
        game = _decode(line, at, reader, what)
        if game.number in games or game.number < least:
            raise BadGames(f"line {at}: the {what} with the number {game.number} stands there twice, or cannot be")
        games[game.number] = game
    return list(games.values())


def _decode(line: bytes, at: int, reader: msgspec.json.Decoder[Line], what: str) -> Line:
    try:
        return reader.decode(line)
    except msgspec.DecodeError as error:
        raise BadGames(f"line {at}: this is no {what}: {error}") from None
