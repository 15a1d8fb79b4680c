"""Clocks of records shifted consistently: true as long as no flag fell, refused at the line at which one did."""

import pytest

from engine.games.outcome import ANNULLED
from engine.match.reader import BadRecord
from engine.match.verification import verify
from tests.engine.record_changes import CAMPAIGN, STAMPS, number, written
from tests.engine.records import records

RECORDS = records()
LEFTS = {"ready": (3,), "move": (5,), "result": (4, 5)}
"""Which words of a line are what a side has left."""


def budget_moved(text: str, by: int) -> list[str]:
    """Return the lines of a record with another budget, and with all that was left moved along."""
    lines = []
    for line in text.splitlines():
        words = line.split(" ")
        for place in (1,) if words[0] == "budget" else LEFTS.get(words[0], ()):
            words[place] = written(number(words[place]) + by)
        lines.append(" ".join(words))
    return lines


def fault_of(lines: list[str]) -> tuple[int, str]:
    """Return for which line a record is refused, and why; (0, "") where it is true."""
    try:
        verify("\n".join(lines) + "\n")
    except BadRecord as error:
        return error.line, str(error)
    return 0, ""


def answers(text: str) -> list[tuple[int, int]]:
    """Return what a side had left at each answer, before the increment, and in which line that stands."""
    lines = text.splitlines()
    increment = next(number(line.split(" ")[1]) for line in lines if line.startswith("increment "))
    return [
        (number(words[place]) - (increment if words[0] == "move" else 0), at)
        for at, words in enumerate((line.split(" ") for line in lines), 1)
        for place in LEFTS.get(words[0], ())
        if words[0] != "result"
    ]


ENDED_IN_TIME = [name for name in RECORDS if not name.startswith("time") and name not in ("stalls", "restart")]


@pytest.mark.parametrize("name", ENDED_IN_TIME)
def test_a_lower_budget_is_true_until_a_flag_would_have_fallen(name: str) -> None:
    text = RECORDS[name]
    before = verify(text)
    left = min((left for left, _ in answers(text)), default=10**9)
    last = min(before.left) - (before.header.control.increment if before.reason == "line" else 0)
    if before.reason in ANNULLED:
        last = left  # nobody loses by a flag that falls just then
    most = min(left, last)
    lines = budget_moved(text, 1 - most)
    assert fault_of(lines) == (0, "")
    after = verify("\n".join(lines) + "\n")
    assert after.header.control == before.header.control._replace(budget=before.header.control.budget + 1 - most)
    assert after.left == (before.left[0] + 1 - most, before.left[1] + 1 - most)
    assert after.history == before.history
    ending = next((at for at, line in enumerate(lines, 1) if line.startswith("refused ")), len(lines))
    budget = before.header.control.budget
    for lower in (most, most + 5_000, budget) if not CAMPAIGN else range(most, budget + 1_000, 77_777):
        at, why = fault_of(budget_moved(text, -lower))
        if lower >= budget:
            assert at == 7 and ("a budget is more than nothing" in why or "0.000 or more" in why)
        else:
            assert at == next((at for left, at in answers(text) if left <= lower), ending)
            assert " ran out of time" in why


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("by", [1, 5_000_000])
def test_stamps_shifted_as_a_whole_are_refused_where_the_first_clock_stops(name: str, by: int) -> None:
    """Clocks begin at stamp 0: all that was later is not true without what it costs."""
    lines = []
    for line in RECORDS[name].splitlines():
        words = line.split(" ")
        for place in STAMPS.get(words[0], ()):
            words[place] = written(number(words[place]) + by)
        lines.append(" ".join(words))
    first = next(at for at, line in enumerate(lines, 1) if line.startswith(("ready ", "result ")))
    at, why = fault_of(lines)
    assert at == first and "this line is written" in why
