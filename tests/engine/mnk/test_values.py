"""What the search is told of positions of m,n,k-games, judged by search to the end and by sums over lines."""

from random import Random
from typing import Any

import pytest

from engine.games.interface import DRAWN, EVALUATION_LIMIT, LOST, UNDECIDED, WIN, WON, Kernel
from engine.games.mnk.position import MNK
from tests.engine.mnk.samples import CAMPAIGN, random_board, random_game, sample
from tests.engine.mnk.values import valued
from tests.oracles import mnk as oracle

FEW = 12
"""Empty fields at the most of positions that are searched to the depth that a certain value tells of."""


def kernel_of(position: oracle.Position) -> Kernel:
    return MNK.read(oracle.text(position)).kernel(compile=False)


def forced(kernel: Kernel, state: Any, plies: int, known: dict[Any, int]) -> int:
    """Return the value of a state by plain search of so many plies: 0 where it does not see the end."""
    rules = kernel.rules
    verdict = rules.verdict(state)
    if verdict != UNDECIDED or plies == 0:
        return {WON: WIN, LOST: -WIN}.get(verdict, 0)
    if (state, plies) not in known:
        arena = kernel.arena(FEW)
        values = [
            forced(kernel, rules.load(arena, at), plies - 1, known) for at in range(rules.children(state, arena, 0))
        ]
        known[state, plies] = max((value > 0) - (value < 0) - value for value in values)
    return known[state, plies]


def worth(position: oracle.Position, player: int) -> int:
    """Add up what the lines without a piece of the opponent's are worth: four times as much for each piece more."""
    total = 0
    for line in oracle.all_lines(position):
        pieces = oracle.pieces_in(position, line)
        if player in pieces and 3 - player not in pieces:
            total += 4 ** max(0, 6 - pieces.count(0))
    return total


@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (4, 4), (3, 5), (1, 7), (4, 6), (2, 5), (1, 1)])
def test_certain_values_are_those_of_a_search_to_the_end(rows: int, columns: int) -> None:
    """Of children in exactly as many plies, of the position itself within as many."""
    kinds = set()
    for position in sample(7, rows, columns, 60):
        if oracle.outcome(position) or len(oracle.empty_fields(position)) > FEW:
            continue
        kernel = kernel_of(position)
        known: dict[Any, int] = {}
        arena = kernel.arena(FEW)
        kernel.rules.children(kernel.state, arena, 0)
        for number, (value, certain) in enumerate(valued(kernel)):
            child = kernel.rules.load(arena, number)
            if certain:
                plies = WIN - abs(value)
                assert value == 0 or plies <= 3
                assert value == -forced(kernel, child, 3, known)
                assert (value == 0) == (kernel.rules.verdict(child) == DRAWN)
                kinds.add(value)
            else:
                assert abs(value) < EVALUATION_LIMIT
                assert kernel.rules.verdict(child) == UNDECIDED
        value = kernel.rules.evaluate(kernel.state)
        if abs(value) > EVALUATION_LIMIT:
            shown = forced(kernel, kernel.state, WIN - abs(value), known)
            assert shown >= value if value > 0 else shown <= value
    assert len(kinds) >= 2


@pytest.mark.parametrize(
    ("rows", "columns", "length"),
    [
        (3, 3, 3),
        (6, 6, 4),
        (8, 8, 5),
        (9, 9, 5),
        (5, 13, 6),
        (10, 9, 8),
        (15, 15, 5),
        (19, 19, 7),
        (2, 7, 2),
        (4, 4, 5),
    ],
)
def test_values_that_are_guessed_are_sums_over_the_lines_after_the_move(rows: int, columns: int, length: int) -> None:
    chance = Random(rows)
    positions = [random_board(chance, rows, columns, length) for _ in range(4 * CAMPAIGN)]
    positions += list(random_game(chance, rows, columns, length))[:: 1 + rows * columns // 6]
    for position in positions:
        if oracle.outcome(position):
            continue
        values = valued(kernel_of(position))
        fields = oracle.moves(position)
        assert len(values) == len(fields)
        for (value, certain), field in list(zip(values, fields, strict=True))[:: 1 + len(fields) // 20]:
            if not certain:
                after = oracle.placed(position, field)
                expected = worth(after, position.player) - worth(after, 3 - position.player)
                assert value == max(-300_000, min(300_000, expected)), oracle.text(position)
