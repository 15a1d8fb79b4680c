"""The evaluation and the candidates of arrows: races against plain searches, and all else against the oracle."""

from collections import Counter
from collections.abc import Set
from functools import cache
from random import Random

import pytest

from engine.compiling.binding import specialise
from engine.games.arrows import rules
from engine.games.arrows.position import ARROWS, tables
from engine.games.arrows.rules import DECIDED, MAX_EXACT_FIELDS, NOWHERE, State, number, words
from engine.games.interface import EVALUATION_LIMIT, LOST, UNDECIDED, WON, Position
from tests.engine.arrows import samples
from tests.games.judges import sample, written
from tests.oracles import arrows as oracle
from tests.oracles.arrows import Field

# What it is about, told slowly


def neighbours(place: Field) -> set[Field]:
    return {(place[0] + right, place[1] + down) for right, down in oracle.STEPS.values()}


AMOUNT = 50 * samples.TIMES
"""Positions of boards on which the oracle can play to the end."""


@cache
def small_sample() -> list[oracle.Position]:
    """Return positions with so few free fields that the oracle finds out who wins."""
    found: list[oracle.Position] = []
    chance = Random(2)
    while len(found) < AMOUNT:
        position = next(iter(samples.positions(chance, 1, most=chance.choice([7, 10]))))
        game = samples.random_game(chance, position)
        found += [later for later in game if len(list(oracle.free_fields(later))) <= 13]
    return found


def read(position: oracle.Position) -> Position:
    """Return the engine's position for one of the oracle's."""
    return ARROWS.read(oracle.board_text(position))


# Evaluation


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=[pytest.mark.slow("interpreted"), pytest.mark.thorough])])
def test_evaluations_keep_their_limits_and_know_the_last_two_plies(step: int) -> None:
    known: dict[tuple[object, ...], int] = {}
    decided = 0
    for position in small_sample()[::step]:
        value = read(position).kernel(compile=False)
        worth = value.rules.evaluate(value.state)
        assert abs(worth) < EVALUATION_LIMIT
        plies = oracle.length(position, known)
        if plies == 1:
            assert worth == DECIDED
        elif plies in (0, 2):
            assert worth == -DECIDED
        elif abs(worth) == DECIDED:
            assert (worth > 0) == plies % 2
        decided += abs(worth) == DECIDED
    assert decided > len(small_sample()) // step // 4


def worth_of(fields: Set[Field]) -> int:
    """Count fields and pairs of neighbours."""
    return 10 * len(fields) + 5 * sum(len(neighbours(field) & fields) for field in fields)


def test_a_guess_counts_the_fields_that_each_side_reaches_first() -> None:
    """Also over the seam of the two words of a set."""
    guesses = 0
    for _, position, _ in sample("arrows"):
        kernel = read(position).kernel(compile=False)
        value = kernel.rules.evaluate(kernel.state)
        if abs(value) == DECIDED:
            continue
        own, other = (position.arrows[side][-1].aim() for side in (position.turn(), 1 - position.turn()))
        left = set(oracle.free_fields(position)) - {own, other}
        sides: tuple[set[Field], set[Field]] = {own}, {other}
        step = neighbours(own) & left - neighbours(other)
        turn = idle = 0
        while idle < 2:
            sides[turn].update(step)
            left -= step
            idle = 0 if step else idle + 1
            turn = 1 - turn
            step = set().union(*map(neighbours, sides[turn])) & left
        assert value == worth_of(sides[0]) - worth_of(sides[1])
        guesses += 1
    assert guesses > 50


def longest(place: Field, left: Set[Field]) -> int:
    """Return the number of fields of the longest path from a field over others."""
    return 1 + max((longest(step, left - {step}) for step in neighbours(place) & left), default=0)


def test_races_are_decided_as_the_longest_paths_tell() -> None:
    """Larger sets have a path that is found by a rule of thumb, and is mostly the longest one."""
    race, greedy_path = specialise((rules.race, rules.greedy_path), "races", tables(compile=False), compile=False)
    chance = Random(4)
    seen = Counter[object]()
    for _ in range(50):
        (own, *mine), (other, *theirs) = (
            chance.sample([(x, y) for x in range(left, left + 4) for y in range(4, 8)], chance.randint(1, 12))
            for left in (1, 6)
        )
        sets = [words(sum(1 << number(*field) for field in fields)) for fields in (mine, theirs)]
        found = race(number(*own), *sets[0], number(*other), *sets[1])
        if found != UNDECIDED or max(len(mine), len(theirs)) < MAX_EXACT_FIELDS:
            assert found == (WON if longest(own, set(mine)) > longest(other, set(theirs)) else LOST)
        seen[found] += 1
        seen["longest"] += greedy_path(number(*own), *sets[0], 12) == longest(own, set(mine))
    assert seen[WON] > 10 and seen[LOST] > 10 and seen[UNDECIDED] and seen["longest"] > 45


# Candidates


@pytest.mark.slow("interpreted")
def test_among_the_candidates_is_a_move_as_good_as_the_best() -> None:
    """It wins as early, or loses as late; and the candidates are few."""
    known: dict[tuple[object, ...], int] = {}
    children = candidates = 0
    for position in small_sample():
        kernel = read(position).kernel(compile=False)
        found = written(kernel, "candidates")
        after = {read(move).key: oracle.length(move, known) for move in oracle.unique(position)}
        assert len(set(found)) == len(found)
        assert set(found) <= set(after)
        assert bool(found) == bool(after)
        if found:
            lengths = [after[state] for state in found]
            best = oracle.length(position, known) - 1
            assert best in lengths
            assert len(found) == 1 or best not in (0, 1)
        children += len(after)
        candidates += len(found)
    assert candidates < children * 0.6


def test_candidates_come_in_the_order_of_their_evaluation() -> None:
    several = 0
    for _, position, _ in sample("arrows"):
        kernel = read(position).kernel(compile=False)
        found = written(kernel, "candidates")
        wins = {state for state in written(kernel, "children") if kernel.rules.verdict(State(*state)) == LOST}
        assert not wins or set(found) <= wins
        values = [kernel.rules.evaluate(State(*state)) for state in found]
        assert values == sorted(values)
        several += len(found) > 2
        if len(found) > 1:
            assert all(State(*state).other != NOWHERE for state in found)
    assert several > len(sample("arrows")) // 10
