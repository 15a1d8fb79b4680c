"""The search on arrows proves the boards that are solved."""

import pytest

from engine.games.arrows.position import ARROWS
from engine.games.interface import play
from engine.search.searcher import Searcher, SearchLimits, warm_up
from tests.oracles import arrows as oracle

TRUTH = {
    (4, 4): (True, True, True),
    (5, 4): (False, False, False),
    (5, 5): (False, False, False),
    (6, 4): (False, True, True),
}
"""Whether the first player wins, pointing right, down right and down: section 2.4 of the rules."""


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "rows"), TRUTH)
def test_solved_boards_are_proven(columns: int, rows: int) -> None:
    for direction, won in zip((2, 3, 4), TRUTH[columns, rows], strict=True):
        start = ARROWS.read(oracle.board_text(oracle.in_corners(columns, rows, direction)))
        warm_up(start)
        thought = Searcher(start.kernel(), megabytes=16).think(start, limits=SearchLimits(), clock=lambda: 0.0)
        assert thought.plies_to_end is not None
        assert (thought.plies_to_end > 0) == won
        position = start
        for move in thought.pv:
            assert position.verdict() is None
            position = play(position, move)


@pytest.mark.slow
def test_the_shortest_win_is_found() -> None:
    for direction in (2, 3):
        position = oracle.in_corners(4, 4, direction)
        start = ARROWS.read(oracle.board_text(position))
        thought = Searcher(start.kernel(), megabytes=1).think(start, limits=SearchLimits(exact=True), clock=lambda: 0.0)
        assert thought.plies_to_end == oracle.length(position, {})
        assert len(thought.pv) == thought.plies_to_end
