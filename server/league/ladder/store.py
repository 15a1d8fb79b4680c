"""The ratings of the ladder, in the database of the league. They follow from the results in the store of contests.

A result that counts is rated once, in one transaction with all that follows from it: the ratings of both players, and
their failures in a row.
"""

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Any, NamedTuple

from engine.games.interface import ANNULLED, ENDED_PROGRAM, Termination
from engine.statistics.online import (
    LadderGame,
    LadderPlayer,
    OnlineRating,
    VersionStart,
    rate,
    start_of_version,
    starting,
    update,
)
from server.contest.fixtures import SET_ASIDE, GameResult
from server.contest.store.store import FILE, LADDER, Store
from server.league.accounts import Accounts
from server.league.ladder.pairing import GameCounts
from server.ops.logs import log

GAMES_AT_A_TIME = 10_000
"""So many games are read at a time where all are."""

_STANDINGS = "SELECT name, owner, version, elo, deviation, games, last, failures, rests FROM ladder_players"

_GAME = """number, variant, first, second, first_version, second_version, score, ended,
    first_elo, first_deviation, second_elo, second_deviation"""


_LAST = "SELECT coalesce(max(number), 0) FROM ladder_games"


class LadderStanding(NamedTuple):
    """A player of the ladder, also one who has left it."""

    name: str
    owner: str
    version: int
    """Number of the version that plays; 0 for programs of the ladder file and levels."""
    rating: OnlineRating
    """As of the last game, without what time adds to its deviation."""
    failures: int
    """Games in a row in which it did not start, or did not stay alive."""
    rests: str
    """Why it does not play; empty where it does."""


class CountedGame(NamedTuple):
    """A game that counts, and the ratings after it."""

    number: int
    """The number of its result in the store of contests."""
    result: GameResult
    variant: str
    versions: tuple[int, int]
    """The versions of both players."""
    score: float | None
    """Score of the player that began; None: the game rates nobody."""
    date: float
    ratings: tuple[tuple[float, float], tuple[float, float]]
    """Elo and deviation of both."""


class VersionInPlay(NamedTuple):
    """A version that came into play."""

    version: int
    after: int
    """Number of the last game that had been counted by then."""
    began: float
    elo: float
    deviation: float


MOST_RESULTS = 10_000
"""Most games that are summed up of a player with each colour: anybody may ask, as often as limits allow."""

_OF_PLAYER = """
    SELECT * FROM (SELECT first_version AS version, second AS opponent, score, number, first_elo AS elo,
        first_deviation AS deviation FROM ladder_games WHERE first = ?1 ORDER BY number DESC LIMIT ?2)
    UNION ALL SELECT * FROM (SELECT second_version, first, 1 - score, number, second_elo, second_deviation
        FROM ladder_games WHERE second = ?1 ORDER BY number DESC LIMIT ?2)"""
"""Games of a player, as it saw them."""


class ScoreAgainst(NamedTuple):
    """Games of a version of a player against an opponent."""

    version: int
    opponent: str
    won: int
    drawn: int
    lost: int


