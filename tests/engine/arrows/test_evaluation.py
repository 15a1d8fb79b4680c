"""The evaluation and the candidates of arrows against the oracle, on boards of every shape and on small ones."""

from functools import cache
from random import Random

import pytest

from engine.games.arrows.position import ARROWS, ArrowsPosition
from engine.games.arrows.rules import DECIDED, NOWHERE, State
from engine.games.interface import EVALUATION_LIMIT
from tests.engine.arrows import samples
from tests.games.judges import sample, written
from tests.oracles import arrows as oracle

SMALL_AMOUNT = 100 * samples.TIMES
"""Positions of boards on which the oracle can play to the end."""


@cache
def small_sample() -> list[oracle.Position]:
    """Return positions with so few free fields that the oracle finds out who wins."""
    found: list[oracle.Position] = []
    chance = Random(2)
    while len(found) < SMALL_AMOUNT:
        position = next(iter(samples.positions(chance, 1, most=7)))
        for later in samples.random_game(chance, position):
            if len(list(oracle.free_fields(later))) <= 13:
                found.append(later)
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


def mirrored(position: oracle.Position, *, x: bool, y: bool, diagonal: bool) -> oracle.Position:
    """Return the position as a mirror shows it."""

    def place(field: oracle.Field) -> oracle.Field:
        column = position.columns + 1 - field[0] if x else field[0]
        row = position.rows + 1 - field[1] if y else field[1]
        return (row, column) if diagonal else (column, row)

    def arrow(before: oracle.Arrow) -> oracle.Arrow:
        start, aim = place((before.x, before.y)), place(before.aim())
        step = (aim[0] - start[0], aim[1] - start[1])
        return oracle.Arrow(*start, next(number for number, other in oracle.STEPS.items() if other == step))

    arrows = [tuple(map(arrow, own)) for own in position.arrows]
    placed = max(map(len, arrows)) - 1
    order = [arrows[side][at + 1].direction for at in range(placed) for side in (0, 1) if at + 1 < len(arrows[side])]
    size = (position.rows, position.columns) if diagonal else (position.columns, position.rows)
    blocked = frozenset(map(place, position.blocked))
    return oracle.Position(*size, blocked, (arrows[0], arrows[1]), tuple(order))


@pytest.mark.slow("interpreted")
def test_a_mirror_changes_no_evaluation() -> None:
    """Sets of fields grow over the seam of the two words as they do everywhere else."""
    views = [(x, y, diagonal) for x in (False, True) for y in (False, True) for diagonal in (False, True)]
    for _, position, _ in sample("arrows")[:400]:
        values = set()
        for x, y, diagonal in views:
            kernel = read(mirrored(position, x=x, y=y, diagonal=diagonal)).kernel(compile=False)
            values.add(kernel.rules.evaluate(kernel.state))
        assert len(values) == 1


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
