"""The engine of GIPF against the oracle: the same moves, positions, errors and texts on random boards.

Every disagreement is a fault of one of them; docs/rules.md says of which.
"""

from collections.abc import Iterator
from functools import cache
from random import Random
from typing import NamedTuple

import pytest

from engine.games.catalogue import GAMES
from engine.games.interface import LOST, UNDECIDED, BadMove, BadPosition
from engine.games.interface import Position as EnginePosition
from tests.engine.gipf import samples
from tests.oracles import gipf as oracle
from tests.oracles.gipf_boards import board_text, read_board

GIPF = GAMES["gipf"]

AMOUNTS = {2: 220, 3: 350, 4: 120, 5: 70, 6: 9, 7: 5, 8: 3, 9: 2, 10: 1, 11: 1, 12: 1}
"""Positions of each size, so many that some of each kind are among them, and no size takes more than two seconds."""

QUICK = 5
"""The largest size of quick tests."""

SIZES = [pytest.param(size, marks=pytest.mark.slow) if size > QUICK else size for size in AMOUNTS]
SOME_SIZES = [2, 4, *(pytest.param(size, marks=pytest.mark.slow) for size in (3, 5, 7, 12))]


class Judged(NamedTuple):
    """A position and what the oracle has said about it."""

    position: oracle.Position
    moves: list[oracle.Move]


def judged(size: int, number: int, seed: int) -> Iterator[Judged]:
    """Yield a sample of a size; K small, so that rows are frequent."""
    lengths = [length for length in (2, 3, 3, 3, 4, 4, 5, 2 * size - 1) if length <= 2 * size - 1]
    for position in samples.sample(Random(100 * size + seed), size, lengths, number):
        yield Judged(position, oracle.moves(position))


@cache
def sample(size: int) -> list[Judged]:
    """Return the sample that the quick tests share."""
    return list(judged(size, AMOUNTS[size], seed=1))


def read(position: oracle.Position) -> EnginePosition:
    """Return the engine's position for one of the oracle's."""
    return GIPF.read(board_text(position))


def standing(position: EnginePosition) -> str:
    """Say how the engine thinks the game stands, in the words of PRINT_GAME_STATE."""
    verdict = position.verdict()
    if verdict is None:
        return "in_progress"
    assert verdict.winner == 1 - position.turn
    if verdict.termination == "dead_lock":
        return f"dead_lock {GIPF.sides[position.turn]}"
    assert verdict.termination == "no_reserve"
    return f"{GIPF.sides[1 - position.turn]}_win"


def engine_answer(position: EnginePosition, text: str) -> tuple[str, str]:
    """Return the canonical text of a move and the board after it, or the error and nothing."""
    try:
        successor = position.resolve(text)
    except BadMove as error:
        return error.code, ""
    return successor.move, successor.position.text()


def oracle_answer(position: oracle.Position, text: str) -> tuple[str, str]:
    """Return the same from the oracle."""
    try:
        move = oracle.apply(position, text)
    except oracle.Refused as error:
        return str(error), ""
    return move.text, board_text(move.position)


def compare_successors(position: oracle.Position, moves: list[oracle.Move]) -> None:
    """Compare all that one position shows: text, standing, moves in their order with their texts and boards."""
    board = read(position)
    assert board.text() == board_text(position)
    assert board.turn == "WB".index(position.turn)
    assert standing(board) == oracle.outcome(position)
    found = [(successor.move, successor.position.text()) for successor in board.successors()]
    assert found == [(move.text, board_text(move.position)) for move in moves]


@pytest.mark.parametrize("size", [pytest.param(size, marks=[] if size == 2 else pytest.mark.slow) for size in AMOUNTS])
def test_moves_and_the_positions_they_lead_to_are_those_of_the_oracle(size: int) -> None:
    """In the same order, with the same texts; the outcome and the board text as well."""
    for position, moves in sample(size):
        compare_successors(position, moves)


@pytest.mark.campaign
@pytest.mark.parametrize("size", AMOUNTS)
def test_moves_and_the_positions_they_lead_to_are_those_of_the_oracle_on_many_more_boards(size: int) -> None:
    """The same, from another seed."""
    for position, moves in judged(size, 16 * AMOUNTS[size], seed=2):
        compare_successors(position, moves)


