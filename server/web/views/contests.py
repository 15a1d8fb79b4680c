"""Contests as pages show them, from the reports that the server writes (`server.contest.report.files`)."""

import re
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import structlog
import trio

from server.contest.report.structure import Report, winners
from server.contest.store.folders import FOLDER, folder_of
from server.ops.lru_cache import LruCache
from server.ops.typed_json import decode
from server.web.http.request import DIGITS

log = structlog.get_logger()

REPORT = "report.json"

KEPT_GAMES = 50_000
"""Reports that have so many games together are kept as they were read, the last ones that somebody has asked for."""

NUMBER = re.compile(f"[1-9][0-9]{{0,{DIGITS - 1}}}")
"""The name of a contest's folder."""

TABLES = {
    "report.json": "application/json",
    "standings.csv": "text/csv; charset=utf-8",
    "games.csv": "text/csv; charset=utf-8",
    "ratings.csv": "text/csv; charset=utf-8",
}
"""Files of a report that can be had as they are."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A contest in the list."""

    contest: int
    name: str
    state: str
    opened: datetime
    closed: datetime | None
    entrants: int
    done: int
    running: int
    known: int
    """Games that are known to be played: more may follow when these are over."""
    leader: str
    """Who leads the table of the last stage, or has won it, several names between commas; empty where nobody does."""


class Found(NamedTuple):
    """A report that was read."""

    entry: Entry
    report: Report
    changed: int
    """When it was written, in nanoseconds."""


class ReportIndex:
    """The contests of a data directory. A report that has not changed is not read again."""

    def __init__(self, data: Path, run_in_thread: Callable[..., Awaitable[Any]] = trio.to_thread.run_sync) -> None:
        """Read nothing yet."""
        self._data = data
        self._run_in_thread = run_in_thread
        self._known: dict[int, tuple[int, Entry | None, frozenset[int | None]]] = {}
        """For each contest when its report was written, its entry, and the numbers of its matches."""
        self._reports: LruCache[int, Found] = LruCache(KEPT_GAMES, lambda found: 1 + len(found.report.games))
        self._reading = trio.Lock()

    async def entries(self) -> list[Entry]:
        """Return the contests, the newest first; one without a readable report is left out."""
        async with self._reading:
            found: list[Entry] = await self._run_in_thread(self._entries)
        return found

    async def contest(self, number: int) -> Found | None:
        """Return a contest; None where it has no report, or none that can be read."""
        async with self._reading:
            found: Found | None = await self._run_in_thread(self._find, number)
        return found

    async def of_match(self, match: int) -> Entry | None:
        """Return the contest of a match; None if the match is in no contest's report."""
        entries = await self.entries()
        return next((entry for entry in entries if match in self._known[entry.contest][2]), None)

    def _numbers(self) -> list[int]:
        """Return the numbers of the contests, the newest first."""
        try:
            numbers = [int(path.name) for path in (self._data / FOLDER).iterdir() if NUMBER.fullmatch(path.name)]
        except FileNotFoundError:
            return []
        return sorted(numbers, reverse=True)

    def _entries(self) -> list[Entry]:
        for number in (numbers := self._numbers()):
            if self._known.get(number, (0,))[0] != self._changed(number):
                self._find(number)
        found = (self._known[number][1] for number in numbers if number in self._known and self._changed(number))
        return [entry for entry in found if entry is not None]

    def _changed(self, number: int) -> int:
        """Return when a report was written, 0 where there is none."""
        try:
            return (folder_of(self._data, number) / REPORT).stat().st_mtime_ns
        except OSError:
            return 0

    def _find(self, number: int) -> Found | None:
        changed, kept = self._changed(number), self._reports.get(number)
        if kept is not None and kept.changed == changed:
            return kept
        if self._known.get(number, (0, None))[:2] == (changed, None):
            return None
        path = folder_of(self._data, number) / REPORT
        try:
            report = decode(path.read_bytes(), type=Report)
        except FileNotFoundError:
            return None
        except OSError as error:  # as where too many files are open: it is read again
            log.warning("report_read_failed", path=str(path), error=str(error))
            return None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            log.warning("report_read_failed", path=str(path), error=str(error))
            self._known[number] = changed, None, frozenset()
            return None
        found = Found(_entry(number, report), report, changed)
        self._known[number] = changed, found.entry, frozenset(game.match for game in report.games)
        return self._reports.put(number, found)


def file(data: Path, number: int, name: str) -> bytes | None:
    """Return a file of `TABLES` of a contest's report; None where there is none."""
    try:
        return (folder_of(data, number) / name).read_bytes() if name in TABLES else None
    except OSError:
        return None


def _entry(number: int, report: Report) -> Entry:
    table = report.stages[-1].table if report.stages else ()
    left = sum(line.left for line in report.qualification.table) if report.qualification is not None else 0
    staged = sum(max(0, stage.known - stage.games) for stage in report.stages)
    first = report.champions if report.state == "over" else winners(table)[:1]
    return Entry(
        contest=number,
        name=report.name,
        state=report.state,
        opened=report.opened,
        closed=report.closed,
        entrants=len(report.entrants),
        done=report.done,
        running=report.running,
        known=report.done + max(report.running + report.due, report.left or staged + left),
        leader=", ".join(first),
    )
