"""The evaluation and the candidates of arrows: races against plain searches, and all else against the oracle."""

from collections.abc import Set
from functools import cache
from random import Random

import pytest

from engine.games.arrows.position import ARROWS, ArrowsPosition
from engine.games.arrows.rules import DECIDED, NOWHERE, State
from engine.games.interface import EVALUATION_LIMIT
from tests.engine.arrows import samples
from tests.games.judges import sample, written
from tests.oracles import arrows as oracle
from tests.oracles.arrows import Field, Position

AMOUNT, INTERPRETED = 1500 * samples.TIMES, 150
"""Positions with few fields, of which the oracle knows the winner, for compiled and for interpreted code."""

FEW = 14
"""No more fields are free in such a position."""


COMPILE = [False, pytest.param(True, marks=pytest.mark.slow)]


# What it is about, told slowly


def neighbours(place: Field) -> set[Field]:
    return {(place[0] + right, place[1] + down) for right, down in oracle.STEPS.values()}


# Samples


def scattered(chance: Random) -> Position:
    """Return a position on a board of which much is blocked."""
    columns, rows = chance.randint(4, 10), chance.randint(4, 10)
    fields = [(x, y) for x in range(1, columns + 1) for y in range(1, rows + 1)]
    while True:
        chance.shuffle(fields)
        if chance.random() < 0.5:
            # two regions, each grown from a field
            ends = [reach_some(chance, fields, set()), set()]
            edge = ends[0].union(*map(neighbours, ends[0]))
            ends[1] = reach_some(chance, [field for field in fields if field not in edge], edge)
            free = ends[0] | ends[1]
        else:
            free = set(fields[: chance.randint(6, FEW)])
        arrows = []
        for place in chance.sample(sorted(free), min(2, len(free))):
            direction = chance.randrange(8)
            right, down = oracle.STEPS[direction]
            arrows.append(oracle.Arrow(place[0] - right, place[1] - down, direction))
        starts = {(arrow.x, arrow.y) for arrow in arrows}
        if len(starts) == 2 and starts <= set(fields):
            blocked = frozenset(fields) - free - starts
            return oracle.start(columns, rows, arrows[0], arrows[1], blocked)


def reach_some(chance: Random, fields: list[Field], without: Set[Field]) -> set[Field]:
    """Return some fields that hang together."""
    if not fields:
        return set()
    found = [chance.choice(fields)]
    allowed = set(fields) - without
    for _ in range(chance.randint(2, 12)):
        beside = sorted(neighbours(chance.choice(found[-3:])) & allowed - set(found))
        found += chance.sample(beside, min(1, len(beside)))
    return set(found[: FEW // 2 + 1])


def few_fields(amount: int) -> list[Position]:
    """Return positions with few free fields."""
    chance = Random(4)
    found: list[Position] = []
    while len(found) < amount:
        position = scattered(chance)
        if len(list(oracle.free_fields(position))) <= FEW:
            found += [position, *(oracle.play(position, move) for move in oracle.moves(position)[:1])]
    return found[:amount]


def worth(position: Position, *, compile: bool) -> int:
    kernel = ARROWS.read(oracle.board_text(position)).kernel(compile=compile)
    return int(kernel.rules.evaluate(kernel.state))


# Tests


@pytest.mark.parametrize("compile", COMPILE, ids=["interpreted", "compiled"])
def test_the_oracle_agrees_wherever_the_winner_is_known(compile: bool) -> None:
    decided = {-DECIDED: 0, DECIDED: 0}
    amount = AMOUNT if compile else INTERPRETED
    for position in few_fields(amount):
        value = worth(position, compile=compile)
        if abs(value) == DECIDED:
            assert (value > 0) == oracle.wins(position, {})
            decided[value] += 1
    assert min(decided.values()) > amount // 5


SMALL_AMOUNT = 100 * samples.TIMES
"""Positions of boards on which the oracle can play to the end."""


@cache
def small_sample() -> list[oracle.Position]:
    """Return positions with so few free fields that the oracle finds out who wins."""
    found: list[oracle.Position] = []
    chance = Random(2)
    while len(found) < SMALL_AMOUNT:
        position = next(iter(samples.positions(chance, 1, most=7)))
        game = samples.random_game(chance, position)
        found += [later for later in game if len(list(oracle.free_fields(later))) <= 13]
    return found


def read(position: oracle.Position) -> ArrowsPosition:
    """Return the engine's position for one of the oracle's."""
    found = ARROWS.read(oracle.board_text(position))
    assert isinstance(found, ArrowsPosition)
    return found


# Evaluation


@pytest.mark.slow("interpreted")
def test_evaluations_keep_their_limits_and_know_the_last_two_plies() -> None:
    known: dict[tuple[object, ...], int] = {}
    decided = 0
    for position in small_sample():
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
    assert decided > len(small_sample()) // 4


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
        values = [kernel.rules.evaluate(State(*state)) for state in found]
        assert values == sorted(values)
        several += len(found) > 2
        if len(found) > 1:
            assert all(State(*state).other != NOWHERE for state in found)
    assert several > len(sample("arrows")) // 10
