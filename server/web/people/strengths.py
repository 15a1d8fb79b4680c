"""The ratings of players of a game, from the games of it in the index, by the model of contests.

Elo against the average of those who are rated: `RATED` players with the most games, since the time that it takes grows
with their cube.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from engine.games.catalogue import GAMES
from server.contest.scoring.ratings import ELO, Data, fit

if TYPE_CHECKING:  # a process that only searches does without it
    import numpy
    from numpy.typing import NDArray

RATED = 300
"""Players of a game that are rated."""

RESULTS = 3
"""A game was won by who began, drawn, or lost."""


class Rateable(NamedTuple):
    """The games of a kind between different players, the oldest first: a column a property, a row a game."""

    names: tuple[str, ...]
    """Keys of the players, who are numbered by their places here."""
    matches: "NDArray[numpy.int64]"
    first: "NDArray[numpy.int64]"
    second: "NDArray[numpy.int64]"
    variant: "NDArray[numpy.int64]"
    result: "NDArray[numpy.int64]"
    """0, 1 and 2 for games that who began has won, drawn and lost."""

    def until(self, match: int | None = None, wanted: str = "") -> tuple[tuple[str, ...], Data]:
        """Return who is rated by the games up to a match, or by all, and the results between them.

        One that is ``wanted`` is among them in any case.
        """
        import numpy

        end = len(self.matches) if match is None else int(numpy.searchsorted(self.matches, match, "right"))
        first, second, variant, result = (column[:end] for column in self[2:])
        games = numpy.bincount(numpy.concatenate([first, second]), minlength=len(self.names))
        if wanted in self.names:
            games[self.names.index(wanted)] += 2 * end
        rated = numpy.argsort(-games, kind="stable")[: min(RATED, numpy.count_nonzero(games))]
        place = numpy.full(len(self.names), -1)
        place[rated] = numpy.arange(len(rated))
        known, variant = numpy.unique(variant, return_inverse=True)
        pair = (place[first] * len(rated) + place[second]) * len(known) + variant
        between = (place[first] >= 0) & (place[second] >= 0)
        pairs, entry = numpy.unique(pair[between], return_inverse=True)
        counts = numpy.bincount(entry * RESULTS + result[between], minlength=RESULTS * len(pairs))
        won, drawn, lost = counts.reshape(-1, RESULTS).T.astype(numpy.float64)
        both, variant = numpy.divmod(pairs, max(1, len(known)))
        places = numpy.divmod(both, max(1, len(rated)))
        return tuple(self.names[one] for one in rated), Data(len(rated), len(known), *places, variant, won, drawn, lost)


def rateable(connection: sqlite3.Connection, game: str) -> Rateable:
    """Return what the players of a game can be rated by."""
    import numpy

    columns = zip(
        *connection.execute(
            "SELECT match, first_key, second_key, parameters, ifnull(2 * winner, 1) FROM main.games"
            " WHERE game = ? AND result <> 'annulled' AND first_key <> second_key ORDER BY match",
            (game,),
        ),
        strict=True,
    )
    matches, first, second, variant, result = tuple(columns) or ((), (), (), (), ())
    names = tuple(dict.fromkeys([*first, *second]))

    def numbered(values: Sequence[str], known: Iterable[str]) -> "NDArray[numpy.int64]":
        places = {value: place for place, value in enumerate(known)}
        return numpy.array([places[value] for value in values], dtype=numpy.int64)

    return Rateable(
        names,
        numpy.array(matches, dtype=numpy.int64),
        numbered(first, names),
        numbered(second, names),
        numbered(variant, dict.fromkeys(variant)),
        numpy.array(result, dtype=numpy.int64),
    )


def rate(connection: sqlite3.Connection) -> None:
    """Write the ratings of all players anew."""
    connection.execute("DELETE FROM main.strengths")
    for game in GAMES:
        found = rateable(connection, game)
        if found.names:
            names, given = found.until()
            values = fit(given).values
            rows = [(game, name, ELO * float(value)) for name, value in zip(names, values, strict=False)]
            connection.executemany("INSERT INTO strengths VALUES (?, ?, ?)", rows)
