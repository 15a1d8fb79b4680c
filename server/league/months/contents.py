"""What stands in an exported month of the ladder: plain data.

It has no commands, folders or tokens of programs: `server.league.ladder.definition.published_text` leaves them out.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from server.contest.export.container import BadExport
from server.league.ladder.pairing.choosing import Candidates
from server.league.ladder.pairing.counts import KeptCounts
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
    id: int = 0
    """They count from 1, in all months; 0 in exports from before choices were kept."""


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
    id: int = 0
    """They count from 1, in all months; 0 in exports from before choices were kept."""


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


class Choice(msgspec.Struct, frozen=True, array_like=True):
    """What games were chosen by, and which. It is made again from this, and from the games before it."""

    number: int
    """They count from 1, in all months."""
    counted: int
    """Number of the last game that had been counted by then."""
    version: int
    """That of the last version that had come into play, by its ``id``."""
    file: int
    """That of the ladder file that was in play."""
    dropped: int
    """Number of the last game that had been dropped."""
    date: int
    """Unix time in seconds."""
    roster: int
    """Who could be chosen: which of the rosters."""
    slots: int
    """How many games there was room for."""
    matches: tuple[int, ...]
    """What was chosen, the most urgent first."""
    waiting: tuple[int, ...] = ()
    """Matches that ran no more, and that only a later server could count, since the disk had failed."""


class ChosenGame(msgspec.Struct, frozen=True, array_like=True):
    """A game that was chosen."""

    match: int
    variant: str
    opening: int
    first: str
    """Who began."""
    second: str
    roster: int
    """Of its choice."""


class DroppedGame(msgspec.Struct, frozen=True, array_like=True):
    """A game that was chosen and is not counted: its server died, say, or an organiser annulled it."""

    number: int
    """They count from 1, in all months."""
    match: int
    counted: int
    """Number of the last game that had been counted by then."""
    died: bool
    """Whether the server that had chosen it was gone."""
    variant: str
    first: str
    second: str


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """How the games of a month were chosen: each choice between the game before its first one and its last."""

    choices: tuple[Choice, ...]
    """In order."""
    rosters: dict[int, Candidates]
    """Who could be chosen; number 0 is of the games from before choices were kept."""
    begun: tuple[ChosenGame, ...]
    """The games that were being played at the first choice; the month before has their choices."""
    others: tuple[ChosenGame, ...]
    """Those that these choices have chosen and that are not counted in this month."""
    dropped: tuple[DroppedGame, ...]
    """In order; with those that still counted for something at the first choice."""
    counts: KeptCounts
    """As of the last game before the month."""


class Month(msgspec.Struct, frozen=True, kw_only=True):
    """A month of the ladder, as ``ladder.json`` has it."""

    format: int
    month: str
    files: tuple[FilePlayed, ...]
    """The first one was in play when the month began."""
    opening: dict[str, Known]
    """Ratings before the first game and the first choice, of everybody who could play in the month and had one."""
    in_play: dict[str, VersionPlayed]
    """The versions of these by then."""
    versions: tuple[VersionPlayed, ...]
    """Those that came into play in the month, in order."""
    games: tuple[MonthGame, ...]
    choices: Choices | None = None
    """None in exports from before choices were kept."""


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
