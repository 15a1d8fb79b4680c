"""Games of a duel between players that are made up, and the openings of all games."""

from collections.abc import Callable
from itertools import islice
from random import Random
from zlib import crc32

import pytest
from hypothesis import given, strategies as st

from engine.duel.games import DuelGame, Player, Reply, play, play_pair
from engine.duel.openings import SAMPLE, Opening, openings, split_mix, usual_plies
from engine.games.catalogue import GAMES
from engine.games.interface import EVALUATION_LIMIT, Game, History, Position
from engine.search.searcher import Searcher, SearchLimits
from tests.games.cases import EVERY_GAME, named

LINE = GAMES["mnk"].start("3 3 3")


class Scripted:
    """Answers what a function of the position says, and keeps what it was asked."""

    def __init__(self, choose: Callable[[Position], str], ms: float = 1.0) -> None:
        self.choose, self.ms = choose, ms
        self.asked: list[tuple[int, int]] = []

    def __call__(self, game: int, history: History) -> Reply:
        self.asked.append((game, history.plies))
        return Reply(self.choose(history.position), self.ms, 7)


def first(position: Position) -> str:
    return position.legal_moves[0]


def last(position: Position) -> str:
    return position.legal_moves[-1]


def game_between(
    start: Position,
    a: Player,
    b: Player,
    *,
    begins: int = 0,
    opening: tuple[str, ...] = (),
    move_limit: int = 1000,
) -> DuelGame:
    return play(5, begins, start, opening, (a, b), move_limit)


def test_each_side_begins_one_game_of_a_pair() -> None:
    a, b = Scripted(first), Scripted(last)
    pair = play_pair(4, LINE, LINE.legal_moves[4:5], (a, b), 1000)
    assert [game.first for game in pair.games] == [0, 1]
    assert [game.moves[:1] for game in pair.games] == [tuple(LINE.legal_moves[4:5])] * 2
    # one move was random: the side that did not begin is asked first
    assert [game for game, plies in b.asked if plies == 1] == [8]
    assert [game for game, plies in a.asked if plies == 1] == [9]
    assert pair.points == sum(1 if game.winner is None else 2 * (game.winner == 0) for game in pair.games)


@pytest.mark.parametrize("begins", [0, 1])
@given(chance=st.randoms(use_true_random=False))
def test_the_winner_is_who_the_rules_say(begins: int, chance: Random) -> None:
    def any_move(position: Position) -> str:
        return chance.choice(position.legal_moves)

    game = game_between(LINE, Scripted(any_move), Scripted(any_move), begins=begins)
    history = History.begin(LINE)
    for move in game.moves:
        assert history.outcome(1000) is None
        history = history.after(move)
    outcome = history.outcome(1000)
    assert outcome is not None and game.reason == outcome.reason
    # side 0 of the board is played by whoever began
    assert game.winner == (None if outcome.winner is None else (begins if outcome.winner == 0 else 1 - begins))
    assert game.points == {None: 1, 0: 2, 1: 0}[game.winner]
    asked = len(game.moves)
    assert (game.used[begins].moves, game.used[1 - begins].moves) == ((asked + 1) // 2, asked // 2)
    assert game.used[begins].nodes == 7 * game.used[begins].moves


def test_the_limit_of_moves_counts_the_opening() -> None:
    opening = tuple(LINE.legal_moves[:1])
    game = game_between(LINE, Scripted(first), Scripted(first), opening=opening, move_limit=3)
    assert (game.winner, game.reason, len(game.moves)) == (None, "move_limit", 3)


def even(_position: Position) -> int:
    return 0


def by_key(position: Position) -> int:
    """Judge a position by what looks like chance, but is the same each time."""
    return crc32(position.text().encode()) % 201 - 100


def by_search(position: Position) -> int:
    kernel = position.kernel(compile=False)
    score = Searcher(kernel, megabytes=1).think(kernel.state, (), SearchLimits(depth=1), clock=lambda: 0.0).score
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
    found = drawn(game, 3, by_search)
    assert found == drawn(game, 3, by_search)
    assert len({opening.position.key for opening in found}) == len(found) > 0
    start = game.start(game.default_parameters)
    for opening in found:
        position = start
        for move in opening.moves:
            position = position.play(move)
        assert position == opening.position
        assert len(opening.moves) == usual_plies(start)
        assert position.outcome is None
        assert abs(by_search(position)) <= EVALUATION_LIMIT


@pytest.mark.slow("interpreted")
def test_other_seeds_give_other_openings() -> None:
    first, second = (set(drawn(GAMES["gipf"], 4, even, seed=seed)) for seed in (1, 2))
    assert not first & second


def test_a_bound_is_kept() -> None:
    found = drawn(GAMES["mnk"], 10, by_key, bound=20)
    assert {abs(by_key(opening.position)) <= 20 for opening in found} == {True}


def test_without_a_bound_the_better_half_is_taken() -> None:
    start = GAMES["mnk"].start("8 8 5")
    every = list(islice(openings(start, 4, 3, by_key, 10_000), SAMPLE))
    median = sorted(abs(by_key(opening.position)) for opening in every)[SAMPLE // 2 - 1]
    better = [opening for opening in every if abs(by_key(opening.position)) <= median]
    assert len(better) < SAMPLE
    assert list(islice(openings(start, 4, 3, by_key), len(better))) == better


@pytest.mark.slow("interpreted")
def test_what_is_won_in_sight_is_no_opening() -> None:
    def won(position: Position) -> int:
        return EVALUATION_LIMIT + 1 if by_key(position) > -80 else 0

    found = drawn(GAMES["mnk"], 3, won)
    assert len(found) == 3
    assert all(by_key(opening.position) <= -80 for opening in found)


@pytest.mark.slow("interpreted")
def test_they_end_when_there_are_no_more() -> None:
    start = GAMES["mnk"].start("2 2 2")
    # 4 fields for the first piece, 3 for the second: 12 positions
    assert len(list(openings(start, 2, 1, even, 0))) == 12
    # every game is over after three moves
    assert list(openings(start, 3, 1, even)) == []
    assert list(openings(start, 2, 1, lambda position: 5, 4)) == []


@pytest.mark.parametrize("game", EVERY_GAME, ids=named)
def test_usual_plies_are_few_and_even(game: Game) -> None:
    plies = usual_plies(game.start(game.default_parameters))
    assert plies % 2 == 0
    assert 2 <= plies <= 12