class LadderStore:
    """The ladder in the database. Its methods may be called from any thread; all raise `BadStore`.

    As of `Accounts`, what changes something may wait for the disk.
    """

    def __init__(self, accounts: Accounts, data: Path, now: Callable[[], float] = time.time) -> None:
        """Take the accounts, whose database it shares, the data directory, and the clock, in Unix seconds."""
        self._accounts = accounts
        self._path = data / FILE
        self._now = now

    # players

    def seat(self, player: LadderPlayer, version: int, players: Mapping[str, LadderPlayer]) -> None:
        """Bring a version of a player into play; nothing changes where it is already.

        A newcomer begins as `starting` says, a new version with the rating of the one before and more uncertainty.
        """
        with self._accounts.change() as database:
            if (before := _player(database, player.name)) is not None and before.version == version:
                if before.owner != player.owner:
                    database.execute("UPDATE ladder_players SET owner = ? WHERE name = ?", (player.owner, player.name))
                if player.anchor not in (None, before.rating.elo):
                    database.execute("UPDATE ladder_players SET elo = ? WHERE name = ?", (player.anchor, player.name))
                return
            (last,) = database.execute(_LAST).fetchone()
            rating = starting(players, player.name) if before is None else start_of_version(before.rating)
            database.execute(
                """INSERT INTO ladder_players VALUES (?, ?, ?, ?, ?, ?, ?, 0, '')
                ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, version = excluded.version,
                elo = excluded.elo, deviation = excluded.deviation, games = excluded.games, failures = 0, rests = ''""",
                (player.name, player.owner, version, rating.elo, rating.deviation, rating.games, rating.last),
            )
            database.execute(
                "INSERT INTO ladder_versions (player, version, after, began, elo, deviation) VALUES (?, ?, ?, ?, ?, ?)",
                (player.name, version, last, self._now(), rating.elo, rating.deviation),
            )

    def standings(self) -> list[LadderStanding]:
        """Return everybody who has ever been on the ladder, the strongest first."""
        return list(map(_standing, self._accounts.rows(f"{_STANDINGS} ORDER BY elo DESC, name")))

    def standing(self, name: str) -> LadderStanding | None:
        """Return a player; None where there has been none of that name."""
        return next(map(_standing, self._accounts.rows(f"{_STANDINGS} WHERE name = ?", name)), None)

    def wake(self, name: str, by: str) -> None:
        """Let a player that rests play again."""
        with self._accounts.change() as database:
            if database.execute(
                "UPDATE ladder_players SET rests = '', failures = 0 WHERE name = ? AND rests != ''", (name,)
            ).rowcount:
                self._accounts.log(database, by, f"let {name} play on the ladder again")

    # games

    def rate_results(self, players: Mapping[str, LadderPlayer], rests_after: int) -> list[CountedGame]:
        """Rate the next results that are not rated yet, without those of annulled matches, and return the games.

        Players who have failed ``rests_after`` times in a row rest from now on. To be called by one thread at a time.
        """
        number, counted, resting = int(self._accounts.rows(_LAST)[0][0]), list[CountedGame](), list[dict[str, Any]]()
        with self._contests() as contests:
            while not counted and (results := contests.results_after(LADDER, number, GAMES_AT_A_TIME)):
                variants = contests.opened_with(LADDER)[1].variants
                with self._accounts.change() as database:
                    for number, result in results:
                        if result.termination in ANNULLED:
                            continue
                        variant = variants[result.fixture.variant].name
                        counted.append(self._rate(database, number, variant, result, players))
                        for side, name in enumerate(result.fixture.players):
                            if not has_failed(result, side):
                                database.execute("UPDATE ladder_players SET failures = 0 WHERE name = ?", (name,))
                            elif self._count_failure(database, name, rests_after, result.detail):
                                resting.append({"name": name, "match": result.match, "termination": result.termination})
        for one in resting:
            log.warning("ladder_player_rests", **one)
        return counted

    def _rate(
        self,
        database: sqlite3.Connection,
        number: int,
        variant: str,
        result: GameResult,
        players: Mapping[str, LadderPlayer],
    ) -> CountedGame:
        """Store the ratings after a game."""
        names, score = result.fixture.players, score_of(result)
        (last,) = database.execute("SELECT coalesce(max(ended), 0) FROM ladder_games").fetchone()
        date = max(self._now(), last)  # clocks of machines are set back at times
        before = [_player(database, name) for name in names]
        ratings = {one.name: one.rating for one in before if one is not None}
        if score is not None:
            ratings |= update(ratings, LadderGame(number, variant, *names, score, date), players)
        after = [ratings.get(name) or starting(players, name) for name in names]
        for name, rating in zip(names, after, strict=True):
            self._keep_rating(database, name, rating)
        row = (number, variant, *names, *(0 if one is None else one.version for one in before), score, date)
        row = (*row, *(value for rating in after for value in (rating.elo, rating.deviation)))
        database.execute(f"INSERT INTO ladder_games ({_GAME}) VALUES ({', '.join('?' for _ in row)})", row)
        return _counted(row, result)

    def _keep_rating(self, database: sqlite3.Connection, name: str, rating: OnlineRating) -> None:
        database.execute(
            "UPDATE ladder_players SET elo = ?, deviation = ?, games = ?, last = ? WHERE name = ?",
            (rating.elo, rating.deviation, rating.games, rating.last, name),
        )

    def _count_failure(self, database: sqlite3.Connection, name: str, rests_after: int, detail: str) -> bool:
        """Count a failure; tell whether the player rests because of it."""
        database.execute("UPDATE ladder_players SET failures = failures + 1 WHERE name = ?", (name,))
        if (found := _player(database, name)) is None or found.failures < rests_after or found.rests:
            return False
        many = f"it has failed {found.failures} times in a row, the last time so: {detail}"
        sentence = f"it has failed: {detail}" if found.failures == 1 else many
        database.execute("UPDATE ladder_players SET rests = ? WHERE name = ?", (sentence, name))
        return True

    def each_game(self, *, rated: bool = True) -> Iterator[LadderGame]:
        """Yield all games in the order in which they were counted, or only those that rate somebody.

        They are read some at a time: a year of them would take the memory of the server.
        """
        number = 0
        while rows := self._accounts.rows(
            """SELECT number, variant, first, second, score, ended FROM ladder_games
            WHERE (score IS NOT NULL OR NOT ?) AND number > ? ORDER BY number LIMIT ?""",
            rated,
            number,
            GAMES_AT_A_TIME,
        ):
            yield from (LadderGame(*row) for row in rows)
            number = rows[-1][0]

    def owned(self) -> dict[str, LadderPlayer]:
        """Return the players that belong to somebody, by name; also those who have left the ladder."""
        return {one.name: LadderPlayer(one.name, one.owner) for one in self.standings() if one.owner}

    def game_counts(self, players: Mapping[str, LadderPlayer]) -> GameCounts:
        """Return the counts of all games by which the next ones are chosen; takes seconds for many games."""
        counts = GameCounts()
        for game in self.each_game(rated=False):
            counts.add(players, game.variant, game.first, game.second)
        return counts

    def number_since(self, date: float) -> int:
        """Return how many games were counted from a date on."""
        return int(self._accounts.rows("SELECT count(*) FROM ladder_games WHERE ended >= ?", date)[0][0])

    def starts(self) -> list[VersionStart]:
        """Return when versions replaced others, in order."""
        rows = self._accounts.rows(
            """SELECT player, after FROM ladder_versions
            WHERE id NOT IN (SELECT min(id) FROM ladder_versions GROUP BY player) ORDER BY id"""
        )
        return [VersionStart(*row) for row in rows]

    def rate_again(self, players: Mapping[str, LadderPlayer]) -> int:
        """Rate all counted games anew, from the first one on, and return how many ratings change.

        They do where fixed points stand elsewhere than before, or where an earlier server rated otherwise. Must not run
        while games are counted; takes seconds for many.
        """
        with self._contests() as contests, self._accounts.change() as database:  # a backup may lack the last results
            database.execute("DELETE FROM ladder_games WHERE number > ?", (contests.last_result(),))
        ratings = rate(self.each_game(), players, self.starts())
        changed = [
            (one.name, rating)
            for one in self.standings()
            if (rating := ratings.get(one.name)) is not None and rating != one.rating
        ]
        with self._accounts.change() as database:
            for name, rating in changed:
                self._keep_rating(database, name, rating)
        return len(changed)

    def last_games(self, most: int, player: str = "") -> list[CountedGame]:
        """Return the games that were counted last, of everybody or of one player, the newest first."""
        if player:
            rows = self._accounts.rows(
                f"""SELECT {_GAME} FROM ladder_games WHERE first = ?1
                UNION ALL SELECT {_GAME} FROM ladder_games WHERE second = ?1 ORDER BY number DESC LIMIT ?2""",
                player,
                most,
            )
        else:
            rows = self._accounts.rows(f"SELECT {_GAME} FROM ladder_games ORDER BY number DESC LIMIT ?", most)
        return self._with_results(rows)

    def rated_games(self, player: str, version: int, opponent: str) -> list[CountedGame]:
        """Return the games of a version of a player against an opponent that rate somebody, in order."""
        rows = self._accounts.rows(
            f"""SELECT {_GAME} FROM ladder_games WHERE score IS NOT NULL AND (first = ?1 AND first_version = ?2
            AND second = ?3 OR second = ?1 AND second_version = ?2 AND first = ?3) ORDER BY number""",
            player,
            version,
            opponent,
        )
        return self._with_results(rows)

    def _with_results(self, rows: Iterable[Any]) -> list[CountedGame]:
        with self._contests() as contests:
            return [_counted(row, contests.result(row[0])) for row in rows]

    def _contests(self) -> AbstractContextManager[Store]:
        """Open the store of contests, which has the results."""
        return closing(Store(self._path))

    def versions(self, player: str) -> list[VersionInPlay]:
        """Return the versions of a player that came into play, in order."""
        rows = self._accounts.rows(
            "SELECT version, after, began, elo, deviation FROM ladder_versions WHERE player = ? ORDER BY id", player
        )
        return [VersionInPlay(*row) for row in rows]

    def opponents(self, player: str) -> list[ScoreAgainst]:
        """Return how each version of a player has fared against each opponent, the newest version first."""
        rows = self._accounts.rows(
            f"""SELECT version, opponent, sum(score = 1), sum(score = 0.5), sum(score = 0) FROM ({_OF_PLAYER})
            WHERE score IS NOT NULL GROUP BY version, opponent ORDER BY version DESC, count(*) DESC, opponent""",
            player,
            MOST_RESULTS,
        )
        return [ScoreAgainst(*row) for row in rows]

    def last_ratings(self, player: str) -> dict[int, tuple[float, float]]:
        """Return Elo and deviation of each version of a player after the last of its games."""
        rows = self._accounts.rows(
            f"SELECT version, max(number), elo, deviation FROM ({_OF_PLAYER}) GROUP BY version", player, MOST_RESULTS
        )
        return {version: (elo, deviation) for version, _, elo, deviation in rows}


