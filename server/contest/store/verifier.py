"""The verifier of a stored contest: reads results, records and the report, and checks them in worker processes.

It changes nothing.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import msgspec

from server.contest.definition import Definition
from server.contest.fixtures import GameResult
from server.contest.programs.sandbox.cores import usable
from server.contest.report.contents import make_report
from server.contest.report.files import differences, file_texts
from server.contest.report.progress import Moment
from server.contest.report.structure import Report, Verdict
from server.contest.store.folders import folder_of
from server.contest.store.store import FILE, Store
from server.contest.verification import Checked, KeptContest, Recomputed, check, fixture_of, recompute
from server.ops.typed_json import decode
from server.storage.disk import SUFFIX
from server.storage.record_store import find_record

AT_A_TIME = 20
"""Games that a process takes at a time."""

RECOMPUTED = ("state", "entrants", "variants", "done", "qualification", "stages", "ratings", "comparisons")
"""Parts of a report that follow from the games alone."""

FEW = 60
"""Up to so many games are checked in this process: another one takes longer to start."""

OnProgress = Callable[[int, int], None]
"""Takes how many games have been checked, and of how many. An exception that it raises ends the verification."""


def verify(
    data: Path, contest: int, on_progress: OnProgress = lambda done, count: None, processes: int | None = None
) -> Verdict:
    """Verify a contest against its records and its report; raises `BadStore`, KeyError, OSError.

    ``processes``: in how many others; None: in as many as there are cores, where it is worth it. Takes long where there
    are many games: about ten milliseconds each.
    """
    with closing(Store(data / FILE, copy=True)) as store:
        row = store.contest(contest)
        end = row.closed or row.opened
        seconds = {stage: (end - began).total_seconds() for stage, began in store.stages(contest).items()}
        definition, digests = store.definition(contest), store.records(contest)
        past = KeptContest(definition, store.results(contest), digests, seconds, row.closed is not None)
        known, begun = store.known_matches(), list(store.begun(contest))
    found = recompute(past, _checked(data, past, on_progress, processes))
    if not past.closed:
        return found.verdict
    more = [f"match {match} was begun, and has no result" for match in begun]
    more += [*_strays(data, definition, known, found), *_reported(folder_of(data, contest), definition, found)]
    return found.verdict._replace(differences=(*found.verdict.differences, *more))


def _checked(data: Path, past: KeptContest, on_progress: OnProgress, processes: int | None) -> Iterator[Checked]:
    """Check all results that have records."""
    # a server loads no pool before it verifies a contest
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    played, digests = past.played, map(past.digest, past.played)
    if processes is None:
        processes = 0 if len(played) <= FEW else len(usable())
    work = partial(_check_stored, data, past.definition)
    on_progress(0, len(played))
    # spawned: a fork of a process with threads may hang. Without a job the pool starts no process
    with ProcessPoolExecutor(processes or 1, get_context("spawn")) as pool:
        results = pool.map(work, played, digests, chunksize=AT_A_TIME) if processes else map(work, played, digests)
        for done, found in enumerate(results, 1):
            yield found
            on_progress(done, len(played))


def _check_stored(data: Path, definition: Definition, result: GameResult, digest: str) -> Checked:
    assert result.match is not None
    return check(definition, result, find_record(data, result.match), digest)


def _strays(data: Path, definition: Definition, known: set[int], found: Recomputed) -> Iterator[str]:
    """Yield a sentence for each record of a game of the contest that the database does not have."""
    for path in sorted((data / "records").glob(f"*{SUFFIX}")):
        if path.stem.isdecimal() and int(path.stem) not in known and path.is_file():
            fixture = fixture_of(definition, found.plan, path.read_text(encoding="utf-8", errors="replace"))
            if fixture is not None:
                players = " against ".join(fixture.players)
                yield f"match {path.stem} has a record, {players} as in this contest, and the database lacks it"


def _reported(folder: Path, definition: Definition, found: Recomputed) -> Iterator[str]:
    """Check the report files against the report that the records give."""
    try:
        kept = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        report = decode(kept.get("report.json", b""), type=Report)
    except (OSError, msgspec.DecodeError) as error:
        yield f"the report in {folder} cannot be read: {error}"
        return
    began = {stage.number - 1: stage.began for stage in report.stages if stage.began is not None}
    moment = Moment(report.made, report.opened, report.closed, began)
    mine, its = (
        {name: msgspec.to_builtins(getattr(made, name)) for name in RECOMPUTED}
        for made in (make_report(definition, found.games, found.plan, moment), report)
    )
    yield from differences(mine, its)
    for name, text in file_texts(report).items():
        if name != "report.json" and kept.get(name) != text.encode():
            yield f"{folder / name} is not what report.json says"
