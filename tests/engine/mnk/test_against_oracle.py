"""The engine of m,n,k-games against the oracle: the same moves, lines, positions and values on random boards.

Every disagreement is a fault of one of them; docs/rules.md says of which.
"""

from random import Random
from typing import Any

import pytest

from engine.games import perft
from engine.games.interface import DRAWN, LOST, MINE, THEIRS, UNDECIDED, WON, Kernel, moves
from engine.games.interface import Position as EnginePosition
from engine.games.mnk.kernel import MnkRules
from engine.games.mnk.position import MNK
from tests.engine.mnk.samples import CAMPAIGN, NEARLY, SMALL, WHOLE_WORD, WIDE, random_board, random_game, sample
from tests.engine.mnk.values import valued
from tests.oracles import mnk as oracle

BOARDS = SMALL + WHOLE_WORD + NEARLY + WIDE

COMPILED = [
    (9, 9, 5),
    (8, 8, 5),
    *(pytest.param(*b, marks=pytest.mark.campaign) for b in ((3, 3, 3), (6, 6, 4), (4, 16, 7), (4, 4, 3))),
    *(pytest.param(*b, marks=pytest.mark.campaign) for b in ((16, 4, 4), (1, 19, 3), (7, 9, 6))),
    *(pytest.param(*b, marks=pytest.mark.campaign) for b in ((8, 8, 8), (8, 8, 1), (8, 8, 9))),
    *(pytest.param(*b, marks=pytest.mark.campaign) for b in ((5, 13, 6), (15, 15, 5), (19, 19, 19), (19, 4, 5))),
]
"""Boards and lengths, each compiled by itself; the first needs two words, the second fills a word with its sign."""


def read(position: oracle.Position) -> EnginePosition:
    """Return the engine's position for one of the oracle's."""
    return MNK.read(oracle.text(position))


def word(position: oracle.Position, fields: list[oracle.Field]) -> int:
    """Return fields as bits."""
    return sum(1 << (row * position.columns + column) for row, column in fields)


def unsigned(position: oracle.Position, bits: int) -> int:
    """Return a set of fields of a kernel's, which may use the sign, as a number without one."""
    return int(bits) & ((1 << position.rows * position.columns) - 1)


def standing(position: oracle.Position) -> int:
    """Return the oracle's outcome as the verdict of a kernel."""
    ended = oracle.outcome(position)
    return {"": UNDECIDED, "draw": DRAWN, str(position.player): WON}.get(ended, LOST)


def written(kernel: Kernel, name: str) -> list[tuple[int, ...]]:
    """Return the states that a function of the rules writes."""
    arena = kernel.arena(400)
    end = getattr(kernel.rules, name)(kernel.state, arena, 0)
    return [tuple(map(int, kernel.rules.load(arena, at))) for at in range(end)]


@pytest.mark.parametrize(("rows", "columns"), BOARDS)
def test_positions_have_the_moves_texts_and_ends_of_the_oracle(rows: int, columns: int) -> None:
    """Text both ways, moves in their order, the position after some move, and the outcome."""
    chance = Random(rows)
    for position in sample(1, rows, columns, 20 if rows * columns < 100 else 4):
        board = read(position)
        assert board.text() == oracle.text(position)
        assert board.turn == position.player - 1
        assert board.stage == rows * columns - len(oracle.empty_fields(position))
        fields = oracle.moves(position)
        assert moves(board) == [oracle.name(position, field) for field in fields]
        outcome, ended = board.verdict(), oracle.outcome(position)
        if outcome is None:
            assert ended == ""
        else:
            assert ended == ("draw" if outcome.winner is None else str(outcome.winner + 1))
            assert outcome.termination == ("board_full" if ended == "draw" else "line")
        if fields:
            field = chance.choice(fields)
            successor = board.resolve(oracle.name(position, field))
            assert successor.position.text() == oracle.text(oracle.placed(position, field))


