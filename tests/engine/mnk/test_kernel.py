"""The kernel of m,n,k-games against the oracle: lines, images, candidates, values."""

from random import Random
from typing import Any

import pytest

from engine.compiling.binding import zeros
from engine.games.interface import (
    DRAWN,
    EVALUATION_LIMIT,
    LOST,
    MINE,
    SCRATCH,
    THEIRS,
    UNDECIDED,
    WIN,
    WON,
    Kernel,
    Position as EnginePosition,
)
from engine.games.mnk.position import MNK
from tests.engine.mnk.samples import CAMPAIGN, random_board, random_game, sample
from tests.games.judges import BOARDS, written
from tests.oracles import mnk as oracle


def read(position: oracle.Position) -> EnginePosition:
    """Return the engine's position for one of the oracle's."""
    return MNK.read(oracle.text(position))


@pytest.mark.parametrize(("rows", "columns"), [board for board in BOARDS if board != (19, 19)])
def test_the_canonical_position_is_the_same_for_all_images_and_one_of_them(rows: int, columns: int) -> None:
    for position in sample(3, rows, columns, 6):
        kernels = [read(image).kernel(compile=False) for image in oracle.images(position)]
        canonical = kernels[0].rules.canonical
        assert canonical is not None
        states = {canonical(kernel.state) for kernel in kernels}
        assert len(states) == 1
        assert states == {min(kernel.state for kernel in kernels)}


def scratch(rows: int, columns: int, length: int, seed: int) -> list[oracle.Position]:
    """Return positions, few enough fields of which are empty for plain minimax."""
    chance = Random(seed)
    found = [random_board(chance, rows, columns, length) for _ in range(15 * CAMPAIGN)]
    for _ in range(4 * CAMPAIGN):
        found += random_game(chance, rows, columns, length)
    return [position for position in found if not oracle.outcome(position) and len(oracle.empty_fields(position)) <= 7]


SOLVED = [
    *((3, 3, 3), (4, 4, 3), (1, 9, 3), (3, 4, 5)),
    *(pytest.param(*board, marks=pytest.mark.thorough) for board in ((4, 4, 4), (2, 7, 4))),
    *(pytest.param(*board, marks=pytest.mark.campaign) for board in ((3, 3, 2), (3, 5, 3), (4, 5, 4), (2, 3, 1))),
]


@pytest.mark.slow("interpreted")
@pytest.mark.parametrize(("rows", "columns", "length"), SOLVED)
def test_hopes_are_given_up_only_where_the_oracle_knows_that_the_side_cannot_win(
    rows: int, columns: int, length: int
) -> None:
    for position in scratch(rows, columns, length, 1):
        kernel, value = read(position).kernel(compile=False), oracle.value(position)
        assert kernel.rules.can_still_win is not None
        hopes = kernel.rules.can_still_win(kernel.state)
        assert hopes & MINE or value <= 0
        assert hopes & THEIRS or value >= 0


@pytest.mark.slow("interpreted")
@pytest.mark.parametrize(("rows", "columns", "length"), SOLVED)
def test_one_of_the_candidates_is_as_good_as_the_best_move(rows: int, columns: int, length: int) -> None:
    fewer = 0
    for position in scratch(rows, columns, length, 2):
        kernel = read(position).kernel(compile=False)
        children = written(kernel, "children")
        cut = written(kernel, "candidates")
        assert set(cut) <= set(children)
        assert len(set(cut)) == len(cut) >= 1
        fields = oracle.moves(position)
        values = {child: -oracle.value(oracle.placed(position, fields[i])) for i, child in enumerate(children)}
        assert max(values[child] for child in cut) == max(values.values())
        fewer += len(cut) < len(children)
    assert fewer > 3


FEW = 12
"""Empty fields at the most of positions that are searched to the depth that a certain value tells of."""


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
    """Plies are exact for children, and an upper bound for the position itself."""
    kinds = set()
    for position in sample(7, rows, columns, 60):
        if oracle.outcome(position) or len(oracle.empty_fields(position)) > FEW:
            continue
        kernel = read(position).kernel(compile=False)
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
        pytest.param(15, 15, 5, marks=[pytest.mark.slow("interpreted"), pytest.mark.thorough]),
        pytest.param(19, 19, 7, marks=pytest.mark.campaign),
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
        values = valued(read(position).kernel(compile=False))
        fields = oracle.moves(position)
        assert len(values) == len(fields)
        for (value, certain), field in list(zip(values, fields, strict=True))[:: 1 + len(fields) // 20]:
            if not certain:
                after = oracle.placed(position, field)
                expected = worth(after, position.player) - worth(after, 3 - position.player)
                assert value == max(-300_000, min(300_000, expected)), oracle.text(position)


def valued(kernel: Kernel) -> list[tuple[int, bool]]:
    """Return the value of each child for the side that moves to it, and whether it is the true one."""
    rules = kernel.rules
    assert rules.evaluate_children is not None
    count = rules.children(kernel.state, kernel.arena(400), 0)
    values = zeros("q", 3 + count + SCRATCH + 1)
    assert rules.evaluate_children(kernel.state, 3, values)
    assert [*values[:3], values[3 + count + SCRATCH]] == [0] * 4, "nothing is written outside"
    return [(int(number) >> 1, bool(number & 1)) for number in values[3 : 3 + count]]
