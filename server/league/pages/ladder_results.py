"""How each version of a player of the ladder has fared: against whom, in which game and on which side, and how it lost.

Of levels, which play more than all others, the last games count: `MOST_RESULTS` that they began, and as many others.
"""

from typing import NamedTuple

from engine.duel.statistics import score_of
from server.league.accounts.accounts import Accounts

MOST_RESULTS = 10_000
"""Most games that are summed up of a player with each colour: anybody may ask, as often as limits allow."""

_OF_PLAYER = """
    SELECT * FROM (SELECT first_version AS version, second AS opponent, score, termination, failed & 1 AS failed,
        match * (record != '') AS match, variant, 0 AS side, number, first_elo AS elo, first_deviation AS deviation,
        first_elo - second_elo AS ahead
        FROM ladder_games WHERE first = ?1 ORDER BY number DESC LIMIT ?2)
    UNION ALL SELECT * FROM (SELECT second_version, first, 1 - score, termination, failed & 2, match * (record != ''),
        variant, 1, number, second_elo, second_deviation, second_elo - first_elo
        FROM ladder_games WHERE second = ?1 ORDER BY number DESC LIMIT ?2)"""
"""Games of a player, as it saw them."""

_APART = 10.0
"""Elo, within which differences of ratings are summed up together."""


class ScoreAgainst(NamedTuple):
    """Games of a version of a player against an opponent."""

    version: int
    opponent: str
    won: int
    drawn: int
    lost: int


class LostBy(NamedTuple):
    """Games of a variant that a version of a player has lost on the same side in the same way."""

    version: int
    variant: str
    side: int
    """0 where it began."""
    termination: str
    games: int
    match: int = 0
    """The last one with a record; 0 where there is none."""


class Fared(NamedTuple):
    """How a version of a player has fared in a variant on a side, and what time it took there."""

    version: int
    variant: str
    side: int
    """0 where it began."""
    won: int = 0
    drawn: int = 0
    lost: int = 0
    expected: float = 0.0
    """The points that ratings let expect."""
    moves: int = 0
    """In games of which the times are known, as those below."""
    used: int = 0
    """In microseconds, for all of these moves and the initialisation."""
    longest: int = 0
    """The turn that took most."""
    share: float = 0.0
    """The largest part of its time that it used in a game; a little more than 1 where it lost on time."""

    @property
    def games(self) -> int:
        """How many games these are."""
        return self.won + self.drawn + self.lost

    def with_more(self, other: "Fared") -> "Fared":
        """Return both together."""
        return self._replace(
            won=self.won + other.won,
            drawn=self.drawn + other.drawn,
            lost=self.lost + other.lost,
            expected=self.expected + other.expected,
            moves=self.moves + other.moves,
            used=self.used + other.used,
            longest=max(self.longest, other.longest),
            share=max(self.share, other.share),
        )


class LadderResults:
    """Results in the database of the league. Its methods may be called from any thread; all raise `BadStore`."""

    def __init__(self, accounts: Accounts) -> None:
        """Take the accounts, whose database it shares."""
        self._accounts = accounts

    def opponents(self, player: str) -> list[ScoreAgainst]:
        """Return how each version of a player has fared against each opponent, the newest version first."""
        rows = self._accounts.rows(
            f"""SELECT version, opponent, sum(score = 1), sum(score = 0.5), sum(score = 0) FROM ({_OF_PLAYER})
            WHERE score IS NOT NULL GROUP BY version, opponent ORDER BY version DESC, count(*) DESC, opponent""",
            player,
            MOST_RESULTS,
        )
        return [ScoreAgainst(*row) for row in rows]

    def losses(self, player: str) -> list[LostBy]:
        """Return how each version of a player has lost its games, the newest version and the usual way first."""
        rows = self._accounts.rows(
            f"""SELECT version, variant, side, termination, count(*), max(match) FROM ({_OF_PLAYER})
            WHERE score = 0 OR (score IS NULL AND failed) GROUP BY version, variant, side, termination
            ORDER BY version DESC, variant, side, count(*) DESC, termination""",
            player,
            MOST_RESULTS,
        )
        return [LostBy(*row) for row in rows]

    def fared(self, player: str) -> list[Fared]:
        """Return how each version of a player has fared in each variant on each side, the newest version first."""
        rows = self._accounts.rows(
            f"""SELECT version, variant, games.side, sum(score = 1), sum(score = 0.5), sum(score = 0), avg(ahead),
            sum(moves), sum(used), max(longest), max(1.0 * used / allowed)
            FROM ({_OF_PLAYER}) AS games LEFT JOIN ladder_times
            ON ladder_times.match = games.match AND ladder_times.side = games.side
            WHERE score IS NOT NULL GROUP BY version, variant, games.side, round(ahead / {_APART})
            ORDER BY version DESC, variant, games.side""",
            player,
            MOST_RESULTS,
        )
        found: dict[tuple[int, str, int], Fared] = {}
        for version, variant, side, won, drawn, lost, ahead, *times in rows:
            expected = (won + drawn + lost) * score_of(ahead)
            part = Fared(version, variant, side, won, drawn, lost, expected, *(value or 0 for value in times))
            known = found.get(part[:3])
            found[part[:3]] = part if known is None else known.with_more(part)
        return list(found.values())

    def last_ratings(self, player: str) -> dict[int, tuple[float, float]]:
        """Return Elo and deviation of each version of a player after the last of its games."""
        rows = self._accounts.rows(
            f"SELECT version, max(number), elo, deviation FROM ({_OF_PLAYER}) GROUP BY version", player, MOST_RESULTS
        )
        return {version: (elo, deviation) for version, _, elo, deviation in rows}
