"""Verifies an exported contest: signature, files, records, results, pairings, tables, ratings. Needs nothing else."""

from collections.abc import Callable

import msgspec

from engine.games.outcome import Termination
from server.contest.export.container import CONTEST, REPORT, BadExport
from server.contest.export.contents import Contents, differences
from server.contest.export.opening import CheckedExport, Opened, decoded, open_export
from server.contest.fixtures import Finished
from server.contest.interventions import Kind
from server.contest.report.structure import Report
from server.contest.store.verification import Checked, Evidence, Past, Verdict, check, recompute, unproven

Told = Callable[[int, int], None]
"""Is told how many games have been checked, of how many."""


def verify_export(data: bytes, told: Told = lambda done, count: None) -> CheckedExport:
    """Verify an exported contest; raises `BadExport` where it is none or its signature is not true.

    Takes about ten milliseconds a game.
    """
    return verify_contest(open_export(data), told)


def verify_contest(opened: Opened, told: Told = lambda done, count: None) -> CheckedExport:
    """Verify a contest whose export was opened; as `verify_export`."""
    contents = decoded(opened.files, CONTEST, Contents)
    past = contents.past()
    try:
        entered = tuple(done.sentence for done in contents.interventions if done.kind is Kind.VERSION)
        verdict = _verdict(opened, contents, past, told)
        return CheckedExport(opened.manifest.contest, opened.key, verdict, entered)
    except (IndexError, AssertionError, KeyError, OverflowError, ValueError) as error:
        raise BadExport(f"{CONTEST} contradicts itself, so that nothing can be recomputed: {error!r}") from None


def _verdict(opened: Opened, contents: Contents, past: Past, told: Told) -> Verdict:
    found = list(opened.changed)
    checked: dict[int | None, Checked] = {}
    for done, result in enumerate(past.played):
        told(done, len(past.played))
        checked[result.match] = check(
            past.definition, _evidence(opened, result, contents.records.get(result.match or 0, ""))
        )
    standing, shown, stands, wrong = recompute(past, checked)
    found += wrong
    found += [f"{name} is of no game of the contest" for name in opened.strays({one.match for one in past.played})]
    its = decoded(opened.files, REPORT, Report)
    mine = contents.report(past.definition, shown, stands)
    found += differences(msgspec.to_builtins(mine), msgspec.to_builtins(its))
    alone = unproven(past.results)
    adjudicated = [
        f"match {result.match}, {' against '.join(result.fixture.players)}: {result.detail}; the record has no proof"
        for result in past.played
        if result.termination == Termination.ADJUDICATED
    ]
    return Verdict(standing, len(alone), tuple(found), (*alone, *adjudicated))


def _evidence(opened: Opened, result: Finished, kept: str) -> Evidence:
    assert result.match is not None
    record = opened.record(result.match)
    return Evidence(result, None) if record is None else Evidence(result, *record, kept)
