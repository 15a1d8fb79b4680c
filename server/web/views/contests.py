"""Contests as pages show them, from the reports that the server writes (`server.contest.report.files`)."""

import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import trio

from server.contest.report.files import UNWRITTEN
from server.contest.report.structure import ContestState, Report, leaders
from server.contest.store.folders import FOLDER, folder_of
from server.ops.logs import log
from server.ops.typed_json import decode
from server.web.http.request import DIGITS

REPORT = "report.json"

KEPT_REPORTS = 16
"""Reports that are kept in memory: the ones that were read last."""

NUMBER = re.compile(f"[1-9][0-9]{{0,{DIGITS - 1}}}")
"""The name of a contest's folder."""

TABLES = {
    "report.json": "application/json",
    "standings.csv": "text/csv; charset=utf-8",
    "games.csv": "text/csv; charset=utf-8",
    "ratings.csv": "text/csv; charset=utf-8",
}
"""Files of a report that can be had as they are."""


TODAY = timedelta(hours=12)
"""How long the front page shows a contest that is over."""


class ListedContest(msgspec.Struct, frozen=True, kw_only=True):
    """A contest in the list."""

    contest: int
    name: str
    state: ContestState
    status: str
    """The state in a sentence without its end."""
    opened: datetime
    closed: datetime | None
    entrants: int
    done: int
    games: str
    """How many games were played and how many were forfeited, in words."""
    running: int
    known: int
    """Games that are known to be played: more may follow when these are over."""
    compares_versions: bool
    leader: str
    """The first of the table of the last stage, or the winners, between commas; empty where nobody leads or has won."""


class Found(NamedTuple):
    """A report that was read."""

    entry: ListedContest
    report: Report
    changed: int
    """When it was written, in nanoseconds."""


@lru_cache(KEPT_REPORTS)
def read_report(data: Path, number: int, changed: int) -> Found | None:
    """Read the report of a contest that was written at a time, in nanoseconds; return None if it is damaged.

    Raises OSError.
    """
    path = folder_of(data, number) / REPORT
    try:
        report = UNWRITTEN.get(path.parent) or decode(path.read_bytes(), type=Report)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        log.warning("report_read_failed", path=str(path), error=str(error))
        return None
    return Found(_entry(number, report), report, changed)


class ReportIndex:
    """The contests of a data directory. A report that has not changed is not read again."""

    def __init__(self, data: Path, run_in_thread: Callable[..., Awaitable[Any]] = trio.to_thread.run_sync) -> None:
        """Read nothing yet."""
        self._data = data
        self._run_in_thread = run_in_thread
        self._known: dict[int, tuple[int, ListedContest | None, frozenset[int | None]]] = {}
        """For each contest: when its report was written, its entry, and the numbers of its matches."""
        self._reading = trio.Lock()

    async def entries(self) -> list[ListedContest]:
        """Return the contests, the newest first, without those that have no readable report."""
        async with self._reading:
            found: list[ListedContest] = await self._run_in_thread(self._entries)
        return found

    async def contest(self, number: int) -> Found | None:
        """Return a contest; None if it has no readable report."""
        async with self._reading:
            found: Found | None = await self._run_in_thread(self._find, number)
        return found

    async def of_match(self, match: int) -> ListedContest | None:
        """Return the contest of a match; None if the match is in no contest's report."""
        return next((entry for entry in await self.entries() if match in self._known[entry.contest][2]), None)

    def _entries(self) -> list[ListedContest]:
        names = [path.parent.name for path in (self._data / FOLDER).glob(f"*/{REPORT}")]
        entries = []
        for number in sorted((int(name) for name in names if NUMBER.fullmatch(name)), reverse=True):
            if self._known.get(number, (0,))[0] != self._changed(number):
                self._find(number)
            entry = self._known[number][1] if number in self._known else None
            if entry is not None:
                entries.append(entry)
        return entries

    def _changed(self, number: int) -> int:
        """Return when the newest report was written or made, 0 if there is none."""
        folder = folder_of(self._data, number)
        unwritten = UNWRITTEN.get(folder)
        try:
            return int(unwritten.made.timestamp() * 1e9) if unwritten else (folder / REPORT).stat().st_mtime_ns
        except OSError:
            return 0

    def _find(self, number: int) -> Found | None:
        changed = self._changed(number)
        if not changed:
            return None
        try:
            found = read_report(self._data, number, changed)
        except OSError as error:  # as when too many files are open: the next call reads again
            log.warning("report_read_failed", path=str(folder_of(self._data, number)), error=str(error))
            return None
        entry, games = (None, ()) if found is None else (found.entry, found.report.games)
        self._known[number] = changed, entry, frozenset(game.match for game in games)
        return found


def contest_of_today(entries: Sequence[ListedContest], now: datetime) -> ListedContest | None:
    """Return the contest for the front page: the newest open one, a planned one last, else one that ended today.

    Comparisons of versions, which authors open for themselves, are none.
    """
    contests = [entry for entry in entries if not entry.compares_versions]
    open_ = [entry for entry in contests if entry.closed is None and entry.state is not ContestState.OVER]
    begun = [entry for entry in open_ if entry.state is not ContestState.PLANNED]
    ended = [entry for entry in contests if entry.closed is not None and now - entry.closed < TODAY]
    return next(iter((*begun, *open_, *ended)), None)


def file(data: Path, number: int, name: str) -> bytes | None:
    """Return a file of `TABLES` of a contest's report; None where there is none."""
    try:
        return (folder_of(data, number) / name).read_bytes() if name in TABLES else None
    except OSError:
        return None


def _entry(number: int, report: Report) -> ListedContest:
    table = report.stages[-1].table if report.stages else ()
    left = sum(line.left for line in report.qualification.table) if report.qualification is not None else 0
    staged = sum(max(0, stage.known - stage.games) for stage in report.stages)
    first = report.champions if report.state is ContestState.OVER else leaders(table)
    return ListedContest(
        contest=number,
        name=report.name,
        state=report.state,
        status=report.status,
        opened=report.opened,
        closed=report.closed,
        entrants=len(report.entrants),
        done=report.done,
        games=report.games_over(),
        running=report.running,
        known=report.done + max(report.running + report.due, report.left or staged + left),
        compares_versions=report.compares_versions,
        leader=", ".join(first),
    )
