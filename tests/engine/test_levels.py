"""Levels of strength: the same moves in the same game everywhere, and others with another seed."""

import pytest
from inline_snapshot import snapshot
from inline_snapshot.extra import raises

from engine.games.catalogue import GAMES
from engine.games.interface import Game, History
from engine.levels import LEVELS, MAX_LEVEL, NODES_SPREAD, BadLevel, level_limits, read_level
from engine.search.searcher import HistoryKeys, Searcher, SearchLimits, SearchResult, Stop
from tests.clocks import never

SMALL = {"gipf": "3 3 6 6", "arrows": "4 4", "mnk": "4 4 3"}


def begun(name: str) -> History:
    game = GAMES[name]
    return History.begin(game.start(SMALL.get(name, game.default_parameters)))


def think(history: History, searcher: Searcher, limits: SearchLimits, stop: Stop | None = None) -> SearchResult:
    state = history.position.kernel(compile=searcher._kernel.compiled).state
    return searcher.think(state, HistoryKeys().before(history), limits, clock=never, stop=stop)


def game_at(name: str, level: int, seed: int, plies: int, *, compile: bool = False, fresh: bool = False) -> History:
    """Let a level play both sides, with one searcher for all moves or with a fresh one for each."""
    history = begun(name)
    kernel = history.position.kernel(compile=compile)
    searcher = Searcher(kernel, megabytes=1)
    while history.plies < plies and history.outcome(plies) is None:
        if fresh:
            searcher = Searcher(kernel, megabytes=2, threads=2)
            think(begun(name), searcher, SearchLimits(nodes=50))
        found = think(history, searcher, SearchLimits(level=level, seed=seed))
        history = history.after(found.move(history.position))
    return history


def test_what_is_drawn_depends_on_level_seed_position_and_ply_alone() -> None:
    nodes, random = level_limits(9, 17, -5, 12)
    assert nodes / LEVELS[8].nodes == pytest.approx(0.59108, abs=0.0001) and random is None
    assert (
        len({level_limits(9, *chosen)[0] for chosen in [(17, -5, 12), (18, -5, 12), (17, -4, 12), (17, -5, 13)]}) == 4
    )


@pytest.mark.parametrize("level", range(1, MAX_LEVEL))
def test_as_many_moves_are_random_and_as_many_nodes_looked_at_as_the_level_says(level: int) -> None:
    allowed, draws = LEVELS[level - 1], [level_limits(level, 1, key, key % 60) for key in range(2000)]
    assert sum(random is not None for _, random in draws) / 2000 == pytest.approx(allowed.random_moves, abs=0.03)
    assert sum(nodes for nodes, _ in draws) / 2000 == pytest.approx(allowed.nodes, rel=0.03)
    assert all(abs(nodes - allowed.nodes) <= NODES_SPREAD * allowed.nodes + 1 for nodes, _ in draws)


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_moves_depend_on_the_game_so_far_alone(game: Game) -> None:
    for level in (1, 3):
        played = game_at(game.name, level, 3, 8)
        assert played.moves == game_at(game.name, level, 3, 8, fresh=True).moves


@pytest.mark.slow("interpreted")
@pytest.mark.parametrize("level", [1, 4])
def test_another_seed_plays_another_game(level: int) -> None:
    assert len({game_at("gipf", level, seed, 4).moves for seed in range(3)}) > 1


@pytest.mark.slow("interpreted")
def test_a_random_move_is_legal_and_says_that_nothing_was_searched() -> None:
    history = begun("gipf")
    searcher = Searcher(history.position.kernel(compile=False), megabytes=1)
    found = [think(history, searcher, SearchLimits(level=1, seed=seed)) for seed in range(40)]
    random = [thought for thought in found if thought.nodes == 0]
    assert 10 < len(random) < 40 and {thought.score for thought in random} == {None}
    moves = {thought.move(history.position) for thought in random}
    assert moves < set(history.position.legal_moves) and len(moves) > 5


def test_what_is_no_level_is_refused_in_a_sentence() -> None:
    for text in ("", "0", "11", "-1", "x", "٣", "1" * 20):
        with pytest.raises(BadLevel):
            read_level(text)
    with raises(snapshot("BadLevel: the level is '3.5', but it has to be a whole number from 1 to 10")):
        read_level("3.5")
    assert read_level("10") == 10
