"""Recovery after a crash: resumes, ends or quarantines the matches that were running, before clients connect."""

from collections.abc import Callable, Collection
from datetime import datetime

import structlog

from engine.match import recovery
from engine.match.recovery import Leftover
from server.arena.arena import Arena
from server.storage.record_store import RecordStore

log = structlog.get_logger()


def resume_matches(
    arena: Arena, record_store: RecordStore, date: Callable[[], datetime], kept: Collection[int] = ()
) -> None:
    """Resume, end or quarantine every match in ``running/``; raises no error for a single match.

    ``date`` returns the present time: stamps of a match count on from its start. Matches in ``kept`` have a result in a
    contest: these are over, whatever their journals say.
    """
    leftovers: list[tuple[int, Leftover]] = []
    for number in record_store.unfinished_matches():
        try:
            leftovers.append((number, recovery.examine(number, record_store.journal(number))))
        except OSError as error:
            log.error("journal_read_failed", match=number, error=str(error))
    for number, leftover in leftovers:  # a second loop, so that all waits for players begin at the same moment
        _resume_match(arena, record_store, number, leftover, date(), kept)
    if arena.matches:
        log.info("matches_recovered", count=len(arena.matches), waiting_seconds=arena.settings.return_seconds)


def _resume_match(
    arena: Arena, record_store: RecordStore, number: int, leftover: Leftover, date: datetime, kept: Collection[int]
) -> None:
    try:
        recorded = record_store.read_record_bytes(number)
        if recorded is not None:
            _remove_or_quarantine(record_store, number, recorded)
        elif number in kept and (leftover.summary is None or not leftover.summary.result):
            _quarantine_without_end(record_store, number)
        else:
            _recover(arena, record_store, number, leftover, date)
    except Exception as error:
        log.error("match_recovery_failed", match=number, exc_info=error)


def _recover(arena: Arena, record_store: RecordStore, number: int, leftover: Leftover, date: datetime) -> None:
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
        elif summary.result:
            arena.past_matches.remember(summary.state)
        else:
            stamp = recovery.stamp_at(summary, date.timestamp())
            wait = round(arena.settings.return_seconds * 1_000_000)
            state, lines = recovery.restore(summary, stamp, stamp + wait)
            journal.write(lines)
            if state.outcome is None:
                arena.resume_match(state, keys, journal, summary.heard)
                return
            arena.past_matches.remember(state)
        journal.finish()
    except Exception:
        journal.close()
        raise
    if not summary.result:
        log.warning("match_recovered_as_ended", match=number)


def _quarantine_without_end(record_store: RecordStore, number: int) -> None:
    """Quarantine the journal of a match whose result is kept, but whose end the disk has lost.

    Resuming would play for the result a second time, and a record would wrongly say that the match was annulled.
    """
    path = record_store.quarantine(number, "")
    log.error("journal_end_lost", match=number, path=str(path))


def _remove_or_quarantine(record_store: RecordStore, number: int, recorded: bytes) -> None:
    """Remove a journal that equals the finished record of its match; quarantine one that differs."""
    if record_store.journal(number) == recorded:
        record_store.remove_journal(number)
        return
    path = record_store.quarantine(number, "")
    log.error("journal_mismatch_quarantined", match=number, path=str(path))
