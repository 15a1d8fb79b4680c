"""Contests as pages show them, from the reports that the server writes (`server.contest.report.files`)."""

import re
from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, TypeAlias, TypeVar

import msgspec
import structlog
import trio

from server.contest.interventions import Kind
from server.contest.report.page import fragments
from server.contest.report.structure import Report, winners
from server.contest.store.folders import FOLDER, folder_of
from server.ops.lru_cache import LruCache
from server.ops.typed_json import decode
from server.web.http.numbers import DIGITS

log = structlog.get_logger()

T = TypeVar("T")

REPORT = "report.json"

KEPT = 8
"""Answers about contests that are kept as they are sent, the last ones that somebody has asked for."""

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


class _Line(msgspec.Struct):
    name: str
    place: int
    games: int
    forfeits_won: int
    disqualified: str


class _Game(msgspec.Struct):
    match: int | None


class _Intervention(msgspec.Struct):
    what: str


class _Stage(msgspec.Struct):
    games: int
    known: int
    table: tuple[_Line, ...]


class _Qualified(msgspec.Struct):
    left: int


class _Qualification(msgspec.Struct):
    table: tuple[_Qualified, ...]


class _Glimpse(msgspec.Struct):
    """The fields of a report that an `Entry` needs, and the numbers of its matches."""

    name: str
    state: str
    opened: datetime
    closed: datetime | None
    entrants: tuple[str, ...]
    done: int
    running: int
    due: int
    qualification: _Qualification | None
    stages: tuple[_Stage, ...]
    games: tuple[_Game, ...]
    interventions: tuple[_Intervention, ...] = ()
    left: int = 0


class Contest(NamedTuple):
    """An answer about a contest, as it is sent."""

    data: bytes
    """JSON."""
    tag: str
    """Changes with the data, for a browser that has them already."""


MakeAnswer: TypeAlias = Callable[[Entry, bytes], bytes]
"""Makes an answer of a contest's entry and the bytes of its report: `page_fragments` has one."""


class ReportIndex:
    """The contests of a data directory. A report that has not changed is not read again."""

    def __init__(self, data: Path) -> None:
        """Read nothing yet."""
        self._data = data
        self._known: dict[int, tuple[int, Entry | None]] = {}
        self._matches: dict[int, frozenset[int | None]] = {}
        """For each contest, the numbers of its matches."""
        self._whole: LruCache[tuple[int, MakeAnswer], tuple[int, Contest]] = LruCache(KEPT)
        self._reading = trio.Lock()

    async def entries(self) -> list[Entry]:
        """Return the contests, the newest first; one without a readable report is left out."""
        async with self._reading:
            return await trio.to_thread.run_sync(self._entries)

    async def contest(self, number: int, make: MakeAnswer) -> Contest | None:
        """Return an answer about a contest; None where it has no report, or none that can be read."""
        async with self._reading:
            return await trio.to_thread.run_sync(self._contest, number, make)

    async def of_match(self, match: int) -> Entry | None:
        """Return the contest of a match; None if the match is in no contest's report."""
        async with self._reading:
            return await trio.to_thread.run_sync(self._of_match, match)

    def _of_match(self, match: int) -> Entry | None:
        return next((entry for entry in self._entries() if match in self._matches[entry.contest]), None)

    def _numbers(self) -> list[int]:
        """Return the numbers of the contests, the newest first."""
        try:
            numbers = [int(path.name) for path in (self._data / FOLDER).iterdir() if NUMBER.fullmatch(path.name)]
        except FileNotFoundError:
            return []
        return sorted(numbers, reverse=True)

    def _entries(self) -> list[Entry]:
        found = [self._entry(number) for number in self._numbers()]
        return [entry for entry in found if entry is not None]

    def _entry(self, number: int) -> Entry | None:
        changed = self._changed(number)
        if changed is None:
            return None
        if number not in self._known or self._known[number][0] != changed:
            data = self._bytes(number)
            if data is None:  # as where too many files are open: it is looked at again
                return self._known.get(number, (changed, None))[1]
            self._known[number] = (changed, self._made(number, data, lambda entry, _: entry))
        return self._known[number][1]

    def _contest(self, number: int, make: MakeAnswer) -> Contest | None:
        changed = self._changed(number)
        if changed is None:
            return None
        kept = self._whole.get((number, make))
        if kept is None or kept[0] != changed:
            data = self._read(number, make)
            if data is None:
                return None
            kept = changed, Contest(data, f'W/"{sha256(data).hexdigest()[:20]}"')
            self._whole.put((number, make), kept)
        return kept[1]

    def _changed(self, number: int) -> int | None:
        """Return when a report was written, None where there is none."""
        try:
            return (folder_of(self._data, number) / REPORT).stat().st_mtime_ns
        except OSError:
            return None

    def _read(self, number: int, told: Callable[[Entry, bytes], T]) -> T | None:
        """Return what ``told`` makes of a report, from its entry and its bytes; None where it cannot be read."""
        data = self._bytes(number)
        return None if data is None else self._made(number, data, told)

    def _bytes(self, number: int) -> bytes | None:
        """Return a report as it stands on the disk; None where it cannot be read, which may be otherwise later."""
        path = folder_of(self._data, number) / REPORT
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            log.warning("report_read_failed", path=str(path), error=str(error))
            return None

    def _made(self, number: int, data: bytes, told: Callable[[Entry, bytes], T]) -> T | None:
        """Return what ``told`` makes of a report; None where its bytes are no report, as long as they are the same."""
        try:
            glimpse = decode(data, type=_Glimpse)
            self._matches[number] = frozenset(game.match for game in glimpse.games)
            return told(_entry(number, glimpse), data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            path = folder_of(self._data, number) / REPORT
            log.warning("report_read_failed", path=str(path), error=str(error))
            return None


def read_report(data: bytes) -> Report:
    """Read the file of a report; raises `msgspec.DecodeError`."""
    return decode(data, type=Report)


def page_fragments(entry: Entry, data: bytes) -> bytes:
    """Return the ``name`` of a contest, whether it is ``over``, and the parts of its page as HTML."""
    parts = fragments(read_report(data), entry.contest, entry.known)._asdict()
    return msgspec.json.encode({"name": entry.name, "over": entry.state == "over", **parts})


def file(data: Path, number: int, name: str) -> bytes | None:
    """Return a file of `TABLES` of a contest's report; None where there is none."""
    try:
        return (folder_of(data, number) / name).read_bytes() if name in TABLES else None
    except OSError:
        return None


def _entry(number: int, report: _Glimpse) -> Entry:
    table = report.stages[-1].table if report.stages else ()
    left = sum(line.left for line in report.qualification.table) if report.qualification is not None else 0
    staged = sum(max(0, stage.known - stage.games) for stage in report.stages)
    first = winners(table)
    if report.state != "over":
        first = first[:1]
    elif any(done.what == Kind.CANCEL for done in report.interventions):
        first = ()
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
