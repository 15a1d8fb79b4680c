"""Syncs records and database to the disk at intervals, in a thread.

A power cut loses what was written since the last round: the last second of play. It loses no result of a contest, since
those are saved only when their records are synced (`RecordStore.sync_record`). No move waits for a round: it is
answered as soon as the operating system has it, which is enough to survive a kill of the server.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import structlog
import trio

from server.arena.arena import Arena
from server.storage.match_numbers import MatchNumbers
from server.storage.record_store import RecordStore
from server.storage.unsynced import Round, Synced

log = structlog.get_logger()

LAST_SECONDS = 10.0
"""Deadline of the last round when the server stops."""


@asynccontextmanager
async def synced(
    record_store: RecordStore, arena: Arena, store: Callable[[], None], seconds: float
) -> AsyncIterator[None]:
    """Run `keep_synced` in the background of a ``with`` block; 0 seconds turns syncing off."""
    if not seconds:
        yield
        return
    async with trio.open_nursery() as nursery:
        nursery.start_soon(keep_synced, record_store, arena, store, seconds)
        nursery.start_soon(keep_numbers, record_store.numbers, seconds)
        yield
        nursery.cancel_scope.cancel()


async def keep_synced(record_store: RecordStore, arena: Arena, store: Callable[[], None], seconds: float) -> None:
    """Sync at intervals of ``seconds`` until cancelled, and once more at the end.

    ``store`` syncs the database; it may raise OSError. A match whose record cannot be synced is annulled; others go on.
    """
    rounds = Rounds(record_store, arena, store)
    try:
        while True:
            await trio.sleep(seconds)
            await rounds.one()
    finally:
        with trio.move_on_after(LAST_SECONDS, shield=True):
            await rounds.one()
            await trio.to_thread.run_sync(rounds.close, abandon_on_cancel=True)


async def keep_numbers(numbers: MatchNumbers, seconds: float) -> None:
    """Reserve match numbers as soon as that is due, until cancelled; after a fault again in ``seconds``."""
    fault = ""
    while True:
        try:
            await numbers.reserve_when_due()
            fault = ""
        except OSError as error:
            if fault != str(error):  # once, not at every attempt
                fault = str(error)
                log.error("disk_write_failed", error=f"numbers of matches: {fault}")
            await trio.sleep(seconds)


class Rounds:
    """Runs sync rounds, one after the other."""

    def __init__(self, record_store: RecordStore, arena: Arena, store: Callable[[], None]) -> None:
        """Take the records and the database to sync, and the arena of the matches."""
        self._record_store, self._arena, self._store = record_store, arena, store
        self._logged_faults: set[str] = set()

    async def one(self) -> None:
        """Run one round: sync what was written since the last one, and log what the disk has not kept.

        Games that are played elsewhere change the database without any record growing here.
        """
        work = self._record_store.round()
        try:
            faults, synced = await trio.to_thread.run_sync(self._sync, work, abandon_on_cancel=True)
        except trio.Cancelled:
            self._record_store.restore_round(work)
            raise
        self._record_store.done(work, synced)
        if synced.failed:
            self._annul_lost(synced.failed)
        faults += [f"records cannot be put away yet: {error}" for error in synced.kept_back.values()]
        for fault in dict.fromkeys(faults):
            if fault not in self._logged_faults:  # once, not in every round
                log.error("disk_write_failed", error=fault)
        self._logged_faults = set(faults)

    def _sync(self, work: Round) -> tuple[list[str], Synced]:
        """Sync the database, then the records; return faults of the former, and the result of the latter."""
        faults = []
        try:
            self._store()
        except OSError as error:
            faults.append(f"the database: {error}")
        return faults, self._record_store.sync(work)

    def _annul_lost(self, failed: dict[int, OSError]) -> None:
        matches = sorted(failed)
        error = str(failed[matches[0]])
        log.error("records_lost", matches=matches[:20], count=len(matches), error=error)
        for match in matches:
            self._arena.annul_unsaved(match, failed[match])

    def close(self) -> None:
        """Save the last match number; no match begins any more."""
        try:
            self._record_store.numbers.release_reserved()
        except OSError as error:
            log.error("disk_write_failed", error=f"numbers of matches: {error}")
