"""The choices of games in the database: each is kept with what it was made by, in one transaction with its games.

Ratings and counts follow from the games that had been counted by then, versions and ladder files from their tables; all
else that a choice depends on stands beside it. So anybody who has these can make it again (`server.league.months`).
"""

import time
from collections.abc import Callable, Collection, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec

from server.league.accounts.accounts import Accounts
from server.league.ladder.pairing.choosing import DROPPED_MEMORY, Candidates, Known
from server.league.ladder.pairing.counts import GameCounts
from server.league.ladder.pairing.scheduler import Pairing
from server.league.ladder.players import LadderPlayer, Rating
from server.league.ladder.store import GAMES_AT_A_TIME, BegunGame, insert_begun
from server.ops.typed_json import decode

_LAST_ROWS = """SELECT (SELECT coalesce(max(number), 0) FROM ladder_games),
    (SELECT coalesce(max(id), 0) FROM ladder_versions), (SELECT coalesce(max(id), 0) FROM ladder_files),
    (SELECT coalesce(max(id), 0) FROM ladder_dropped), (SELECT coalesce(max(id), 0) FROM ladder_choices)"""

MAX_ROSTERS = 100
"""So many lists of candidates are kept in memory."""


class Moment(NamedTuple):
    """A moment at which games may be chosen."""

    last: tuple[int, int, int, int, int]
    """The last game that was counted, version, ladder file, dropped game, and choice: other ones, another moment."""
    date: int
    """Unix time in seconds, not before the last game has ended."""
    known: Known


class Choices:
    """The choices in the database. Methods may be called from any thread, one at a time; all raise `BadStore`."""

    def __init__(self, accounts: Accounts, now: Callable[[], float] = time.time) -> None:
        """Take the accounts, whose database it shares, and the clock, in Unix seconds."""
        self._accounts = accounts
        self._now = now
        self._counts = CountedSoFar(accounts)

    def moment(self) -> Moment:
        """Return what is known now; the first time all games are counted up, which takes seconds for many."""
        last = tuple(self._accounts.rows(_LAST_ROWS)[0])
        counted = last[0]
        rows = self._accounts.rows("SELECT name, elo, deviation, games, last FROM ladder_players")
        ratings = {name: Rating(*rating) for name, *rating in rows}
        running = self._accounts.rows("SELECT match, variant, first, second FROM ladder_running")
        dropped = self._accounts.rows(
            "SELECT variant, first, second FROM ladder_dropped WHERE died AND counted > ? ORDER BY id",
            counted - DROPPED_MEMORY,
        )
        ended = self._accounts.rows("SELECT ended FROM ladder_games WHERE number = ?", counted)
        known = Known(
            ratings,
            self._counts.until(counted),
            {match: Pairing(*pairing) for match, *pairing in running},
            [Pairing(*pairing) for pairing in dropped],
        )
        return Moment(last, max([int(self._now()), *(int(date) for (date,) in ended)]), known)

    def keep(
        self,
        moment: Moment,
        those: Candidates,
        slots: int,
        waiting: Collection[int],
        games: Sequence[BegunGame],
    ) -> bool:
        """Keep a choice and its games, before they begin; return False, and keep nothing, if the moment is over."""
        with self._accounts.change() as database:
            if database.execute(_LAST_ROWS).fetchone() != moment.last:
                return False
            text = msgspec.json.encode(those)
            digest = sha256(text).digest()
            database.execute(
                "INSERT OR IGNORE INTO ladder_rosters (sha256, players) VALUES (?, ?)", (digest, text.decode())
            )
            (roster,) = database.execute("SELECT id FROM ladder_rosters WHERE sha256 = ?", (digest,)).fetchone()
            left = msgspec.json.encode(sorted(waiting)).decode() if waiting else ""
            number = database.execute(
                """INSERT INTO ladder_choices (counted, version, file, dropped, date, roster, slots, waiting)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
                (*moment.last[:4], moment.date, roster, slots, left),
            ).lastrowid
            assert number is not None
            for game in games:
                insert_begun(database, game, number)
        return True


class CountedSoFar:
    """Counts of the games in the database, in their order, each as of the owners that bots had when it was chosen."""

    def __init__(self, accounts: Accounts) -> None:
        """Take the accounts, whose database has the games."""
        self._accounts = accounts
        self._counts = GameCounts()
        self._number = 0
        self._rosters: dict[int, dict[str, LadderPlayer]] = {}

    def until(self, number: int) -> GameCounts:
        """Return the counts of the games up to a number, which is not lower than the last time. They go on changing."""
        while rows := self._next(number):
            for self._number, roster, variant, first, second in rows:
                self._counts.add(self._players(roster), variant, first, second)
        return self._counts

    def _next(self, number: int) -> list[Any]:
        return self._accounts.rows(
            """SELECT number, roster, variant, first, second
            FROM ladder_games JOIN ladder_choices ON ladder_choices.id = choice
            WHERE number > ? AND number <= ? ORDER BY number LIMIT ?""",
            self._number,
            number,
            GAMES_AT_A_TIME,
        )

    def _players(self, roster: int) -> dict[str, LadderPlayer]:
        if roster not in self._rosters:
            if len(self._rosters) >= MAX_ROSTERS:
                self._rosters.clear()
            self._rosters[roster] = read_roster(self._accounts, roster).by_name()
        return self._rosters[roster]


def read_roster(accounts: Accounts, number: int) -> Candidates:
    """Return a list of candidates by its number."""
    ((text,),) = accounts.rows("SELECT players FROM ladder_rosters WHERE id = ?", number)
    return decode(text, type=Candidates)
