"""What is told of positions was searched; of the others nothing is."""

from itertools import pairwise

import msgspec
import pytest

from engine.match.verification import verify
from server.web.matches import IS_CUT
from server.web.play import evaluations
from server.web.play.evaluations import evenly, judge
from tests.engine.test_record import played

LARGE = played("5 4 30 30", stop_after=24, end="resign")
"""Interpreted in quick tests: nothing has to be compiled."""


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 8, 9, 17, 100, 1001])
def test_the_first_positions_lie_evenly_and_all_follow(count: int) -> None:
    order = list(evenly(count))
    assert sorted(order) == list(range(count))
    for some in range(2, count):
        chosen = sorted(order[:some])
        gaps = [after - before for before, after in pairwise(chosen)]
        assert chosen[0] == 0 and chosen[-1] == count - 1 and max(gaps) <= 4 * count / some


def test_a_budget_that_is_too_small_leaves_positions_out_and_invents_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluations, "INTERPRETED_NODES", 2_000)
    summary = verify(LARGE)
    found = judge(summary, float("inf"))
    searched = [value for value in found["values"] if value is not None]
    assert len(found["values"]) == 25 and 3 <= len(searched) < 25 and found["unsearched"] == 25 - len(searched)
    assert all(value["depth"] > 0 for value in searched) and not found["cut"]
    assert found["values"][0] is not None and found["values"][-1] is not None
    assert judge(summary, float("inf")) == found, "nodes are counted, not seconds"


def test_what_the_time_cuts_off_says_so_and_is_not_kept() -> None:
    found = judge(verify(LARGE), -1.0)
    assert found["cut"] and found["unsearched"] == 25 and found["values"] == [None] * 25
    assert IS_CUT in msgspec.json.encode(found)


def test_a_share_that_does_not_reach_for_a_ply_is_exceeded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluations, "INTERPRETED_SHARES", (1, 1))
    found = judge(verify(LARGE), float("inf"))
    assert found["unsearched"] == 0 and {value["depth"] for value in found["values"] if value} == {1}
