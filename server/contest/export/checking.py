"""Verifies an exported contest: signature, files, records, results, pairings, tables, ratings. Needs nothing else."""

from collections.abc import Callable
from math import isclose

import msgspec
from msgspec.structs import replace

from engine.duel.statistics import normal_los
from engine.games.outcome import Termination
from server.contest.export.certifying import check_certificate
from server.contest.export.container import CONTEST, REPORT, BadExport
from server.contest.export.contents import TOLERANCE, Contents, differences
from server.contest.export.opening import CheckedExport, Opened, decoded, open_export
from server.contest.export.proving import prove_adjudication
from server.contest.fixtures import Finished
from server.contest.interventions import Kind
from server.contest.report.structure import Report
from server.contest.store.verification import Checked, Evidence, Past, Verdict, check, recompute, unproven

Told = Callable[[int, int], None]
"""Is told how many games have been checked, of how many."""


def verify_export(data: bytes, told: Told = lambda done, count: None, prove_seconds: float = 0.0) -> CheckedExport:
    """Verify an exported contest; raises `BadExport` where it is none or its signature is not true.

    Takes about ten milliseconds a game. ``prove_seconds``: how long an adjudicated game
    without a certificate is solved anew at most; 0: not at all.
    """
    return verify_contest(open_export(data), told, prove_seconds)


def verify_contest(opened: Opened, told: Told = lambda done, count: None, prove_seconds: float = 0.0) -> CheckedExport:
    """Verify a contest whose export was opened; as `verify_export`."""
    contents = decoded(opened.files, CONTEST, Contents)
    past = contents.past()
    try:
        entered = tuple(done.sentence for done in contents.interventions if done.kind is Kind.VERSION)
        verdict = _verdict(opened, contents, past, told, prove_seconds)
        return CheckedExport(opened.manifest.contest, opened.key, verdict, entered)
    except (IndexError, AssertionError, KeyError, OverflowError, ValueError) as error:
        raise BadExport(f"{CONTEST} contradicts itself, so that nothing can be recomputed: {error!r}") from None


def _verdict(opened: Opened, contents: Contents, past: Past, told: Told, prove_seconds: float) -> Verdict:
    found = list(opened.changed)
    checked: dict[int | None, Checked] = {}
    for done, result in enumerate(past.played):
        told(done, len(past.played))
        checked[result.match] = check(
            past.definition, _evidence(opened, result, contents.records.get(result.match or 0, ""))
        )
    standing, shown, stands, wrong = recompute(past, checked)
    found += wrong
    adjudicated = [result for result in past.played if result.termination == Termination.ADJUDICATED]
    strays = opened.strays({one.match for one in past.played}, {one.match for one in adjudicated})
    found += [f"{name} is of no game of the contest" for name in strays]
    its = decoded(opened.files, REPORT, Report)
    mine = _as_first_written(contents.report(past.definition, shown, stands), its)
    found += differences(msgspec.to_builtins(mine), msgspec.to_builtins(its))
    alone = unproven(past.results)
    rest = list(alone)
    for result in adjudicated:
        proven = _adjudicated(opened, past, result, prove_seconds)
        found += proven.differences
        rest += proven.unproven
    return Verdict(standing, len(alone), tuple(found), tuple(rest))


def _as_first_written(mine: Report, its: Report) -> Report:
    """Return my report, where the other one has likelihoods of superiority by the normal distribution with these."""
    if len(mine.comparisons) != len(its.comparisons):
        return mine
    comparisons = [
        replace(one, los=los) if isclose(theirs.los, los := normal_los(one.pairs), rel_tol=TOLERANCE) else one
        for one, theirs in zip(mine.comparisons, its.comparisons, strict=True)
    ]
    return replace(mine, comparisons=tuple(comparisons))


def _evidence(opened: Opened, result: Finished, kept: str) -> Evidence:
    assert result.match is not None
    record = opened.record(result.match)
    return Evidence(result, None) if record is None else Evidence(result, *record, kept)


def _adjudicated(opened: Opened, past: Past, result: Finished, seconds: float) -> Verdict:
    text = _evidence(opened, result, "").text
    written = opened.certificate(result.match)
    if written is not None and text is not None:
        return check_certificate(past.definition, result, text, written)
    if seconds and text is not None:
        return prove_adjudication(past.definition, result, text, seconds)
    players = " against ".join(result.fixture.players)
    kept = f"match {result.match}, {players}: adjudicated, and there is no certificate of it; --prove solves it anew"
    return Verdict(0, 0, (), (kept,))
