"""The search on arrows proves the boards that are solved."""

import pytest

from engine.games.arrows.position import ARROWS
from engine.search.searcher import Searcher, SearchLimits
from tests.oracles import arrows as oracle


@pytest.mark.slow
def test_the_shortest_win_is_found() -> None:
    for direction in (2, 3):
        position = oracle.in_corners(4, 4, direction)
        start = ARROWS.read(oracle.board_text(position))
        thought = Searcher(start.kernel(), megabytes=1).think(start, limits=SearchLimits(exact=True), clock=lambda: 0.0)
        assert thought.plies_to_end == oracle.length(position, {})
        assert len(thought.pv) == thought.plies_to_end
