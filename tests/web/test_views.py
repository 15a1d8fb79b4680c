"""Boards and moves for pages, against the engine: motions lead from view to view."""

from random import Random

import msgspec
import pytest

from engine.games.boards.layout import Piece
from engine.games.catalogue import GAMES
from engine.games.interface import Game
from server.web.views.board import Motion, PositionView, motion, view
from tests.games.cases import EVERY_VARIANT, named
from tests.games.stones import STONES

DRAWN = [case for case in EVERY_VARIANT if case[0] is not STONES]


def carried_out(before: PositionView, made: Motion) -> dict[str, int]:
    """Do on the board what a motion says, as the page does."""
    board = {piece.field: piece.side for piece in before.pieces}
    moving = [(board.pop(start), end) for start, end in made.slides]
    for side, end in moving:
        assert end not in board
        board[end] = side
    if made.placed is not None:
        assert made.placed not in board
        board[made.placed] = made.side
    for field in made.taken:
        del board[field]
    return board


def returned_to(before: PositionView, made: Motion, after: PositionView) -> bool:
    """Tell whether the reserves have grown by the pieces that a motion of GIPF sends back."""
    assert before.stock is not None and after.stock is not None
    board = carried_out(before, msgspec.structs.replace(made, taken=()))
    for side in (0, 1):
        back = sum(board[field] == side for field in made.returned)
        captured = sum(board[field] == side for field in made.taken) - back
        spent = 1 if side == made.side else 0
        if after.stock[side] != (before.stock[side].reserve - spent + back, before.stock[side].captured + captured):
            return False
    return True


@pytest.mark.parametrize(("game", "parameters"), DRAWN, ids=named)
def test_a_motion_leads_from_view_to_view(game: Game, parameters: str) -> None:
    chance = Random(5)
    position = game.start(parameters)
    before = view(position)
    assert before.layout is not None
    places = {place.name for place in before.layout.fields}
    dots = {place.name for place in before.layout.dots}
    for _ in range(120):
        children = list(position.children())
        if not children:
            break
        few = chance.sample(children, min(len(children), 8))
        taking = [one for one in few if motion(position, one.move).taken]
        move, after_position = chance.choice(taking or few)
        made, after = motion(position, move), view(after_position)
        assert set(made.returned) <= set(made.taken)
        if game.name == "gipf":
            assert returned_to(before, made, after)
        assert carried_out(before, made) == {piece.field: piece.side for piece in after.pieces}
        assert {piece.field for piece in after.pieces} <= places and made.target in places
        assert made.target == (made.placed or made.slides[-1][1])
        assert made.source is None or made.source in dots
        position, before = after_position, after
    if not list(position.children()):
        assert before.ending is not None and before.ending.sentence
        winner = before.ending.winner
        assert before.ending.result == ("draw" if winner is None else game.sides[winner])


def test_pieces_are_those_of_the_text() -> None:
    position = GAMES["gipf"].start("4 4 15 15")
    assert sorted(view(position).pieces) == sorted(
        [*(Piece(name, 0) for name in ("b5", "h5", "e2")), *(Piece(name, 1) for name in ("e8", "h2", "b2"))]
    )
    stock = view(position).stock
    assert stock is not None and [tuple(side) for side in stock] == [(12, 0), (12, 0)]


def test_arrows_tell_where_they_point_and_where_the_next_one_goes() -> None:
    position = GAMES["arrows"].start("5 4 1 1 5 4 2 6 3 3").play("3")
    seen = view(position)
    assert Piece("2,1", 0, 3) in seen.pieces and Piece("5,4", 1, 6) in seen.pieces
    assert seen.aims == ("3,2", "4,4") and seen.blocked == ("3,3",)
    assert view(position.play("4")).aims == ("3,2", None)  # that one points off the board


def test_what_has_decided_a_game_is_told_when_it_is_over() -> None:
    position = GAMES["mnk"].start("3 3 3")
    for move in ("a1", "a2", "b2", "a3"):
        position = position.play(move)
        assert view(position).decisive == ()
    assert sorted(view(position.play("c3")).decisive) == ["a1", "b2", "c3"]
    position = GAMES["arrows"].start("5 4 1 1 5 4 2 6 3 3").play("3").play("4")
    assert view(position).decisive == ()
    position = position.play("0")
    over = view(position)
    assert over.ending is not None and over.ending.winner == 0 and over.decisive == ("4,4",)
