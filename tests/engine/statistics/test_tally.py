"""Counting pairs of games in their order, and when the test ends."""

from random import Random

import pytest

from engine.statistics.elo import Decision, Sprt, Tally, count_pairs

TEST = Sprt(0, 50)
WON = [2, 3, 4] * 100


def tally_of(points: list[int], *, stop: bool = True, order: list[int] | None = None) -> Tally:
    tally = Tally(TEST)
    for number in order or range(len(points)):
        tally.add(number, points[number], stop=stop)
    return tally


def test_pairs_count_when_those_before_them_are_there() -> None:
    tally = Tally()
    for number, counted in ((1, 0), (0, 2), (2, 3)):
        tally.add(number, number)
        assert tally.pairs == counted
    assert tally.counts == (1, 1, 1, 0, 0)
    assert (tally.ratio, tally.decision) == (0, Decision.OPEN)


@pytest.mark.parametrize("seed", range(3))
def test_order_of_finishing_changes_nothing(seed: int) -> None:
    chance = Random(seed)
    points = [chance.choice((0, 1, 2, 3, 3, 4, 4)) for _ in range(200)]
    order = list(range(200))
    chance.shuffle(order)
    one, other = tally_of(points), tally_of(points, order=order)
    assert (one.pairs, one.counts, one.decision) == (other.pairs, other.counts, other.decision)


def test_nothing_is_counted_after_the_end_of_the_test() -> None:
    stopped, whole = tally_of(WON), tally_of(WON, stop=False)
    assert stopped.decision == whole.decision == Decision.H1
    assert stopped.pairs < whole.pairs == 300
    # and not one too many: without the last pair it is open
    assert tally_of(WON[: stopped.pairs - 1]).decision == Decision.OPEN


def test_the_first_decision_stays() -> None:
    tally = tally_of(WON + [0] * 1000, stop=False)
    assert tally.decision == Decision.H1
    assert TEST.decide(tally.ratio) == Decision.H0


def test_half_pairs_do_not_count() -> None:
    assert count_pairs([("a", 1.0), ("b", 0.5), ("a", 0.5), ("c", 0.0), ("c", 0.0)]) == (1, 0, 0, 1, 0)
