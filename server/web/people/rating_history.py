"""Ratings of a player over time, which the index keeps: a rating after a game never changes, unless older games come.

Each is computed once, when somebody first looks at the player (`server.web.people.database` has the table, and forgets
what games that come or go have made untrue). A player with more games has more of them to show at first, then some of
the same: every second one is left out whenever there would be more than `POINTS`.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

import msgspec

from server.contest.scoring.ratings import Rating, standing
from server.web.people.search import Row
from server.web.people.strengths import rateable

POINTS = 6
"""Ratings of a game over time, at the most."""


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """A rating as it stood after a game."""

    match: int
    started: str
    rating: Rating


class Rated(msgspec.Struct, frozen=True, kw_only=True):
    """The ratings of a player in a game."""

    game: str
    players: int
    """How many are rated."""
    points: tuple[Point, ...]
    """The oldest first."""


class _Known(NamedTuple):
    """A rating, and how many players are rated with this one."""

    match: int
    players: int
    elo: float
    low: float
    high: float
    games: int

    def rating(self, name: str) -> Rating:
        """Return the rating as pages show it."""
        return Rating(name=name, elo=self.elo, low=self.low, high=self.high, games=self.games)


def stops(games: int) -> list[int]:
    """Return the numbers of games, ascending, after which a player with some games is rated: the last one is all."""
    step = 1
    while -(-games // step) > POINTS:
        step *= 2
    before = [number for number in range(step, games, step) if games - number >= step / 2]
    return [*before, games] if games else []


def rating_history(connection: sqlite3.Connection, game: str, key: str, mine: Sequence[Row]) -> Rated | None:
    """Return the ratings of a player in a game over time; None who has played nobody else there.

    ``mine`` are its games, the oldest first. What had to be computed is kept in the index, for which the caller has
    begun to read within a transaction.
    """
    played = [row for row in mine if row.players[0].lower() != row.players[1].lower()]
    wanted = {played[number - 1].match: played[number - 1].started for number in stops(len(played))}
    if not wanted:
        return None
    known = {
        row[0]: _Known(*row)
        for row in connection.execute(
            "SELECT match, players, elo, low, high, games FROM main.ratings WHERE game = ? AND player = ?", (game, key)
        )
    }
    missing = [match for match in wanted if match not in known]
    if missing:
        found = _rated(connection, game, key, missing)
        known |= {one.match: one for one in found}
        _keep(connection, game, key, found)
    points = (Point(match=match, started=started, rating=known[match].rating(key)) for match, started in wanted.items())
    return Rated(game=game, players=known[played[-1].match].players, points=tuple(points))


def _rated(connection: sqlite3.Connection, game: str, key: str, matches: Sequence[int]) -> list[_Known]:
    """Return the ratings of a player after each of some matches."""
    games, found = rateable(connection, game), []
    for match in matches:
        names, given = games.until(match, key)
        rating = standing(given, key, names.index(key))
        assert rating.low is not None and rating.high is not None
        found.append(_Known(match, len(names), rating.elo, rating.low, rating.high, rating.games))
    return found


def _keep(connection: sqlite3.Connection, game: str, key: str, found: Sequence[_Known]) -> None:
    """Keep ratings, unless the index has other games by now, or is being written to: they are computed again then."""
    connection.execute("PRAGMA busy_timeout = 0")
    with suppress(sqlite3.OperationalError):
        connection.executemany(
            "INSERT INTO main.ratings (game, player, match, players, elo, low, high, games)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(game, key, *one) for one in found],
        )
