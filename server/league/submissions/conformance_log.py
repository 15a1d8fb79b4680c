"""What the logs of a version, and the results beside them, tell: how far a test has come, and what it has found."""

import re
from pathlib import Path
from typing import NamedTuple

OUTCOME = re.compile(r"(ok  |skip|FAIL)  (.+)")
"""A line of the conformance test about a situation; behind the title of one that was skipped stands the reason."""

SUMMARY = re.compile(r"([0-9]{1,9}) ok, ([0-9]{1,9}) FAIL(, [0-9]+ skip)?")
"""The last line of a test."""

RESULTS = ".results"
"""Ending of a file beside a log, with the lines of the conformance test alone: what a bot prints is in the log only."""

KILLED = ".killed"
"""Ending of a file beside a log, there where a server was killed meanwhile."""

ENDINGS = (".txt", RESULTS, KILLED)
"""Of the log of a step, and of what stands beside it."""

MOST_TOLD = 300
"""Characters of a log that stand in a sentence."""


class Progress(NamedTuple):
    """How far conformance tests, one after the other, have come."""

    tests: int = 0
    """So many have come to their end."""
    after: str = ""
    """The title of the last situation of the next one that has passed; empty where there is none."""
    fault: str = ""
    """What was found wrong first: the situation, and what the bot did."""


class Counts(NamedTuple):
    """What tests have found."""

    passed: int
    """Situations."""
    failed: int


def go_on(log: Path) -> Progress:
    """Return how far tests had come when the server was killed, if it was, and tell who reads the log of it."""
    if not log.is_file():
        return Progress()
    log.with_suffix(KILLED).touch()
    results = log.with_suffix(RESULTS)
    for path, told in ((log, b"-- the server was started anew, and the test goes on --\n"), (results, b"")):
        with path.open("a+b") as file:
            file.seek(0)
            file.truncate(file.read().rfind(b"\n") + 1)  # a line without its end may be half a title
            file.write(told)
    return progress(log)


def progress(log: Path) -> Progress:
    """Return how far tests have come, as the results beside their log tell.

    A situation that was skipped last is tried again, since a title does not tell where the reason behind it begins.
    """
    lines = _lines(log.with_suffix(RESULTS))
    tests, after = 0, ""
    for number, line in enumerate(lines):
        found = OUTCOME.fullmatch(line)
        if SUMMARY.fullmatch(line):
            tests, after = tests + 1, ""
        elif found and found[1] == "FAIL":
            did = "".join(lines[number + 1 : number + 2]).strip()
            return Progress(tests, after, f"{found[2]}: {did}"[:MOST_TOLD])
        elif found and found[1] == "ok  ":
            after = found[2]
    return Progress(tests, after)


def counts(log: Path) -> Counts | None:
    """Return what the last test of a log has found, and where a server was killed meanwhile, all of them.

    The last line of a test tells of what was tried since a kill, so situations are counted then: what was tried again
    once, and as failed where it has failed once. None where no test has come to its end, or to a fault before a kill.
    Of a version that was tried before results were kept, the log tells.
    """
    results = log.with_suffix(RESULTS)
    lines = _lines(results if results.is_file() else log)
    ends = [found for line in lines if (found := SUMMARY.fullmatch(line))]
    if not log.with_suffix(KILLED).exists():
        return Counts(int(ends[-1][1]), int(ends[-1][2])) if ends else None
    has_passed: dict[tuple[int, str], bool] = {}
    tests = 0
    for line in lines:
        found = OUTCOME.fullmatch(line)
        if SUMMARY.fullmatch(line):
            tests += 1
        elif found and found[1] != "skip":
            situation = tests, found[2]
            has_passed[situation] = has_passed.get(situation, True) and found[1] == "ok  "
    passed = sum(has_passed.values())
    failed = len(has_passed) - passed
    return Counts(passed, failed) if ends or failed else None


def last_line(log: Path) -> str:
    """Return the last line of a log that says something."""
    return "".join(_lines(log)[-1:]).strip()[:MOST_TOLD]


def _lines(file: Path) -> list[str]:
    """Return the lines of a file that say something."""
    if not file.is_file():
        return []
    return [line for line in file.read_text(errors="replace").splitlines() if line.strip() and line.isprintable()]
