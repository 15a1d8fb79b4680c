"""The journals of the arena: resumed when the server starts, and synced to the disk at intervals, in a thread.

A power cut loses what was written since the last round: the last second of play. It loses no result of a contest, since
those are saved only when their records are synced (`RecordStore.sync_record`). No move waits for a round. It
is answered as soon as the operating system has it, which survives a kill of the server.
"""

from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from datetime import datetime

import trio

from engine.match import recovery
from server.arena.arena import Arena
from server.ops.logs import log
from server.storage.disk import Synced, SyncRound
from server.storage.record_store import RecordStore


def resume_matches(
    arena: Arena, record_store: RecordStore, date: Callable[[], datetime], kept: Collection[int] = ()
) -> None:
    """Resume, end or quarantine every match in ``running/``; raises no error for a single match.

    ``date`` returns the present time: stamps of a match count on from its start. Matches in ``kept`` have a result in a
    contest: these are over, whatever their journals say.
    """
    leftovers: list[tuple[int, recovery.Leftover]] = []
    for number in record_store.unfinished_matches():
        try:
            leftovers.append((number, recovery.examine(number, record_store.journal(number))))
        except OSError as error:
            log.error("journal_read_failed", match=number, error=str(error))
    for number, leftover in leftovers:  # a second loop, so that all waits for players begin at the same moment
        try:
            record = record_store.folders.record(number)
            if record.exists():
                if record_store.journal(number) == record.read_bytes():
                    record_store.remove_journal(number)
                    continue
                log.error("journal_mismatch_quarantined", match=number, path=str(record_store.quarantine(number, "")))
            elif number in kept and (leftover.summary is None or not leftover.summary.result):
                # the disk has lost its end: to resume it would play for the result a second time
                log.error("journal_end_lost", match=number, path=str(record_store.quarantine(number, "")))
            else:
                _recover(arena, record_store, number, leftover, date())
        except Exception as error:
            log.error("match_recovery_failed", match=number, exc_info=error)
    if arena.matches:
        log.info("matches_recovered", count=len(arena.matches), waiting_seconds=arena.settings.return_seconds)


def _recover(arena: Arena, record_store: RecordStore, number: int, leftover: recovery.Leftover, date: datetime) -> None:
    text, summary, torn, fault = leftover
    if torn:
        log.warning("journal_tail_truncated", match=number, bytes=torn)
    if fault is not None:
        sentence = f"the record of the match was damaged in line {fault.line}"
        path = record_store.quarantine(number, "" if summary is None else text + recovery.annul(summary, sentence))
        log.error("journal_quarantined", match=number, fault=repr(str(fault)), path=str(path))
        return
    assert summary is not None
    keys = record_store.keys(number)
    journal = record_store.reopen_journal(number, len(text.encode()))
    try:
        if keys is None:
            journal.write(recovery.annul(summary, "the server died, and nobody can come back to the match"))
        elif not summary.result:
            stamp = recovery.stamp_at(summary, date.timestamp())
            state, lines = recovery.restore(summary, stamp, stamp + round(arena.settings.return_seconds * 1_000_000))
            journal.write(lines)
            if state.outcome is None:
                arena.resume_match(state, keys, journal, summary.heard)
                return
        journal.finish()
    except Exception:
        journal.close()
        raise
    if not summary.result:
        log.warning("match_recovered_as_ended", match=number)


LAST_SECONDS = 10.0
"""Deadline of the last round when the server stops."""


@asynccontextmanager
async def synced(
    record_store: RecordStore, arena: Arena, store: Callable[[], None], seconds: float
) -> AsyncIterator[None]:
    """Sync at intervals of ``seconds`` in the background of a ``with`` block; 0 seconds turns syncing off.

    ``store`` syncs the database; it may raise OSError. A match whose record cannot be synced is annulled; others go on.
    """
    async with trio.open_nursery() as nursery:
        if seconds:
            nursery.start_soon(Rounds(record_store, arena, store).run, seconds)
        yield
        nursery.cancel_scope.cancel()


class Rounds:
    """Runs sync rounds, one after the other."""

    def __init__(self, record_store: RecordStore, arena: Arena, store: Callable[[], None]) -> None:
        """Take the records and the database to sync, and the arena of the matches."""
        self._record_store, self._arena, self._store = record_store, arena, store
        self._logged_faults: set[str] = set()

    async def run(self, seconds: float) -> None:
        """Run a round at intervals until cancelled, and once more at the end."""
        try:
            while True:
                await trio.sleep(seconds)
                await self.one()
        finally:
            with trio.move_on_after(LAST_SECONDS, shield=True):
                await self.one(last=True)

    async def one(self, *, last: bool = False) -> None:
        """Run one round: sync everything since the last one, and log the faults of the disk.

        Only the ``last`` round can be cancelled; it releases the reserved match numbers, since no match begins any
        more. Games that are played elsewhere change the database without any record growing here.
        """
        work = self._record_store.unsynced.round()
        try:
            faults, synced = await trio.to_thread.run_sync(self._sync, work, last, abandon_on_cancel=last)
        except RuntimeError:  # the machine has no thread left: the event loop waits for the disk
            faults, synced = self._sync(work, last)
        self._record_store.done(work, synced)
        if synced.failed:
            matches = sorted(synced.failed)
            log.error("records_lost", matches=matches[:20], count=len(matches), error=str(synced.failed[matches[0]]))
        for match in self._arena.matches.keys() & synced.failed.keys():
            self._arena.annul_faulty(self._arena.matches[match], synced.failed[match])
        faults += [f"records cannot be opened or moved yet: {error}" for error in synced.kept_back.values()]
        for fault in dict.fromkeys(faults):
            if fault not in self._logged_faults:  # once, not in every round
                log.error("disk_write_failed", error=fault)
        self._logged_faults = set(faults)

    def _sync(self, work: SyncRound, last: bool) -> tuple[list[str], Synced]:
        """Sync the database, then the records; return faults of the former, and the result of the latter."""
        faults = []
        try:
            self._store()
            if last:
                self._record_store.numbers.release_reserved()
        except OSError as error:
            faults.append(f"the database, or the numbers of matches: {error}")
        return faults, self._record_store.unsynced.sync(work)
