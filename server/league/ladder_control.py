"""What changes the ladder while it is played: pauses, after which its file is read again.

All of it stands in the database of the league, so that the pages and the command line do the same, and the server that
plays the ladder finds it there; the audit log says who did it.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from server.config.declared import BadTable
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import NotAllowed

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
        try:
            self._read_file(Path(self.state().file))
        except BadTable as error:
            self._set(by, "resumed the ladder; its file is wrong", paused="", fault=str(error))
            return f"the ladder was resumed; its file is wrong, and it goes on as before: {error}"
        self._set(by, "resumed the ladder", paused="", reads=self.state().reads + 1, fault="")
        return "the ladder was resumed; its file was read again"

    # by the server that plays it

    def begin(self, file: str) -> None:
        """Note at the start of a server which file is played."""
        with self._accounts.change() as database:
            database.execute(
                """INSERT INTO ladder_state (id, file, paused, reads, fault) VALUES (1, ?, '', 0, '')
                ON CONFLICT (id) DO UPDATE SET file = excluded.file, fault = ''""",
                (file,),
            )

    def note_fault(self, fault: str) -> None:
        """Note what is wrong with the ladder file; empty for nothing."""
        with self._accounts.change() as database:
            database.execute("UPDATE ladder_state SET fault = ?", (fault,))

    def _set(self, by: str, what: str, **values: str | int) -> None:
        columns = ", ".join(f"{column} = ?" for column in values)
        with self._accounts.change() as database:
            database.execute(f"UPDATE ladder_state SET {columns}", tuple(values.values()))
            self._accounts.log(database, by, what)