def compare_kernel(position: oracle.Position, *, compile: bool) -> None:
    """Compare all that a kernel says of one position with what the oracle says."""
    kernel = read(position).kernel(compile=compile)
    assert kernel.compiled == compile
    rules, state = kernel.rules, kernel.state
    assert isinstance(rules, MnkRules)
    own, other = rules.own_of(state), rules.other_of(state)
    assert rules.verdict(state) == standing(position)
    for mine, theirs, player in ((own, other, position.player), (other, own, 3 - position.player)):
        assert unsigned(position, rules.winning_fields(mine, theirs)) == word(
            position, oracle.winning(position, player)
        )
        assert rules.has_line(mine) == oracle.has_line(position, player)
    after = [read(oracle.placed(position, field)).kernel(compile=compile) for field in oracle.moves(position)]
    assert written(kernel, "children") == [tuple(map(int, child.state)) for child in after]
    assert rules.plies_left(state) == len(oracle.empty_fields(position))
    assert 0 <= rules.hash_of(state) < 1 << 62


@pytest.mark.parametrize(("rows", "columns"), BOARDS)
def test_the_interpreted_kernel_agrees_with_the_oracle(rows: int, columns: int) -> None:
    for position in sample(2, rows, columns, 12 if rows * columns < 100 else 3):
        compare_kernel(position, compile=False)


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "columns", "length"), COMPILED)
def test_compiled_rules_agree_with_the_oracle_and_with_interpreted_ones(rows: int, columns: int, length: int) -> None:
    """On boards whose last field is the sign of a word, too; the same canonical position, hash and evaluation."""
    chance = Random(length)
    few = 3 if rows * columns > 64 else 12
    positions = [random_board(chance, rows, columns, length) for _ in range(few * CAMPAIGN)]
    for _ in range(few // 3 * CAMPAIGN):
        positions += random_game(chance, rows, columns, length)
    for position in positions:
        compare_kernel(position, compile=True)
        fast, slow = read(position).kernel(), read(position).kernel(compile=False)
        for name in ("hash_of", "evaluate", "can_still_win", "plies_left"):
            assert getattr(fast.rules, name)(fast.state) == getattr(slow.rules, name)(slow.state), name
        assert isinstance(fast.rules, MnkRules) and isinstance(slow.rules, MnkRules)
        for name in ("first", "second"):
            bits = getattr(fast.rules.canonical(fast.state), name)
            assert unsigned(position, bits) == getattr(slow.rules.canonical(slow.state), name)
        if oracle.outcome(position):
            continue
        children = [tuple(unsigned(position, bits) for bits in state) for state in written(fast, "candidates")]
        assert children == written(slow, "candidates")
        assert valued(fast) == valued(slow)
    # a second version of a function that calls itself would crash when it is loaded from the cache
    evaluate: Any = fast.rules.evaluate
    chains = evaluate.dispatcher.py_func.__globals__["win_by_fours"].py_func.__globals__["chain_of_fours"]
    assert len(chains.signatures) <= 1


@pytest.mark.parametrize("parameters", [(3, 3, 3), (2, 2, 2), (1, 6, 3), (4, 3, 2), (5, 13, 4), (8, 8, 1), (2, 3, 9)])
def test_perft_counts_the_leaves_of_the_oracle(parameters: tuple[int, int, int]) -> None:
    """Games that end before the depth leave nothing; no two moves lead to the same position."""
    start = MNK.start(" ".join(map(str, parameters)))
    for depth in (1, 2, 3, 4) if parameters[0] * parameters[1] < 10 else (1, 2):
        expected = oracle.perft(oracle.empty(*parameters), depth)
        assert perft.count(start, depth, compile=False) == expected
        assert perft.count(start, depth, unique=True, compile=False) == expected


# What solvers are told


@pytest.mark.parametrize(("rows", "columns"), [board for board in BOARDS if board != (19, 19)])
def test_the_canonical_position_is_the_same_for_all_images_and_one_of_them(rows: int, columns: int) -> None:
    for position in sample(3, rows, columns, 6):
        kernels = [read(image).kernel(compile=False) for image in oracle.images(position)]
        rules = kernels[0].rules
        assert isinstance(rules, MnkRules)
        states = {rules.canonical(kernel.state) for kernel in kernels}
        assert len(states) == 1
        assert states == {min(kernel.state for kernel in kernels)}


def scratch(rows: int, columns: int, length: int, seed: int) -> list[oracle.Position]:
    """Return positions, few enough fields of which are empty for plain minimax."""
    chance = Random(seed)
    found = [random_board(chance, rows, columns, length) for _ in range(30 * CAMPAIGN)]
    for _ in range(8 * CAMPAIGN):
        found += random_game(chance, rows, columns, length)
    return [position for position in found if not oracle.outcome(position) and len(oracle.empty_fields(position)) <= 7]


SOLVED = [(3, 3, 3), (3, 3, 2), (4, 4, 3), (4, 4, 4), (3, 5, 3), (2, 7, 4), (1, 9, 3), (4, 5, 4), (2, 3, 1), (3, 4, 5)]


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "columns", "length"), SOLVED)
def test_hopes_are_given_up_only_where_the_oracle_knows_that_the_side_cannot_win(
    rows: int, columns: int, length: int
) -> None:
    for position in scratch(rows, columns, length, 1):
        kernel = read(position).kernel(compile=False)
        assert isinstance(kernel.rules, MnkRules)
        can_still_win, value = kernel.rules.can_still_win(kernel.state), oracle.value(position)
        assert can_still_win & MINE or value <= 0
        assert can_still_win & THEIRS or value >= 0


