"""The engine of arrows against the oracle: the same moves, positions, ends, texts and counts on random boards.

Every disagreement is a fault of one of them; docs/rules.md says of which.
"""

from functools import cache
from random import Random
from typing import Any

import pytest

from engine.games.arrows.position import ARROWS, ArrowsPosition
from engine.games.arrows.rules import DECIDED, NOWHERE, State
from engine.games.interface import EVALUATION_LIMIT, LOST, UNDECIDED, BadMove, Kernel
from tests.engine.arrows import samples
from tests.oracles import arrows as oracle

AMOUNT = 400 * samples.TIMES
"""Positions of boards of every shape."""

SMALL_AMOUNT = 100 * samples.TIMES
"""Positions of boards on which the oracle can play to the end."""

PLACES = 128


@cache
def sample() -> list[oracle.Position]:
    """Return the sample that the tests share."""
    return list(samples.positions(Random(1), AMOUNT))


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


def childs(kernel: Kernel, name: str = "children") -> list[State]:
    """Return what a kernel writes into its arena."""
    arena = kernel.arena(PLACES)
    end = getattr(kernel.rules, name)(kernel.state, arena, 0)
    return [State(*map(int, kernel.rules.load(arena, at))) for at in range(end)]


def test_the_sample_holds_every_end_and_every_shape() -> None:
    positions = sample()
    ends = [oracle.outcome(position) for position in positions]
    assert all(ends.count(end) > AMOUNT // 200 for end in ("off_board", "occupied", "blocked", "taken"))
    assert ends.count("") > AMOUNT // 2
    shapes = {(position.columns, position.rows) for position in positions}
    assert len(shapes) > 30
    assert {(position.columns > 7, position.rows > 7) for position in positions} == {
        (wide, tall) for wide in (False, True) for tall in (False, True)
    }
    assert sum(len(position.moves) > 30 for position in positions) > AMOUNT // 40


@pytest.mark.slow("interpreted")
def test_positions_moves_and_ends_are_those_of_the_oracle() -> None:
    for position in sample():
        board = read(position)
        verdict, end = board.verdict(), oracle.outcome(position)
        assert board.turn == position.turn()
        assert board.stage == len(position.moves)
        if verdict is None:
            assert end == ""
        else:
            assert (verdict.winner, verdict.termination) == (1 - position.turn(), end)
            x, y = position.arrows[position.turn()][-1].aim()
            assert f"on ({x}, {y})" in verdict.detail
            with pytest.raises(BadMove):
                board.resolve("0")
        found = [(successor.move, successor.position) for successor in board.successors()]
        wanted = [(str(move), read(oracle.play(position, move))) for move in oracle.moves(position)]
        assert found == wanted
        for move, after in found:
            assert board.resolve(f" {move}\n") == (move, after)


def test_texts_are_read_back_whatever_they_look_like() -> None:
    chance = Random(3)
    for position in sample():
        board = read(position)
        assert ARROWS.read(board.text()) == board
        assert ARROWS.read(samples.loose_text(chance, position)) == board
        start = ARROWS.start(board.parameters)
        assert start == read(oracle.start(*_setup(position)))
        assert (start.parameters, ARROWS.parameters(board.parameters)) == (board.parameters, board.parameters)


def _setup(position: oracle.Position) -> Any:
    """Return what a game began with."""
    first, second = (arrows[0] for arrows in position.arrows)
    return position.columns, position.rows, first, second, position.blocked


@pytest.mark.parametrize(
    "compile", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["interpreted", "compiled"]
)
def test_a_kernel_has_the_positions_and_counts_of_the_oracle(compile: bool) -> None:
    for position in sample():
        kernel = read(position).kernel(compile=compile)
        assert kernel.compiled == compile
        rules, state = kernel.rules, kernel.state
        assert rules.plies_left is not None
        assert rules.verdict(state) == (LOST if oracle.outcome(position) else UNDECIDED)
        assert childs(kernel) == [read(after).key for after in oracle.unique(position)]
        assert rules.plies_left(state) == len(list(oracle.free_fields(position)))
        arena = kernel.arena(PLACES)
        for depth in (1, 2) if not compile else (1, 2, 3):
            if depth < 3 or len(position.moves) % 8 == 0:
                assert rules.perft(state, depth, False, arena, 0) == oracle.perft_moves(position, depth)
                assert rules.perft(state, depth, True, arena, 0) == oracle.perft_unique(position, depth)


@pytest.mark.slow
def test_compiled_and_interpreted_rules_are_alike() -> None:
    """All that the search asks; places of an arena hold what was stored there."""
    hashes = {}
    for position in sample():
        board = read(position)
        slow, fast = board.kernel(compile=False), board.kernel()
        for name in ("verdict", "evaluate", "hash_of", "plies_left"):
            assert getattr(slow.rules, name)(slow.state) == getattr(fast.rules, name)(fast.state), name
        assert childs(slow, "candidates") == childs(fast, "candidates")
        for kernel in (slow, fast):
            arena = kernel.arena(2)
            kernel.rules.store(arena, 1, kernel.state, 0)
            assert tuple(map(int, kernel.rules.load(arena, 1))) == tuple(board.state)
        hashes[board.state] = slow.rules.hash_of(slow.state)
    assert len(set(hashes.values())) == len(hashes)
    assert all(0 <= value < 1 << 62 for value in hashes.values())
    assert len({value % 4096 for value in hashes.values()}) > 4096 * 0.9 * (1 - (1 - 1 / 4096) ** len(hashes))


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
    for position in sample()[:400]:
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
        found = childs(kernel, "candidates")
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
    for position in sample():
        kernel = read(position).kernel(compile=False)
        found = childs(kernel, "candidates")
        values = [kernel.rules.evaluate(state) for state in found]
        assert values == sorted(values)
        several += len(found) > 2
        if len(found) > 1:
            assert all(state.other != NOWHERE for state in found)
    assert several > AMOUNT // 10
