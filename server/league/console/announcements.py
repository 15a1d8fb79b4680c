"""Announcements of organisers: pages show them for some hours, and everybody who is connected is sent them."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import trio

from engine.wire.messages import Text
from server.arena.arena import Announcement, Arena
from server.league.accounts import Accounts, NotAllowed
from server.ops.logs import log

MAX_CHARACTERS = 300
"""Characters of an announcement, which is one line of the protocol."""

HOURS = 24.0
"""Hours that an announcement is shown, unless its author gives another number."""

MAX_HOURS = 1000.0

ANNOUNCE_SECONDS = 1.0
"""Seconds between two looks for new announcements."""


class Announcements:
    """The announcements of a data directory. Its methods may be called from any thread; all raise `BadStore`."""

    def __init__(self, accounts: Accounts, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        """Take the accounts, whose database it shares."""
        self._accounts = accounts
        self._now = now

    def current(self) -> list[Announcement]:
        """Return the announcements that are shown now, the oldest first."""
        query = "SELECT id, who, text, made, ends FROM announcements WHERE ends > ? ORDER BY id"
        return [
            Announcement(number, who, text, datetime.fromisoformat(made), datetime.fromisoformat(ends))
            for number, who, text, made, ends in self._accounts.rows(query, self._now().isoformat())
        ]

    def add(self, text: str, hours: float, by: str) -> None:
        """Announce something for some hours. Raises `NotAllowed`."""
        text = " ".join(text.split())
        if not 0 < len(text) <= MAX_CHARACTERS or not text.isprintable():
            raise NotAllowed(
                f"an announcement is one line of 1 to {MAX_CHARACTERS} characters; this one has {len(text)}"
            )
        if not 0 < hours <= MAX_HOURS:
            raise NotAllowed(f"an announcement is shown for up to {MAX_HOURS:g} hours, and not for {hours:g}")
        made = self._now()
        with self._accounts.change(by, f"announced: {text}") as database:
            database.execute(
                "INSERT INTO announcements (made, who, text, ends) VALUES (?, ?, ?, ?)",
                (made.isoformat(), by, text, (made + timedelta(hours=hours)).isoformat()),
            )

    def end(self, number: int, by: str) -> None:
        """Show an announcement no longer. Raises `NotAllowed`."""
        if all(one.number != number for one in self.current()):
            raise NotAllowed(f"there is no announcement {number} that is shown")
        with self._accounts.change(by, f"ended announcement {number}") as database:
            database.execute("UPDATE announcements SET ends = ? WHERE id = ?", (self._now().isoformat(), number))


async def keep_announced(announcements: Announcements, arena: Arena) -> None:
    """Let pages show the announcements, and send each new one to everybody who is connected, until cancelled."""
    last = max((one.number for one in announcements.current()), default=0)  # of the time before the server began
    while True:
        arena.announcements = tuple(announcements.current())
        for one in arena.announcements:
            if one.number > last:
                last = one.number
                log.info("announcement_made", who=one.who, text=repr(one.text))
                await arena.announce(Text(one.text))
        await trio.sleep(ANNOUNCE_SECONDS)