@pytest.mark.slow
def test_the_samples_contain_what_they_are_made_for() -> None:
    """Choices of both colours, of the opponent's rows, several in a row, rows of both colours, and every end."""
    boards = sample(2) + sample(3) + sample(4) + sample(5)
    moves = [(position.turn.lower(), move.text) for position, found in boards for move in found]
    for own, other in ("wb", "bw"):
        assert sum(turn == own and f"{own}:" in text for turn, text in moves) > 100
        assert sum(turn == own and f"{other}:" in text for turn, text in moves) > 100
        assert sum(turn == own and f"{own}:" in text and f"{other}:" in text for turn, text in moves) > 10
    assert sum(text.count("w:") > 1 for _, text in moves) > 10
    assert sum(text.count("b:") > 1 for _, text in moves) > 10
    ends = [oracle.outcome(position) for position, _ in boards]
    for end in ("in_progress", "white_win", "black_win", "dead_lock white", "dead_lock black"):
        assert end in ends


@pytest.mark.parametrize("size", SOME_SIZES)
def test_a_legal_move_is_understood_however_it_is_spelled(size: int) -> None:
    """Names of rows that would be taken anyway, either order of ends, colours left out, spaces."""
    chance = Random(size)
    understood = 0
    for position, _ in sample(size):
        if oracle.outcome(position) != "in_progress":
            continue
        board = read(position)
        for _ in range(3):
            text = samples.loose_text(chance, position)
            answer = oracle_answer(position, text)
            assert answer[1], f"the oracle refused {text}: {answer[0]}"
            assert (text, *engine_answer(board, text)) == (text, *answer)
            understood += 1
    assert understood > AMOUNTS[size]


@pytest.mark.parametrize("size", SOME_SIZES)
def test_a_wrong_move_is_refused_with_the_error_of_the_oracle(size: int) -> None:
    """The first of the errors of DO_MOVE that applies; and what is right after all is done."""
    chance = Random(size)
    for position, moves in sample(size):
        board = read(position)
        before = board.text()
        for _ in range(5):
            text = samples.mangled_text(chance, position, moves)
            assert (text, *engine_answer(board, text)) == (text, *oracle_answer(position, text))
        assert board.text() == before


@pytest.mark.slow("interpreted")
def test_the_mangled_moves_meet_every_error() -> None:
    """Each error of DO_MOVE stands often among the answers, and so do moves that are right after all."""
    chance = Random(3)
    answers = [
        oracle_answer(position, samples.mangled_text(chance, position, moves))
        for position, moves in sample(3)
        for _ in range(3)
    ]
    errors = [answer for answer, board in answers if not board]
    for ending in (
        "_IS_WRONG_INDEX",
        "_IS_WRONG_STARTING_FIELD",
        "_IS_WRONG_DESTINATION_FIELD",
        oracle.UNKNOWN_DIRECTION,
        oracle.ROW_IS_FULL,
        oracle.RESERVE_IS_EMPTY,
        oracle.WRONG_COLOR,
        oracle.WRONG_INDEX,
    ):
        assert sum(error.endswith(ending) for error in errors) > 10, ending
    assert len(answers) - len(errors) > 100


@pytest.mark.parametrize("text", ["", " ", "a1", "a1 b2", "-", "a1-", "-b2", "a1-b2-c3", "a 1-b2", "hello"])
def test_what_is_no_move_at_all_is_called_unreadable(text: str) -> None:
    """Texts for which the rules have no error of their own."""
    position = oracle.start(3, 3, 9, 9)
    assert oracle_answer(position, text) == (oracle.UNREADABLE, "")
    with pytest.raises(BadMove) as refused:
        read(position).resolve(text)
    assert refused.value.code.endswith("_IS_WRONG_INDEX")


@pytest.mark.parametrize("size", SOME_SIZES)
def test_a_board_is_read_whatever_blanks_it_has(size: int) -> None:
    """Indentation, spaces, tabs, blank lines and CRLF mean nothing."""
    chance = Random(size)
    for position, _ in sample(size):
        assert GIPF.read(samples.loose_board(chance, position)).text() == board_text(position)


@pytest.mark.parametrize("size", SOME_SIZES)
def test_a_wrong_board_is_refused_with_the_error_of_the_oracle(size: int) -> None:
    """The first of the errors of LOAD_GAME_BOARD that applies; and what is right after all is read."""
    chance = Random(size)
    errors = set()
    for position, _ in sample(size):
        text = samples.mangled_board(chance, position)
        error, engine_error = "", ""
        try:
            read_board(text)
        except oracle.Refused as refused:
            error = str(refused)
        try:
            GIPF.read(text)
        except BadPosition as refused:
            engine_error = refused.code
        assert (text, engine_error) == (text, error)
        errors.add(error)
    if AMOUNTS[size] > 100:
        assert {"WRONG_BOARD_ROW_LENGTH", "WRONG_WHITE_PAWNS_NUMBER", "WRONG_BLACK_PAWNS_NUMBER"} <= errors
        assert {"", "ERROR_FOUND_1_ROW_OF_LENGTH_K", "ERROR_FOUND_2_ROWS_OF_LENGTH_K"} <= errors


