"""The ratings of all players of a game, from all games of it in the index, by the model of contests.

Elo against the average of those who are rated: `RATED` players with the most games, since the time that it takes grows
with their cube.
"""

import sqlite3
from collections import Counter, defaultdict
from typing import NamedTuple

from engine.games.catalogue import GAMES
from server.contest.scoring.strength_model import ELO, Data, data, fit

RATED = 300
"""Players of a game that are rated."""


class Rateable(NamedTuple):
    """The games of a kind between players who are rated."""

    names: tuple[str, ...]
    """Keys of the players."""
    variants: int
    results: tuple[tuple[int, tuple[int, int, int, int | None]], ...]
    """Matches, each with what `server.contest.scoring.strength_model.data` takes, the oldest first."""

    def until(self, match: int) -> Data:
        """Return the results up to a match."""
        results = [result for number, result in self.results if number <= match]
        return data(len(self.names), self.variants, results)


def rateable(connection: sqlite3.Connection, game: str, wanted: str = "") -> Rateable:
    """Return what the players of a game can be rated by; one that is ``wanted`` is among them in any case."""
    rows = connection.execute(
        "SELECT match, first_key, second_key, parameters, winner FROM games"
        " WHERE game = ? AND result <> 'annulled' AND first_key <> second_key ORDER BY match",
        (game,),
    ).fetchall()
    counted = Counter(name for row in rows for name in row[1:3])
    wished = [wanted] if wanted else []
    names = [*wished, *(name for name, _ in counted.most_common(RATED) if name != wanted)][:RATED]
    places = {name: place for place, name in enumerate(names)}
    variants: dict[str, int] = defaultdict(lambda: len(variants))
    results = tuple(
        (match, (places[first], places[second], variants[parameters], winner))
        for match, first, second, parameters, winner in rows
        if first in places and second in places
    )
    return Rateable(tuple(names), len(variants), results)


def rate(connection: sqlite3.Connection) -> None:
    """Write the ratings of all players anew."""
    connection.execute("DELETE FROM strengths")
    for game in GAMES:
        found = rateable(connection, game)
        if found.results:
            values = fit(found.until(found.results[-1][0])).values
            rows = [(game, name, ELO * float(value)) for name, value in zip(found.names, values, strict=False)]
            connection.executemany("INSERT INTO strengths VALUES (?, ?, ?)", rows)
