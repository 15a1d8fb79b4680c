"""Verifies a contest against its records, in worker processes. Changes nothing."""

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import msgspec

from server.contest.definition import Definition
from server.contest.fixtures import GameResult
from server.contest.plan import Plan
from server.contest.report import files
from server.contest.report.contents import make_report
from server.contest.report.progress import Moment
from server.contest.report.structure import Report
from server.contest.store.folders import folder_of
from server.contest.store.store import FILE, Store
from server.contest.store.verification import (
    Checked,
    Evidence,
    Past,
    Verdict,
    check,
    recompute,
    stray,
    unproven,
)
from server.ops.typed_json import decode
from server.storage.disk import SUFFIX
from server.storage.record_store import find_record

AT_A_TIME = 20
"""Games that a process checks before it tells how far it is."""

RECOMPUTED = ("entrants", "variants", "done", "qualification", "stages", "ratings", "comparisons")
"""Parts of a report that follow from the games alone."""

FEW = 60
"""So many games are checked in this process: another one takes longer to start."""

Told = Callable[[int, int], None]
"""Is told how many games have been checked, of how many. What it raises ends the verification."""


def contest_called(data: Path, name: str) -> int:
    """Return the number of the contest with that name; raises KeyError if there is none, and `BadStore`."""
    with closing(Store(data / FILE, copy=True)) as store:
        names = {contest.name: contest.id for contest in store.contests()}
    if name not in names:
        there = ", ".join(map(repr, names)) or "none"
        raise KeyError(f"there is no contest {name!r} in {data}; there is {there}")
    return names[name]


def verify(data: Path, contest: int, told: Told = lambda done, count: None, processes: int | None = None) -> Verdict:
    """Verify a contest against its records and its report; raises `BadStore`, KeyError, OSError.

    ``processes``: in how many others; None: in as many as there are cores, where it is worth it. Takes long where there
    are many games: about ten milliseconds each.
    """
    past, known, begun = _read(data, contest)
    checked: dict[int | None, Checked] = {}
    for found in _checked(data, past, told, processes):
        checked[found.game.match] = found
    standing, shown, stands, differences = recompute(past, checked)
    if past.closed:
        differences += _strays(data, past.definition, known, stands)
        differences += [f"match {match} was begun, and has no result" for match in begun]
        differences += _reported(folder_of(data, contest), past.definition, shown, stands)
    alone = unproven(past.results)
    return Verdict(standing, len(alone), tuple(differences), tuple(alone))


def _read(data: Path, contest: int) -> tuple[Past, set[int], list[int]]:
    """Return a contest as it was kept, the matches of all contests, and its own matches without a result."""
    with closing(Store(data / FILE, copy=True)) as store:
        row = store.contest(contest)
        end = row.closed or row.opened
        seconds = {stage: (end - began).total_seconds() for stage, began in store.stages(contest).items()}
        definition, results, records = store.definition(contest), store.results(contest), store.records(contest)
        past = Past(definition, results, records, seconds, row.closed is not None)
        return past, store.known_matches(), list(store.begun(contest))


def _checked(data: Path, past: Past, told: Told, processes: int | None) -> Iterator[Checked]:
    """Check all results that have records, a batch at a time."""
    played = [(result, past.kept.get(result.match or 0, "")) for result in past.played]
    parts = [played[start : start + AT_A_TIME] for start in range(0, len(played), AT_A_TIME)]
    if processes is None:
        processes = 0 if len(played) <= FEW else len(os.sched_getaffinity(0))
    done = 0
    told(done, len(played))
    with ExitStack() as stack:
        work = partial(_check_part, data, past.definition)
        # spawned: a fork of a process with threads may hang
        pool = ProcessPoolExecutor(processes, get_context("spawn")) if processes else None
        for found in map(work, parts) if pool is None else stack.enter_context(pool).map(work, parts):
            yield from found
            done += len(found)
            told(done, len(played))


def _check_part(data: Path, definition: Definition, part: Sequence[tuple[GameResult, str]]) -> list[Checked]:
    """Check results against their records; each with the SHA-256 of its record when it was kept."""
    return [check(definition, _evidence(data, result, kept)) for result, kept in part]


def _evidence(data: Path, result: GameResult, kept: str) -> Evidence:
    assert result.match is not None
    found = find_record(data, result.match)
    if found is None:
        return Evidence(result, None)
    return Evidence(result, found.decode(errors="replace"), hashlib.sha256(found).hexdigest(), kept)


def _strays(data: Path, definition: Definition, known: set[int], stands: Plan) -> Iterator[str]:
    """Return a sentence for each record of a game of the contest that the database does not have."""
    for path in sorted((data / "records").glob(f"*{SUFFIX}")):
        if path.stem.isdecimal() and int(path.stem) not in known and path.is_file():
            fixture = stray(definition, stands, path.read_text(encoding="utf-8", errors="replace"))
            if fixture is not None:
                players = " against ".join(fixture.players)
                yield f"match {path.stem} has a record, {players} as in this contest, and the database lacks it"


def _reported(folder: Path, definition: Definition, games: Sequence[GameResult], stands: Plan) -> Iterator[str]:
    """Check the report files against the report that the records give."""
    path = folder / "report.json"
    try:
        report = decode(path.read_bytes(), type=Report)
    except OSError as error:
        yield f"{path} cannot be read: {error.strerror}"
        return
    except msgspec.DecodeError as error:
        yield f"{path} is no report of this version: {error}"
        return
    if report.state != "over":
        yield f"{path} was not written since the contest is over; the command contest writes it anew"
        return
    began = {stage.number - 1: stage.began for stage in report.stages if stage.began is not None}
    moment = Moment(report.made, report.opened, report.closed, began)
    mine, its = (
        {name: msgspec.to_builtins(getattr(made, name)) for name in RECOMPUTED}
        for made in (make_report(definition, games, stands, moment), report)
    )
    yield from files.differences(mine, its)
    for name, text in files.file_texts(report).items():
        try:
            same = (folder / name).read_bytes() == text.encode()
        except OSError as error:
            yield f"{folder / name} cannot be read: {error.strerror}"
            continue
        if not same and name != path.name:
            yield f"{folder / name} is not what report.json says"
