"""Search and solver agree with plain minimax on small positions of every game that cannot go on for ever."""

from random import Random

import pytest

from engine.games.interface import Game
from engine.search.searcher import Searcher, SearchLimits
from tests.games.cases import EVERY_GAME, named, random_game


@pytest.mark.parametrize("game", EVERY_GAME, ids=named)
def test_the_search_plays_wins_in_one(game: Game) -> None:
    """Where random play has come to a position in which a move wins, the search finds such a move."""
    chance = Random(3)
    checked = 0
    for _ in range(60):
        for position in random_game(game, game.default_parameters, chance, most=150):
            wins = {
                successor.move
                for successor in position.successors()
                if (outcome := successor.position.verdict()) is not None and outcome.winner == position.turn
            }
            if wins:
                searcher = Searcher(position.kernel(compile=False), megabytes=1)
                thought = searcher.think(position, limits=SearchLimits(depth=2), clock=lambda: 0.0)
                after = position.resolve(thought.move).position.verdict()
                assert after is not None and after.winner == position.turn
                assert thought.plies_to_end == 1
                checked += 1
        if checked >= 5:
            return
    assert checked > 0
