"""What changes the ladder while it is played: pauses, its file read again, and games that are set aside.

All of it stands in the database of the league, so that the pages and the command line do the same, and the server that
plays the ladder finds it there; the audit log says who did it.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from engine.games.catalogue import variant_title
from server.config.toml_table import BadTable
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import NotAllowed

MAX_DEATHS = 3
"""A game during which so many servers have died is set aside."""

NO_LADDER = "no ladder is played here; arena-server serve --ladder FILE plays one"


class LadderState(NamedTuple):
    """How the ladder stands, whether a server plays it now or not."""

    file: str
    """The ladder file, absolute."""
    paused: str
    """Since when it is paused, and who did that, as in ``2026-11-23 10:00 UTC (teacher)``; empty: it is played."""
    reads: int
    """How often the file was to be read again."""
    fault: str
    """What is wrong with the file, while the ladder goes on by what stood there before; empty where nothing is."""


class FatalGame(NamedTuple):
    """A game during which servers have died again and again."""

    number: int
    variant: str
    players: tuple[str, str]
    versions: tuple[int, int]
    deaths: int

    @property
    def sentence(self) -> str:
        """What game it is, and why it is set aside."""
        one, other = (
            f"{name}, version {version}" if version else name
            for name, version in zip(self.players, self.versions, strict=True)
        )
        return f"{variant_title(self.variant)}, {one} – {other}: the server has died {self.deaths} times during it"


class LadderControl:
    """The controls of the ladder. Its methods may be called from any thread; all raise `BadStore`."""

    def __init__(
        self, accounts: Accounts, read_file: Callable[[Path], object], now: Callable[[], float] = time.time
    ) -> None:
        """Take the accounts, whose database it shares, what reads a ladder file, and the clock, in Unix seconds."""
        self._accounts = accounts
        self._read_file = read_file
        self._now = now

    def state(self) -> LadderState:
        """Return how the ladder stands; raises `NotAllowed` where none has ever been played."""
        rows = self._accounts.rows("SELECT file, paused, reads, fault FROM ladder_state")
        if not rows:
            raise NotAllowed(NO_LADDER)
        return LadderState(*rows[0])

    # by organisers

    def pause(self, by: str) -> str:
        """Let no game begin until `resume`, and return a sentence about that; raises `NotAllowed`."""
        if self.state().paused:
            raise NotAllowed("the ladder is paused already")
        since = f"{datetime.fromtimestamp(self._now(), UTC):%Y-%m-%d %H:%M} UTC ({by})"
        self._set(by, "paused the ladder", paused=since)
        return "the ladder was paused; games that are being played are played to their ends"

    def resume(self, by: str) -> str:
        """Let games begin again, with the ladder file as it is now, and return a sentence about that.

        Where the file is wrong, the ladder goes on as before it was changed. Raises `NotAllowed`.
        """
        if not self.state().paused:
            raise NotAllowed("the ladder is not paused")
        return f"the ladder was resumed; {self._read(by, 'resumed the ladder', paused='')}"

    def read_again(self, by: str) -> str:
        """Have the ladder file read again, and return a sentence about that; where it is wrong, nothing changes."""
        return self._read(by, "had the ladder file read again")

    def set_aside(self) -> list[FatalGame]:
        """Return the games that are set aside."""
        rows = self._accounts.rows(
            """SELECT rowid, variant, first, second, first_version, second_version, deaths FROM ladder_deaths
            WHERE deaths >= ? ORDER BY last""",
            MAX_DEATHS,
        )
        return [
            FatalGame(number, variant, (first, second), (version, other), deaths)
            for number, variant, first, second, version, other, deaths in rows
        ]

    def let_play(self, number: int, by: str) -> str:
        """Let a game be played again that was set aside, and return a sentence about that; raises `NotAllowed`."""
        found = next((game for game in self.set_aside() if game.number == number), None)
        if found is None:
            raise NotAllowed(f"no game with the number {number} is set aside")
        what = f"{variant_title(found.variant)}, {' – '.join(found.players)}"
        with self._accounts.change() as database:
            database.execute("DELETE FROM ladder_deaths WHERE rowid = ?", (number,))
            self._accounts.log(database, by, f"let a game of the ladder be played again: {what}")
        return f"the game may be played again: {what}"

    # by the server that plays it

    def begin(self, file: str) -> list[FatalGame]:
        """Note at the start of a server which file is played, and during which games the one before has died.

        Return the games that are set aside from now on.
        """
        before = {game.number for game in self.set_aside()}
        with self._accounts.change() as database:
            database.execute(
                """INSERT INTO ladder_state (id, file, paused, reads, fault) VALUES (1, ?, '', 0, '')
                ON CONFLICT (id) DO UPDATE SET file = excluded.file, fault = ''""",
                (file,),
            )
            # the names in order: after a game that was dropped colours are swapped
            database.execute(
                """INSERT INTO ladder_deaths SELECT variant, first, second, first_version, second_version, 1, ?1
                FROM ladder_running WHERE NOT is_noted AND lower(first) < lower(second)
                UNION ALL SELECT variant, second, first, second_version, first_version, 1, ?1
                FROM ladder_running WHERE NOT is_noted AND lower(first) >= lower(second)
                ON CONFLICT DO UPDATE SET deaths = deaths + 1, last = excluded.last""",
                (self._now(),),
            )
            database.execute("UPDATE ladder_running SET is_noted = 1")
        return [game for game in self.set_aside() if game.number not in before]

    def stop(self) -> None:
        """Note that the server is stopped in order: it does not die during the games that are being played."""
        with self._accounts.change() as database:
            database.execute("UPDATE ladder_running SET is_noted = 1")

    def note_fault(self, fault: str) -> None:
        """Note what is wrong with the ladder file; empty for nothing."""
        with self._accounts.change() as database:
            database.execute("UPDATE ladder_state SET fault = ?", (fault,))

    def _read(self, by: str, what: str, **values: str) -> str:
        try:
            self._read_file(Path(self.state().file))
        except BadTable as error:
            self._set(by, f"{what}; its file is wrong", fault=str(error), **values)
            return f"its file is wrong, and it goes on as before: {error}"
        self._set(by, what, reads=self.state().reads + 1, fault="", **values)
        return "its file was read again"

    def _set(self, by: str, what: str, **values: str | int) -> None:
        columns = ", ".join(f"{column} = ?" for column in values)
        with self._accounts.change() as database:
            database.execute(f"UPDATE ladder_state SET {columns}", tuple(values.values()))
            self._accounts.log(database, by, what)
