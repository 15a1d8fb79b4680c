"""Contests as pages show them, from the reports that the server writes while it holds them (`server.report.files`)."""

from datetime import datetime
from pathlib import Path

import msgspec
import structlog
import trio

from server.organise.folders import FOLDER, folder_of
from server.report.structure import Report

log = structlog.get_logger()

REPORT = "report.json"

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
    """Who leads the table of the last stage, or has won it; empty as long as there is none."""


class Contest(msgspec.Struct, frozen=True, kw_only=True):
    """A contest with all that its report tells."""

    entry: Entry
    report: Report


class Shelf:
    """The contests of a data directory. A report that has not changed is not read again."""

    def __init__(self, data: Path) -> None:
        """Read nothing yet."""
        self._data = data
        self._known: dict[int, tuple[int, Entry | None]] = {}
        self._reading = trio.Lock()

    async def entries(self) -> list[Entry]:
        """Return the contests, the newest first; one without a readable report is left out."""
        async with self._reading:
            return await trio.to_thread.run_sync(self._entries)

    def _entries(self) -> list[Entry]:
        try:
            numbers = [int(path.name) for path in (self._data / FOLDER).iterdir() if path.name.isdecimal()]
        except FileNotFoundError:
            return []
        found = [self._entry(number) for number in sorted(numbers, reverse=True)]
        return [entry for entry in found if entry is not None]

    def _entry(self, number: int) -> Entry | None:
        try:
            changed = (folder_of(self._data, number) / REPORT).stat().st_mtime_ns
        except OSError:
            return None
        if number not in self._known or self._known[number][0] != changed:
            found = contest(self._data, number)
            self._known[number] = (changed, None if found is None else found.entry)
        return self._known[number][1]


def contest(data: Path, number: int) -> Contest | None:
    """Return a contest of a data directory; None where it has no report, or none that can be read."""
    path = folder_of(data, number) / REPORT
    try:
        report = msgspec.json.decode(path.read_bytes(), type=Report)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError) as error:
        log.warning("a report cannot be read", path=str(path), error=str(error))
        return None
    return Contest(entry=_entry(number, report), report=report)


def file(data: Path, number: int, name: str) -> bytes | None:
    """Return a file of `TABLES` of a contest's report; None where there is none."""
    try:
        return (folder_of(data, number) / name).read_bytes() if name in TABLES else None
    except FileNotFoundError:
        return None


def _entry(number: int, report: Report) -> Entry:
    table = report.stages[-1].table if report.stages else ()
    left = sum(line.left for line in report.qualification.table) if report.qualification is not None else 0
    staged = sum(max(0, stage.known - stage.games) for stage in report.stages)
    return Entry(
        contest=number,
        name=report.name,
        state=report.state,
        opened=report.opened,
        closed=report.closed,
        entrants=len(report.entrants),
        done=report.done,
        running=report.running,
        known=report.done + max(report.running + report.due, staged + left),
        leader=table[0].name if table else "",
    )
