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


class Listed(msgspec.Struct, frozen=True):
    """A game of a report, as far as it is needed here."""

    match: int | None
    stage: int
    round: int
    opening: int
    first: str
    second: str


class Listing(msgspec.Struct, frozen=True):
    """The games of a report, in its order."""

    name: str
    games: tuple[Listed, ...]


class GameOfContest(msgspec.Struct, frozen=True, kw_only=True):
    """Where a match belongs."""

    contest: int
    name: str
    """Of the contest."""
    stage: int
    """From 1; 0 is the qualification."""
    round: int
    opening: int
    place: int
    """Among the games that these two have played in the contest, from 1."""
    count: int
    previous: int | None
    """Number of the match before this one, by the same two; None where it is the first."""
    next: int | None


def game_of_contest(listing: Listing, contest: int, match: int) -> GameOfContest:
    """Return where a match belongs that is among the games of a contest."""
    game = next(game for game in listing.games if game.match == match)
    players = {game.first, game.second}
    met = sorted(
        other.match for other in listing.games if other.match is not None and {other.first, other.second} == players
    )
    at = met.index(match)
    return GameOfContest(
        contest=contest,
        name=listing.name,
        stage=game.stage,
        round=game.round,
        opening=game.opening,
        place=at + 1,
        count=len(met),
        previous=met[at - 1] if at else None,
        next=met[at + 1] if at + 1 < len(met) else None,
    )


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
    """What an `Entry` needs of a report: its thousands of games are skipped, not made into objects."""

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
        self._matches: dict[int, tuple[int, frozenset[int]]] = {}
        """For each contest, when its report was written, and the matches in it."""
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

    async def game(self, match: int) -> GameOfContest | None:
        """Return where a match belongs; None where it is in no contest's report."""
        async with self._reading:
            return await trio.to_thread.run_sync(self._game, match)

    def _game(self, match: int) -> GameOfContest | None:
        for number in self._numbers():
            changed = self._changed(number)
            if changed is None:
                continue
            if number not in self._matches or self._matches[number][0] != changed:
                data = self._bytes(number)
                if data is None:
                    continue
                listing = self._made(number, data, _listing)
                matches = () if listing is None else (game.match for game in listing.games if game.match is not None)
                self._matches[number] = changed, frozenset(matches)
            if match in self._matches[number][1]:
                listing = self._read(number, _listing)
                return None if listing is None else game_of_contest(listing, number, match)
        return None

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
            return told(_entry(number, decode(data, type=_Glimpse)), data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            path = folder_of(self._data, number) / REPORT
            log.warning("report_read_failed", path=str(path), error=str(error))
            return None


def _listing(_entry: Entry, data: bytes) -> Listing:
    return decode(data, type=Listing)


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
