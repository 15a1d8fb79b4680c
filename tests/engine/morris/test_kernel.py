"""The kernel of nine men's morris: children, candidates, evaluation, and positions that are images of each other."""

from collections.abc import Callable
from random import Random

import pytest

from engine.games.morris.board import read
from engine.games.morris.position import MORRIS, bind
from engine.games.morris.rules import (
    BLOCKED,
    BOARD,
    FIELDS,
    FLYING,
    PIECE,
    STEP,
    SWING,
    THREAT,
    TWO,
    State,
    exchange_squares,
    reflect,
    rotate,
)
from tests.engine.morris import samples
from tests.games.judges import sample, state_of, written
from tests.oracles import morris as oracle


def position_of(white: set[int], black: set[int], hand: int) -> oracle.Position:
    """Return a position with White to move; both have as many pieces in hand."""
    board = {field: "W" if field in white else "B" if field in black else "_" for field in oracle.FIELDS}
    return oracle.Position(board, {"W": hand, "B": hand}, "W")


LAST_CAPTURE = position_of({0, 1, 3, 23}, {16, 18, 20}, 0)
"""White makes a mill, and takes one of the last three pieces."""

SINGLE_PIECE = position_of({10, 11}, {0}, 7)
"""White makes a mill, and takes the only piece."""


@pytest.mark.parametrize("few", [True, pytest.param(False, marks=pytest.mark.slow("interpreted"))], ids=["few", "many"])
def test_tactical_children_take_a_piece_and_candidates_begin_with_them_or_are_a_win_alone(few: bool) -> None:
    for position in [*(position for _, position, _ in sample("morris", few=few)), LAST_CAPTURE, SINGLE_PIECE]:
        moves = [(move, move.position) for move in oracle.moves(position)]
        kernel = MORRIS.read(oracle.text_of(position)).kernel(compile=False)
        wanted = {tuple(state_of(MORRIS.read(oracle.text_of(after)))): after for _, after in moves}
        standing = len(oracle.standing(position.board, "_")) - (position.hand[position.turn] > 0)
        taking = [state for state, after in wanted.items() if len(oracle.standing(after.board, "_")) != standing]
        assert written(kernel, "tactical_children") == taking
        win = f"{oracle.NAMES[position.turn]} too_few_pieces"
        quiet = [state for state in wanted if state not in taking]
        has_three = len(oracle.standing(position.board, oracle.OTHER[position.turn])) == FLYING
        is_won = has_three and any(oracle.outcome(wanted[state]) == win for state in taking)
        assert written(kernel, "candidates") == (taking[:1] if is_won else taking + quiet)


def test_a_better_position_is_worth_more() -> None:
    """A piece more, and mills that the next move can make; and the same seen by the other side."""

    def value(header: str, fields: str) -> int:
        kernel = MORRIS.read(f"{header}\n{fields:_<24}\n").kernel(compile=False)
        return int(kernel.rules.evaluate(kernel.state))

    even = value("0 0 W", "W__W__W__B__B__B")
    assert value("0 0 W", "W__W__W_WB__B__B") > even
    assert value("0 0 B", "W__W__W_WB__B__B") == -value("0 0 W", "W__W__W_WB__B__B")
    assert value("0 0 W", "WW_WW__WB_B_B__B") > value("0 0 W", "W_W_W_W_B_B_B__B")


def counted(pieces: set[int], hand: int, empty: set[int]) -> int:
    """Evaluate one side field by field."""

    def completes(field: int, without: int | None = None) -> bool:
        others = pieces - {without}
        return any(field in mill and set(mill) - {field} <= others for mill in oracle.MILLS)

    slides = [(piece, field) for piece in pieces for field in oracle.neighbours(piece) & empty]
    twos = sum(completes(field) for field in empty)
    value = PIECE * (len(pieces) + hand) + TWO * twos + STEP * len(slides)
    if hand or len(pieces) == FLYING:
        return value + THREAT * twos
    closing = [(piece, field) for piece, field in slides if completes(field, piece)]
    swinging = [piece for piece, _ in closing if completes(piece)]
    blocked = [piece for piece in pieces if not oracle.neighbours(piece) & empty]
    return value + THREAT * len(closing) + SWING * len(swinging) - BLOCKED * len(blocked)


def test_evaluation_is_the_sum_of_features_that_are_counted_field_by_field() -> None:
    for _, position, _ in sample("morris", few=True):
        kernel = MORRIS.read(oracle.text_of(position)).kernel(compile=False)
        own, other = position.turn, oracle.OTHER[position.turn]
        sets = {colour: set(oracle.standing(position.board, colour)) for colour in (own, other, "_")}
        mine, theirs = (counted(sets[colour], position.hand[colour], sets["_"]) for colour in (own, other))
        assert kernel.rules.evaluate(kernel.state) == mine - theirs


Map = tuple[Callable[[int], int], Callable[[int, int], tuple[int, int]]]
"""A symmetry done to squares of pieces, and where it carries a field: from (square, place on it) to the same."""

MAPS: dict[str, Map] = {
    "rotated": (rotate, lambda square, number: (square, (number + 2) % 8)),
    "reflected": (reflect, lambda square, number: (square, -number % 8)),
    "exchanged": (exchange_squares, lambda square, number: (2 - square, number)),
}


def states(seed: int, number: int) -> list[State]:
    """Return a sample of positions as the kernel has them."""
    return [read(oracle.text_of(position)) for position in samples.sample(Random(seed), number)]


def images(state: State) -> set[State]:
    """Return a position in all sixteen views."""
    pieces = state.own | state.other << FIELDS
    found = set()
    for flipped in (pieces, reflect(pieces)):
        for view in (flipped, exchange_squares(flipped)):
            for _ in range(4):
                view = rotate(view)
                found.add(state._replace(own=view & BOARD, other=view >> FIELDS))
    return found


@pytest.mark.parametrize("name", MAPS)
def test_a_map_carries_every_field_of_both_sides_where_it_should(name: str) -> None:
    carry, where = MAPS[name]
    for field in range(FIELDS):
        square, number = where(*divmod(field, 8))
        assert carry(1 << field) == 1 << 8 * square + number
        assert carry(1 << field << FIELDS) == 1 << 8 * square + number << FIELDS


@pytest.mark.parametrize(
    "compile", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["interpreted", "compiled"]
)
def test_all_views_of_a_position_have_one_that_stands_for_them(compile: bool) -> None:
    """It is one of them, and nothing else of the position changes."""
    canonical = bind(compile=compile).canonical
    assert canonical is not None
    for state in states(1, 200):
        views = images(state)
        found = {State(*map(int, canonical(view))) for view in views}
        assert len(found) == 1
        assert found <= views