def _player(database: sqlite3.Connection, name: str) -> LadderStanding | None:
    return next(map(_standing, database.execute(f"{_STANDINGS} WHERE name = ?", (name,))), None)


def _standing(row: Any) -> LadderStanding:
    name, owner, version, elo, deviation, games, last, failures, rests = row
    return LadderStanding(name, owner, version, OnlineRating(elo, deviation, games, last), failures, rests)


def _counted(row: Any, result: GameResult) -> CountedGame:
    number, variant, _, _, first_version, second_version, score, date, *ratings = row
    return CountedGame(
        number, result, variant, (first_version, second_version), score, date,
        ((ratings[0], ratings[1]), (ratings[2], ratings[3])),
    )  # fmt: skip


def score_of(result: GameResult) -> float | None:
    """Return the score of the side that began, 0 to 1; None where the game rates nobody.

    A game that was not played rates nobody, as in contests: a program that does not start shows no strength.
    """
    return result.points(0) if result.played and (result.winner is not None or result.shared) else None


def has_failed(result: GameResult, side: int) -> bool:
    """Tell whether a side did not start, or did not stay alive: it is of no use, rather than a bad player."""
    if result.winner == side or result.termination == SET_ASIDE:
        return False
    never_ready = result.termination == Termination.TIME and not result.ready[side]
    return (result.winner is not None and (never_ready or result.termination in ENDED_PROGRAM)) or not result.played