def compare_kernel(position: oracle.Position, moves: list[oracle.Move], *, compile: bool) -> None:
    """Compare the children and the verdict of a kernel, and its perft of one and two plies."""
    kernel = read(position).kernel(compile=compile)
    assert kernel.compiled == compile
    arena = kernel.arena(20000)
    end = kernel.rules.children(kernel.state, arena, 0)
    found = [tuple(map(int, kernel.rules.load(arena, at))) for at in range(end)]
    wanted = [tuple(map(int, read_state(after))) for after in oracle.unique(moves)]
    assert found == wanted
    assert kernel.rules.verdict(kernel.state) == (UNDECIDED if oracle.outcome(position) == "in_progress" else LOST)
    assert kernel.rules.perft(kernel.state, 1, False, arena, 0) == len(moves)
    assert kernel.rules.perft(kernel.state, 1, True, arena, 0) == len(wanted)


def read_state(position: oracle.Position) -> tuple[int, ...]:
    """Return the state of a kernel for one of the oracle's positions."""
    return tuple(read(position).kernel(compile=False).state)


@pytest.mark.parametrize("size", SIZES)
def test_the_interpreted_kernel_has_the_positions_of_the_oracle(size: int) -> None:
    """Each once, in the order of their first moves."""
    for position, moves in sample(size)[:: 1 if size > 5 else 4]:
        compare_kernel(position, moves, compile=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "run"),
    [
        (4, 4),
        (5, 4),  # more than a word of the machine
        *(pytest.param(*case, marks=pytest.mark.campaign) for case in ((2, 2), (2, 3), (3, 2), (3, 3), (3, 4), (3, 5))),
        *(pytest.param(*case, marks=pytest.mark.campaign) for case in ((4, 2), (4, 3), (4, 5), (4, 7))),
        *(pytest.param(*case, marks=pytest.mark.campaign) for case in ((5, 3), (6, 3), (7, 3), (9, 3), (12, 3))),
    ],
)
def test_the_compiled_kernel_has_the_positions_of_the_oracle(size: int, run: int) -> None:
    """The same; boards of side 5 and more do not fit a machine word. Each length of runs is compiled by itself."""
    if size <= QUICK:
        positions = [(position, moves) for position, moves in sample(size) if position.length == run]
    else:
        positions = [
            (position, oracle.moves(position)) for position in samples.sample(Random(size), size, [run], AMOUNTS[size])
        ]
    for position, moves in positions:
        compare_kernel(position, moves, compile=True)
    assert len(positions) > (10 if size < QUICK else 2)


TWO_ORDERS = "3 3 15 4\n4 2 B\n  _ _ W\n W _ _ W\nW B W _ _\n _ W W _\n  _ W _\n"
"""After a1-b2 three white rows stand: one crosses the two others, and either of these breaks it."""


def test_choices_that_end_the_same_in_either_order_are_one_move() -> None:
    """Two texts for one push and one final position: the first is the move, the other is understood as it."""
    position = GIPF.read(TWO_ORDERS)
    texts = [successor.move for successor in position.successors()]
    assert [text for text in texts if text.startswith("a1-b2")] == ["a1-b2 w: b3 e2"]
    assert position.resolve("a1-b2 w: e5 e2").move == "a1-b2 w: b3 e2"
    kernel = position.kernel(compile=False)
    assert kernel.rules.perft(kernel.state, 1, False, kernel.arena(20000), 0) == len(texts)


def test_a_row_of_the_mover_named_in_the_opponents_colour_is_a_wrong_colour() -> None:
    """Also where that row crosses no other and rows of the opponent are to be taken as well."""
    position = GIPF.read("3 3 9 9\n6 6 W\n_ W _\n_ W _ _\nW B _ _ _\n_ B _ _\nB _ _\n")
    with pytest.raises(BadMove) as refused:
        position.resolve("a1-b2 b: c5 c3")
    assert refused.value.code == "WRONG_COLOR_OF_CHOSEN_ROW"