@pytest.mark.slow
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
    assert fewer > 10


@pytest.mark.parametrize(
    ("parameters", "can_still_win"),
    [("3 3 3", MINE + THEIRS), ("4 4 4", MINE), ("5 5 5", 0), ("2 2 3", 0), ("6 6 5", MINE + THEIRS)],
)
def test_hopes_at_the_start_are_those_that_erdos_and_selfridge_leave(parameters: str, can_still_win: int) -> None:
    """8 lines of 3, 10 of 4, 12 of 5, none, and 32 of 5."""
    kernel = MNK.start(parameters).kernel(compile=False)
    assert isinstance(kernel.rules, MnkRules)
    assert kernel.rules.can_still_win(kernel.state) == can_still_win


@pytest.mark.parametrize(("parameters", "number"), [("3 3 3", 3), ("4 4 4", 3), ("3 4 3", 4), ("8 8 5", 10)])
def test_symmetric_moves_are_candidates_once(parameters: str, number: int) -> None:
    assert len(written(MNK.start(parameters).kernel(compile=False), "candidates")) == number


def test_the_first_candidate_wins_or_prevents_a_win() -> None:
    win = MNK.read("3 3 3 1\n1 1 0\n2 2 0\n0 0 0\n").kernel(compile=False)
    assert written(win, "candidates") == [(0b111, 0b11000, 1)]
    block = MNK.read("3 3 3 1\n1 0 0\n2 2 0\n1 0 0\n").kernel(compile=False)
    assert written(block, "candidates") == [(0b1100001, 0b11000, 1)]


def test_evaluation_sees_threats_and_favours_open_lines() -> None:
    """A win on the spot, two of the opponent's, and otherwise who has more in lines that are open."""

    def value(*rows: str) -> int:
        board = "\n".join(" ".join(row) for row in rows)
        kernel = MNK.read(f"5 5 4 1\n{board}\n").kernel(compile=False)
        return int(kernel.rules.evaluate(kernel.state))

    assert value("11100", "00000", "00220", "00000", "00000") > 400_000
    assert value("11000", "00000", "02220", "00000", "00000") < -300_000
    assert value("00000", "01100", "00000", "00000", "22000") > 0
    assert value("00000", "02200", "00000", "00000", "11000") < 0
    assert value("00000", "00000", "00000", "00000", "00000") == 0
