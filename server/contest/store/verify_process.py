"""Verifies a contest against its records, in worker processes. Changes nothing."""

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

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
from server.storage.record_store import SUFFIX, find_record

AT_A_TIME = 20
"""Games that a process checks before it tells how far it is."""

RECOMPUTED = ("entrants", "variants", "done", "qualification", "stages", "ratings", "comparisons")
"""Parts of a report that follow from the games alone."""

FEW = 60
"""So many games are checked in this process: another one takes longer to start."""

Told = Callable[[int, int], None]
"""Is told how many games have been checked, of how many. What it raises ends the verification."""


class _Kept(NamedTuple):
    """The contents of the store about a contest."""

    past: Past
    known: set[int]
    """Matches of all contests."""
    begun: list[int]
    """Matches of this one without a result."""


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


def _read(data: Path, contest: int) -> _Kept:
    with closing(Store(data / FILE, copy=True)) as store:
        row = store.contest(contest)
        end = row.closed or row.opened
        seconds = {stage: (end - began).total_seconds() for stage, began in store.stages(contest).items()}
        definition, results, records = store.definition(contest), store.results(contest), store.records(contest)
        past = Past(definition, results, records, seconds, row.closed is not None)
        return _Kept(past, store.known_matches(), list(store.begun(contest)))


def _checked(data: Path, past: Past, told: Told, processes: int | None) -> Iterator[Checked]:
    """Check all results that have records, a batch at a time."""
    played = past.played
    parts = [played[start : start + AT_A_TIME] for start in range(0, len(played), AT_A_TIME)]
    done = 0
    told(0, len(played))
    if processes is None:
        processes = 0 if len(played) <= FEW else len(os.sched_getaffinity(0))
    if not processes:
        for part in parts:
            yield from check_part(data, past.definition, part, past.kept)
            done += len(part)
            told(done, len(played))
        return
    # spawned: a fork of a process with threads may hang
    pool = ProcessPoolExecutor(processes, get_context("spawn"))
    try:
        waiting: dict[Future[list[Checked]], int] = {}
        for part in parts:
            kept = {game.match: past.kept.get(game.match, "") for game in part if game.match is not None}
            waiting[pool.submit(check_part, data, past.definition, part, kept)] = len(part)
        while waiting:
            ended, _ = wait(waiting, timeout=0.5, return_when=FIRST_COMPLETED)
            for future in ended:
                done += waiting.pop(future)
                yield from future.result()
            told(done, len(played))
    finally:
        pool.shutdown(cancel_futures=True)


def check_part(
    data: Path, definition: Definition, results: Sequence[GameResult], kept: Mapping[int, str]
) -> list[Checked]:
    """Check some results against their records."""
    return [check(definition, _evidence(data, result, kept)) for result in results]


def _evidence(data: Path, result: GameResult, kept: Mapping[int, str]) -> Evidence:
    assert result.match is not None
    found = find_record(data, result.match)
    if found is None:
        return Evidence(result, None)
    sha256 = hashlib.sha256(found).hexdigest()
    return Evidence(result, found.decode(errors="replace"), sha256, kept.get(result.match, ""))


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
