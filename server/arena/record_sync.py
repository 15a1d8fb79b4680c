"""Brings what was written to the disk, again and again, beside the event loop.

A power cut costs what was written since the last round: the last second of play. It costs no result of a contest, since
those are kept only when their records are on the disk (`server.storage.record_store.RecordStore.settle`). Nobody waits
for a round: a move is answered as soon as the operating system has it, from which a kill of the server takes nothing.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import structlog
import trio

from server.arena.arena import Arena
from server.storage.record_store import RecordStore
from server.storage.unsynced import Round, Synced

log = structlog.get_logger()

LAST_SECONDS = 10.0
"""What the disk gets for the last round when the server stops."""


@asynccontextmanager
async def synced(
    record_store: RecordStore, arena: Arena, store: Callable[[], None], seconds: float
) -> AsyncIterator[None]:
    """Keep all synced while the ``with`` lasts, as `keep_synced` says, and at its end; 0 seconds: never."""
    if not seconds:
        yield
        return
    async with trio.open_nursery() as nursery:
        nursery.start_soon(keep_synced, record_store, arena, store, seconds)
        yield
        nursery.cancel_scope.cancel()


async def keep_synced(record_store: RecordStore, arena: Arena, store: Callable[[], None], seconds: float) -> None:
    """Sync until cancelled, so many seconds after the last round, and once more at the end.

    ``store`` syncs the database, and raises OSError where that fails. A match of which the disk does not take what was
    written is annulled; others go on.
    """
    rounds = Rounds(record_store, arena, store)
    try:
        while True:
            await trio.sleep(seconds)
            await rounds.one()
    finally:
        with trio.CancelScope(shield=True, deadline=trio.current_time() + LAST_SECONDS):
            await rounds.one()
            await trio.to_thread.run_sync(rounds.close, abandon_on_cancel=True)


class Rounds:
    """Rounds of syncing, one after the other."""

    def __init__(self, record_store: RecordStore, arena: Arena, store: Callable[[], None]) -> None:
        """Take what is to be synced, and the arena whose matches it is."""
        self._record_store, self._arena, self._store = record_store, arena, store
        self._told: set[str] = set()

    async def one(self) -> None:
        """Sync what was written since the last round; says in the log what the disk has not kept.

        Games that are played elsewhere take numbers, and stand in the database, also where no record has grown here.
        """
        work = self._record_store.round()
        try:
            faults, synced = await trio.to_thread.run_sync(self._sync, work, abandon_on_cancel=True)
        except trio.Cancelled:
            self._record_store.put_back(work)
            raise
        self._record_store.done(work, synced)
        if synced.failed:
            self._not_kept(synced.failed)
        faults += [f"records cannot be put away yet: {error}" for error in synced.kept_back.values()]
        for fault in dict.fromkeys(faults):
            if fault not in self._told:  # not every second
                log.error("disk_write_failed", error=fault)
        self._told = set(faults)

    def _sync(self, work: Round) -> tuple[list[str], Synced]:
        """Sync the database before the records: a game that has one is known there; return what else went wrong."""
        faults = []
        for what, do in (("the database", self._store), ("numbers of matches", self._record_store.reserve)):
            try:
                do()
            except OSError as error:
                faults.append(f"{what}: {error}")
        return faults, self._record_store.sync(work)

    def _not_kept(self, failed: dict[int, OSError]) -> None:
        matches = sorted(failed)
        error = str(failed[matches[0]])
        log.error("records_lost", matches=matches[:20], count=len(matches), error=error)
        for match in matches:
            self._arena.not_kept(match, failed[match])

    def close(self) -> None:
        """Keep the last number, since no match begins any more."""
        try:
            self._record_store.close_numbers()
        except OSError as error:
            log.error("disk_write_failed", error=f"numbers of matches: {error}")
