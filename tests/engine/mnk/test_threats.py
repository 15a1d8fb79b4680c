"""Wins by fours and open threes are found within few nodes."""

import pytest

from engine.games.interface import EVALUATION_LIMIT, WIN, Position
from engine.games.mnk.position import MNK
from engine.search.searcher import Searcher, SearchLimits, SearchResult
from tests.oracles import mnk as oracle

OPEN_THREE = """
. . . . . . . . .
. . . . . . . . .
. . . o . . . . .
. . . . . . . . .
. . x x x . . . .
. . . . . . . . .
. . . o . o . . .
. . . . . . . . .
. . . . . . . . .
"""
DOUBLE_FOUR = """
. . . . . . . . .
. . . . . . . . .
. . . . o . . . .
. . o . . . . . .
. o x x x . . . .
. . . . . x . . .
. . o . . x . . .
. . . . . x . . .
. . . . . o . . .
"""
FOUR_THREE = """
. . . . . . . . .
. . . o . . . . .
. . . . . o . . .
. . . . x . . . .
. o x x . . x . .
. . . . x o . . .
. . . . . . . . .
. . . . o . . . .
. . . . . . . . .
"""
FIVE_FOURS = """
. . . . . . . . . . . . . . .
. . . . . . . . . . . . . . .
. . . . . . . . . . . . . . .
. . . . . . . x x . o o . . .
. . . . x o . o o . . . . . .
. . . . . . x . o . . x . . .
. . . . x . . . o . . . . . .
. . . . . . x . . . x . . . .
. . . . x . . o x . . x . . .
. . . o . . . o o . . o . . .
. . . . . x . . . . . x . . .
. . . x . o o . . . x o . . .
. . . . . . . . . . . . . . .
. . . . . . . . . . . . . . .
. . . . . . . . . . . . . . .
"""
SIX_FOURS = """
. . . . . . . . . . . . . . .
. . . . . . . . . . . . . . .
. . . . . . . . . . . . . . .
. . . o o . o x o . . x . . .
. . . . x . . . o x . . . . .
. . . . . x o o . x . . . . .
. . . x . o o x . . x . . . .
. . . . x . . o x . x . . . .
. . . . . . . . . . o . . . .
. . . . o . . . o . . . . . .
. . . x . . o . x o . x . . .
. . . . . o x o x x o . . . .
. . . . . . . . . . . . . . .
. . . . . . . . . . . . . . .
. . . . . . . . . . . . . . .
"""
THREE_THREE = """
. . . . . . . . .
. . . . . . . . .
. . . o . . o . .
. . . . x . . . .
. . . . x . . . .
. . x x . . . . .
. . . . . . o . .
. . . o . . . . .
. . . . . . . . .
"""


THREE_FOURS = """
. . . o o x o x o
o o . x . . . x x
. o . . . x . x x
o . x . . . . . o
o o . x . . . . .
. x . . . . . . .
. . x x . . o . o
x x . . . x . . .
o . . x . x . o o
"""
MANY_FOURS = """
x o . o . o o
. . . o x o x
x x . x . . x
o . . o . x .
o . x x o x .
o x o o . . .
. . o o . x o
"""


def read(text: str, player: int) -> oracle.Position:
    """Return the position of a drawing, in which x are the pieces of player 1; five make a line."""
    board = tuple(tuple(".xo".index(mark) for mark in line.split()) for line in text.strip().splitlines())
    return oracle.Position(board, 5, player)


def position_of(position: oracle.Position) -> Position:
    return MNK.read(oracle.text(position))


def think(position: oracle.Position, limits: SearchLimits) -> SearchResult:
    searcher = Searcher(position_of(position).kernel(compile=False), megabytes=1)
    return searcher.think(position_of(position).kernel(compile=False).state, limits=limits, clock=lambda: 0.0)


WON = [
    pytest.param(OPEN_THREE, 3, {"b5", "f5"}, id="open three"),
    pytest.param(DOUBLE_FOUR, 3, {"f5"}, id="double four"),
    pytest.param(FOUR_THREE, 5, {"e5"}, id="four and open three"),
    pytest.param(THREE_THREE, 5, {"e4"}, id="two open threes"),
    pytest.param(FIVE_FOURS, 11, {"e10"}, id="five fours"),
    pytest.param(SIX_FOURS, 13, {"j7"}, id="six fours"),
]
"""Positions, the plies that the shortest win takes, and the moves that begin it, as a plain prover of threats found."""


@pytest.mark.parametrize(("text", "plies", "moves"), WON)
def test_wins_by_threats_are_found(text: str, plies: int, moves: set[str]) -> None:
    """At the first ply, and as short as they are."""
    found = think(read(text, 1), SearchLimits(depth=1))
    assert (found.move(position_of(read(text, 1))) in moves, found.plies_to_end) == (True, plies)


@pytest.mark.parametrize(("text", "plies"), [(THREE_FOURS, 7), (MANY_FOURS, None)], ids=["three fours", "many fours"])
def test_a_chain_of_fours_is_the_shortest_one_and_none_is_claimed_without_a_proof(text: str, plies: int | None) -> None:
    """The last position has more fours than the search may try."""
    value = position_of(read(text, 1)).kernel(compile=False).evaluate()
    assert value == WIN - plies if plies else abs(value) < EVALUATION_LIMIT


@pytest.mark.parametrize("parameters", ["1 1 1", "1 1 2", "1 19 3", "2 2 2", "3 3 3", "19 19 1", "19 19 5", "4 4 9"])
def test_boards_of_all_sizes_are_searched_to_the_end(parameters: str) -> None:
    """From the empty board, and by moves of the search until the game is over or the board is half full."""
    position = MNK.start(parameters)
    searcher = Searcher(position.kernel(compile=False), megabytes=0)
    moves = 0
    while position.outcome is None and moves < 12:
        found = searcher.think(position.kernel(compile=False).state, limits=SearchLimits(nodes=200), clock=lambda: 0.0)
        position = position.play(found.move(position))
        moves += 1
    assert moves == {"1 1 1": 1, "1 1 2": 1, "2 2 2": 3, "3 3 3": 9, "19 19 1": 1}.get(parameters, 12)
