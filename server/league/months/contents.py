"""What stands in an exported month of the ladder: plain data.

It has no commands, folders or tokens of programs: `server.league.ladder.definition.published_text` leaves them out.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from server.contest.export.container import BadExport
from server.league.ladder.players import Rating

FORMAT = 1
"""Number of the format; it changes when older programs could misread the file."""

MONTH = re.compile(r"20[0-9]{2}-(0[1-9]|1[0-2])")


class Known(msgspec.Struct, frozen=True, array_like=True):
    """A rating as far as others follow from it."""

    elo: float
    deviation: float
    last: float | None
    """When its last game ended."""

    def rating(self) -> Rating:
        """Return it as a rating, whose games are not counted."""
        return Rating(self.elo, self.deviation, 0, self.last)


class FilePlayed(msgspec.Struct, frozen=True):
    """A ladder file that came into play, or ratings that were computed anew when a server started."""

    after: int
    """Number of the last game that had been counted by then."""
    began: float
    definition: str
    """By `server.league.ladder.definition.published_text`."""
    ratings: dict[str, Known]
    """Of everybody, as of then."""


class VersionPlayed(msgspec.Struct, frozen=True):
    """A version that came into play, and the rating with which it began."""

    player: str
    version: int
    """0 for programs of the ladder file, levels, and bots on their authors' machines."""
    after: int
    began: float
    elo: float
    deviation: float
    sha256: str
    """Of what its author had sent; empty where nothing was."""


class MonthGame(msgspec.Struct, frozen=True):
    """A game that counts."""

    number: int
    match: int
    variant: str
    opening: int
    players: tuple[str, str]
    versions: tuple[int, int]
    score: float | None
    """Of who began; None: it rates nobody."""
    termination: str
    detail: str
    plies: int
    failed: tuple[bool, bool]
    ended: float
    record: str
    """SHA-256 of its record; empty: it was not played."""
    before: tuple[tuple[float, float], tuple[float, float]]
    """Elo and deviation of both."""
    after: tuple[tuple[float, float], tuple[float, float]]

    @property
    def sentence(self) -> str:
        """Which game it is."""
        return f"game {self.number}, match {self.match}, {' against '.join(self.players)}"


class Month(msgspec.Struct, frozen=True, kw_only=True):
    """A month of the ladder, as ``ladder.json`` has it."""

    format: int
    month: str
    files: tuple[FilePlayed, ...]
    """The first one was in play when the month began."""
    opening: dict[str, Known]
    """Ratings before the first game, of everybody who plays in the month and had one."""
    in_play: dict[str, VersionPlayed]
    """The versions of these by then."""
    versions: tuple[VersionPlayed, ...]
    """Those that came into play in the month, in order."""
    games: tuple[MonthGame, ...]


def bounds(month: str) -> tuple[float, float]:
    """Return when a month begins and ends, in Unix seconds, UTC; raises `BadExport` where it is none."""
    if not MONTH.fullmatch(month):
        raise BadExport(f"a month is written as in 2026-11, and not {month!r}")
    year, number = (int(part) for part in month.split("-"))
    after = (year + 1, 1) if number == 12 else (year, number + 1)
    return datetime(year, number, 1, tzinfo=UTC).timestamp(), datetime(*after, 1, tzinfo=UTC).timestamp()


def came_into_play(files: Sequence[FilePlayed], versions: Sequence[VersionPlayed]) -> list[FilePlayed | VersionPlayed]:
    """Return what came into play, in order."""
    both: list[FilePlayed | VersionPlayed] = [*files, *versions]
    return sorted(both, key=lambda one: (one.after, one.began))
