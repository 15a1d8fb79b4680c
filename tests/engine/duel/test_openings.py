"""Openings: what is promised of them, in every game."""

from collections.abc import Callable
from itertools import islice
from zlib import crc32

import pytest

from engine.duel.openings import SAMPLE, Opening, openings, split_mix, usual_plies
from engine.games.catalogue import GAMES
from engine.games.interface import EVALUATION_LIMIT, Game, Position
from engine.search.searcher import Searcher, SearchLimits
from tests.games.cases import EVERY_GAME, named


def even(_position: Position) -> int:
    return 0


def by_key(position: Position) -> int:
    """Judge a position by what looks like chance, but is the same each time."""
    return crc32(position.text().encode()) % 201 - 100


def by_search(position: Position) -> int:
    searcher = Searcher(position.kernel(compile=False), megabytes=1)
    score = searcher.think(position, (), SearchLimits(depth=1), clock=lambda: 0.0).score
    assert score is not None
    return score


def drawn(game: Game, count: int, judge: Callable[[Position], int], *, seed: int = 1, **more: int) -> list[Opening]:
    start = game.start(game.default_parameters)
    return list(islice(openings(start, usual_plies(start), seed, judge, **more), count))


def test_random_numbers_are_those_of_splitmix() -> None:
    """The published test values for the seed 1234567."""
    assert list(islice(split_mix(1234567), 5)) == [
        6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821,
    ]  # fmt: skip


@pytest.mark.slow("interpreted")
@pytest.mark.parametrize("game", EVERY_GAME, ids=named)
def test_openings_are_distinct_undecided_and_the_same_for_the_same_seed(game: Game) -> None:
    found = drawn(game, 25, by_search)
    assert found == drawn(game, 25, by_search)
    assert len({opening.position.key for opening in found}) == len(found) > 0
    start = game.start(game.default_parameters)
    for opening in found:
        position = start
        for move in opening.moves:
            position = position.resolve(move).position
        assert position == opening.position
        assert len(opening.moves) == usual_plies(start)
        assert position.verdict() is None
        assert abs(by_search(position)) <= EVALUATION_LIMIT


def test_other_seeds_give_other_openings() -> None:
    first, second = (set(drawn(GAMES["gipf"], 10, even, seed=seed)) for seed in (1, 2))
    assert not first & second


def test_a_bound_is_kept() -> None:
    found = drawn(GAMES["mnk"], 40, by_key, bound=20)
    assert {abs(by_key(opening.position)) <= 20 for opening in found} == {True}


def test_without_a_bound_the_better_half_is_taken() -> None:
    start = GAMES["mnk"].start("8 8 5")
    every = list(islice(openings(start, 4, 3, by_key, 10_000), SAMPLE))
    median = sorted(abs(by_key(opening.position)) for opening in every)[SAMPLE // 2 - 1]
    better = [opening for opening in every if abs(by_key(opening.position)) <= median]
    assert len(better) < SAMPLE
    assert list(islice(openings(start, 4, 3, by_key), len(better))) == better


def test_what_is_won_in_sight_is_no_opening() -> None:
    def won(position: Position) -> int:
        return EVALUATION_LIMIT + 1 if by_key(position) > -80 else 0

    found = drawn(GAMES["mnk"], 10, won)
    assert len(found) == 10
    assert all(by_key(opening.position) <= -80 for opening in found)


@pytest.mark.slow("interpreted")
def test_they_end_when_there_are_no_more() -> None:
    start = GAMES["mnk"].start("3 3 3")
    # 9 fields for the first piece, 8 for the second: 72 positions
    assert len(list(openings(start, 2, 1, even, 0))) == 72
    # every game is over after nine moves
    assert list(openings(start, 9, 1, even)) == []
    assert list(openings(start, 2, 1, lambda position: 5, 4)) == []


@pytest.mark.parametrize("game", EVERY_GAME, ids=named)
def test_usual_plies_are_few_and_even(game: Game) -> None:
    plies = usual_plies(game.start(game.default_parameters))
    assert plies % 2 == 0
    assert 2 <= plies <= 12
