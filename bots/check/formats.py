"""The results of a conformance test for programs: JSON, JUnit's XML, and Gradescope's points."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from bots.check.report import SituationResult
from engine.commands import reports
from engine.commands.reports import Case, Points, Suite


class Build(NamedTuple):
    """How a bot was built before it was tested: by which command, and with which exit status."""

    command: str
    status: int


def as_json(bot: str, results: Sequence[SituationResult], build: Build | None = None) -> str:
    """Return all that is known of each situation, how many passed, failed and were skipped, and how it was built."""
    counts = Counter(result.outcome for result in results)
    return reports.as_json(
        {
            "report": "check",
            "bot": bot,
            **({"build": build._asdict()} if build else {}),
            "passed": counts["passed"],
            "failed": counts["failed"],
            "skipped": counts["skipped"],
            "situations": [_plain(result) for result in results],
        }
    )


def as_junit(bot: str, results: Sequence[SituationResult]) -> str:
    """Return a test for each situation, in one suite."""
    cases = [
        Case(
            result.title,
            result.outcome,
            result.fault.did if result.fault else result.reason,
            "\n".join(result.fault.lines()) if result.fault else "",
            result.seconds,
        )
        for result in results
    ]
    return reports.junit([Suite(f"arena-bot check {bot}", cases)])


def as_gradescope(bot: str, results: Sequence[SituationResult]) -> str:
    """Return a point for each situation that passed; those that could not be tried with this bot count for nothing."""
    points = [
        Points(
            result.title,
            1.0 if result.outcome == "passed" else 0.0,
            0.0 if result.outcome == "skipped" else 1.0,
            "\n".join(result.fault.lines()) if result.fault else result.reason,
        )
        for result in results
    ]
    return reports.gradescope(points, f"Conformance test of {bot}: arena-bot check")


def _plain(result: SituationResult) -> dict[str, object]:
    """Return a result as plain data: what does not apply to it is left out."""
    plain: dict[str, object] = {"title": result.title, "outcome": result.outcome, "seconds": round(result.seconds, 3)}
    if result.fault is not None:
        fault = result.fault
        plain |= {"did": fault.did, "right": fault.right, "section": fault.section}
        if fault.position:
            plain["position"] = fault.position
    elif result.reason:
        plain["reason"] = result.reason
    return plain
