"""The evaluation against features counted field by field, and what it is never beyond."""

from collections.abc import Callable
from random import Random

import pytest

from engine.games.catalogue import GAMES
from engine.games.gipf.evaluation import WEIGHTS, Weights
from engine.games.gipf.geometry import geometry
from engine.games.gipf.kernel import bind
from engine.games.gipf.rules import State
from tests.engine.gipf.samples import positions_of
from tests.games.judges import written

GIPF = GAMES["gipf"]
VARIANTS = ["2 2 6 6", "2 3 9 9", "3 3 9 9", "4 4 15 15", "3 5 9 9", "5 3 18 18", "5 6 18 18"]


DIGIT = 24
"""Bits of a digit of `features`; no feature of any variant is as large as half of what they hold."""

HALF = 1 << (DIGIT - 1)


def features(parameters: str) -> Callable[[State], tuple[int, ...]]:
    """Return a function that reads the features of a state, in the order of `Weights`, from one evaluation.

    The evaluation is the sum of the features, each times its weight. The weights are powers of a large number here, so
    each feature is a digit of the sum.
    """
    size, run = map(int, parameters.split()[:2])
    powers = Weights(*(1 << (DIGIT * place) for place in range(len(Weights._fields))))
    evaluate = bind(size, run, weights=powers).evaluate

    def read(state: State) -> tuple[int, ...]:
        left = evaluate(state)
        digits = []
        for _ in powers:
            digit = (left + HALF) % (2 * HALF) - HALF
            digits.append(digit)
            left = (left - digit) >> DIGIT
        return tuple(digits)

    return read


def lines(size: int) -> list[list[int]]:
    """Return the fields of every line in order, each line once."""
    width = 2 * size - 1
    found = []
    for entry in geometry(size).entries:
        if entry.step > 0:
            row, column = entry.target
            first = row * width + column
            found.append([1 << at for at in range(first, width**2, entry.step) if entry.line & (1 << at)])
    return found


def counted(size: int, run: int, state: State) -> dict[str, int]:
    """Count what the side to move is ahead in, field by field."""
    sides = ((state.white, state.white_reserve), (state.black, state.black_reserve))
    mover, waiter = sides[state.side], sides[1 - state.side]
    ahead = dict.fromkeys(Weights._fields, 0) | {"tempo": 1}
    centre = size - 1
    for sign, (pieces, reserve), (other, _) in ((1, mover, waiter), (-1, waiter, mover)):
        for at in (at for at in range((2 * size - 1) ** 2) if pieces & (1 << at)):
            down, right = at // (2 * size - 1) - centre, at % (2 * size - 1) - centre
            distance = max(abs(down), abs(right), abs(down - right))
            ahead["ring"] += sign * (size - distance)
            ahead["board"] += sign
        ahead["piece"] += sign * (pieces.bit_count() + reserve)
        if reserve <= 4:
            ahead[f"reserve_{reserve}"] += sign
        for line in lines(size):
            signs = "".join("m" if field & pieces else "o" if field & other else "_" for field in line)
            ahead["pair"] += sign * sum(signs[at : at + 2] == "mm" for at in range(len(signs)))
            ahead["gap"] += sign * sum(signs[at : at + 3] == "m_m" for at in range(len(signs)))
            if sign < 0:
                ahead["threat"] -= len(threatened(signs, run))
    return ahead


def threatened(line: str, run: int) -> set[int]:
    """Return the places of ``o`` beside K-1 ``m`` in a row, or with one other field within."""
    beside: set[int] = set()
    for at in range(len(line)):
        whole, gapped = line[at : at + run - 1], line[at : at + run]
        if whole == "m" * (run - 1):
            beside |= {at - 1, at + run - 1}
        if len(gapped) == run and gapped.count("m") == run - 1 and gapped[0] == gapped[-1] == "m":
            beside |= {at - 1, at + run}
    return {place for place in beside if 0 <= place < len(line) and line[place] == "o"}


@pytest.mark.parametrize("parameters", VARIANTS)
def test_evaluation_is_the_sum_of_features_that_are_counted_field_by_field(parameters: str) -> None:
    size, run = map(int, parameters.split()[:2])
    read = features(parameters)
    seen = dict.fromkeys(Weights._fields, 0)
    for position in positions_of(parameters, Random(7), 60):
        expected = counted(size, run, position.state)
        assert dict(zip(Weights._fields, read(position.state), strict=True)) == expected, position.text()
        whole = sum(weight * expected[name] for name, weight in WEIGHTS._asdict().items())
        assert bind(size, run, weights=WEIGHTS).evaluate(position.state) == whole
        for name, ahead in expected.items():
            seen[name] += ahead != 0
    # two neighbours are a run where K = 2, and four pieces beside one fill a line of five: neither is to be expected
    rare = {("pair", 2), ("threat", 5)}
    assert all(seen[name] for name in ("piece", "ring", "pair", "board", "gap", "threat") if (name, run) not in rare)


@pytest.mark.parametrize("parameters", ["2 2 6 6", "3 3 9 9"])
def test_candidates_are_the_children_in_the_order_of_their_evaluation(parameters: str) -> None:
    for position in positions_of(parameters, Random(9), 20):
        kernel = position.kernel(compile=False)
        children, candidates = written(kernel, "children"), written(kernel, "candidates")
        if len(candidates) > 1:
            assert candidates == sorted(children, key=lambda state: kernel.rules.evaluate(State(*state)))
