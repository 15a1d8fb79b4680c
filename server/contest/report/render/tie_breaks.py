"""The columns of a format's table that decide the rank, in their order."""

from collections.abc import Callable
from typing import NamedTuple

from server.contest.formats.standings import Standing
from server.contest.report import formatting


class Mark(NamedTuple):
    """A column of a table."""

    head: str
    short: str
    """The head where there is little room."""
    explained: str | None
    text: Callable[[Standing], str]


_POINTS = Mark("Points", "points", None, lambda line: formatting.points(line.points))
_BERGER = Mark("S.-B.", "S.-B.", "Sonneborn-Berger", lambda line: formatting.quarters(line.sonneborn_berger))
_BUCHHOLZ = Mark("Buchholz", "Buch.", None, lambda line: formatting.points(line.buchholz))
_ROUNDS = Mark("Rounds won", "rounds", None, lambda line: str(line.rounds_won))
_RATING = Mark(
    "Rating", "Elo", "From the games of this stage alone", lambda line: formatting.elo(line.rating or 0.0)
)  # fmt: skip

_BY_FORMAT = {
    "round-robin": (_POINTS, _BERGER),
    "swiss": (_POINTS, _BUCHHOLZ, _BERGER),
    "knockout": (_ROUNDS, _POINTS),
    "gauntlet": (_RATING, _POINTS),
    "ladder": (_RATING, _POINTS),
}


def marks(format: str) -> tuple[Mark, ...]:
    """Return the columns of a format, by its word in contest files."""
    return _BY_FORMAT[format]


def with_forfeits(played: int, not_played: int) -> str:
    """Write a number of wins or losses, with unplayed games after a plus sign."""
    return f"{played}+{not_played}" if not_played else str(played)
