"""Pauses of a contest after faults that are no entrant's: each is longer than the one before."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from typing import TypeAlias

import structlog
import trio

from server.contest.report.structure import Pause
from server.contest.store.store import Store
from server.ops.faults import pause_seconds, server_fault
from server.storage.database import BadStore

log = structlog.get_logger()

FIRST_PAUSE_SECONDS = 1.0
"""Pause after the first fault."""

MAX_PAUSE_SECONDS = 60.0
"""Longest pause before something is tried again that could not be done through a fault of the server's own."""

Stored: TypeAlias = Callable[[Callable[[], None]], Awaitable[None]]
"""Does something with the store, beside the loop."""


def missing_resource(error: BaseException) -> str:
    """Return a clause about the missing resource that caused an error; empty for errors of other kinds."""
    if isinstance(error, BaseExceptionGroup):
        return next((clause for one in error.exceptions if (clause := missing_resource(one))), "")
    return str(error) if isinstance(error, BadStore) else server_fault(error)


class Pauses:
    """The pauses of a contest: the present one in memory, all in the store for the report."""

    def __init__(self, contest: int, name: str, store: Store, stored: Stored, changed: Callable[[], None]) -> None:
        """Take a contest that goes on; ``changed`` is called when a pause begins or ends."""
        self.now: Pause | None = None
        """The pause that lasts; it ends when a game is played."""
        self._contest = contest
        self._name = name
        self._store = store
        self._stored = stored
        self._changed = changed
        self._faults = 0

    async def pause(self, what: str, reason: str, **words: object) -> None:
        """Log a fault, and wait, longer each time that it comes again."""
        self._faults += 1
        log.error("contest_paused", contest=self._name, what=what, reason=reason, times=self._faults, **words)
        reason = f"{what}: {reason}"
        if self.now is None or self.now.reason != reason:
            self.now = Pause(datetime.now(UTC) if self.now is None else self.now.began, None, reason)
            self._changed()
            await self._keep(partial(self._store.pause, self._contest, reason, self.now.began))
        await trio.sleep(pause_seconds(self._faults, FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS))

    async def end(self) -> None:
        """End the pause, since a game was played."""
        self._faults = 0
        if self.now is not None:
            log.warning("contest_resumed", contest=self._name, paused_since=self.now.began.isoformat())
            self.now = None
            self._changed()
            await self._keep(partial(self._store.end_pause, self._contest, datetime.now(UTC)))

    async def _keep(self, write: Callable[[], None]) -> None:
        """Write to the store if possible; the failed disk may be the reason of the pause."""
        try:
            await self._stored(write)
        except Exception as error:
            log.error("pause_write_failed", contest=self._name, error=str(error))
