"""After a server has died: the matches of its journals are taken up again, or ended, before anybody is let in."""

from collections.abc import Callable, Collection
from datetime import datetime

import structlog

from engine.record import Summary
from server.arena.arena import Arena
from server.match import recovery, referee
from server.match.recovery import Leftover
from server.storage.record_store import RecordStore

log = structlog.get_logger()


def resume_matches(
    arena: Arena, record_store: RecordStore, date: Callable[[], datetime], kept: Collection[int] = ()
) -> None:
    """Deal with everything in ``running/``. A match that cannot be taken up is no reason for an error.

    ``date`` returns what is now: stamps of a match go on by the time since it began. The results of the matches that
    are ``kept`` stand in a contest: these are over, whatever their journals say.
    """
    found: list[tuple[int, Leftover]] = []
    for number in record_store.leftovers():
        try:
            found.append((number, recovery.examine(number, record_store.journal(number))))
        except OSError as error:
            log.error("journal_read_failed", match=number, error=str(error))
    for number, leftover in found:  # only now: players are waited for from the same moment on
        try:
            if number in kept and (leftover.summary is None or not leftover.summary.result):
                _without_end(record_store, number)
                continue
            _take_up(arena, record_store, number, leftover, date())
        except Exception as error:
            log.error("match_recovery_failed", match=number, exc_info=error)
    work = record_store.round(over=True)
    record_store.done(work, record_store.sync(work))
    if arena.matches:
        log.info("matches_recovered", count=len(arena.matches), waiting_seconds=arena.settings.return_seconds)


def _take_up(arena: Arena, record_store: RecordStore, number: int, leftover: Leftover, date: datetime) -> None:
    recorded = record_store.recorded(number)
    if recorded is not None:
        _again(record_store, number, recorded)
        return
    text, summary, torn, fault = leftover
    if torn:
        log.warning("journal_tail_truncated", match=number, bytes=torn)
    if fault or summary is None:
        sentence = f"the record of the match was damaged in {fault.partition(':')[0]}"
        aside = record_store.quarantine(number, "" if summary is None else text + _ending(summary, sentence))
        log.error("journal_quarantined", match=number, fault=repr(fault), path=str(aside))
        return
    keys = record_store.keys(number)
    journal = record_store.go_on(number, len(text.encode()))
    try:
        if keys is None or summary.result:
            journal.write(_ending(summary, "the server died, and nobody can come back to the match"))
        else:
            stamp = recovery.stamp_at(summary, date)
            wait = round(arena.settings.return_seconds * 1_000_000)
            state, effects = recovery.restored(summary, stamp, stamp + wait)
            journal.write(_lines(effects))
            if state.outcome is None:
                arena.resume_match(state, keys, journal, summary.heard)
                return
        journal.finish()
    except Exception:
        journal.close()
        raise
    if not summary.result:
        log.warning("match_recovered_as_ended", match=number)


def _without_end(record_store: RecordStore, number: int) -> None:
    """Deal with the journal of a match that is over, and has no end there: the disk has lost what it had kept.

    The match does not go on, for its result would be played for a second time; and no record says that it was annulled.
    """
    if record_store.recorded(number) is not None:
        return _again(record_store, number, record_store.recorded(number) or b"")
    aside = record_store.quarantine(number, "")
    log.error("journal_end_lost", match=number, path=str(aside))


def _again(record_store: RecordStore, number: int, recorded: bytes) -> None:
    """Deal with a journal whose match has a record: the power was cut during its move, or somebody has copied it."""
    if record_store.journal(number) == recorded:
        record_store.drop(number)
        return
    aside = record_store.quarantine(number, "")
    log.error("journal_mismatch_quarantined", match=number, path=str(aside))


def _ending(summary: Summary, sentence: str) -> str:
    """Return what a record lacks at its end; nothing where it has its result."""
    return "" if summary.result else _lines(recovery.annulled(summary, sentence)[1])


def _lines(effects: list[referee.Effect]) -> str:
    return "".join(effect.line for effect in effects if isinstance(effect, referee.WriteRecord))
