from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from engine.games.interface import Termination
from server.contest.fixtures import Fixture, GameResult
from server.contest.formats.meetings import Ladder
from server.contest.plan import Present, plan
from tests.server.contest.played import better_wins, by_seed, contest, final_plan, play


def who(fixtures: tuple[Fixture, ...]) -> set[frozenset[str]]:
    return {frozenset(fixture.players) for fixture in fixtures}


def test_only_those_who_are_free_are_paired_and_each_plays_one_pair() -> None:
    definition = contest(6, Ladder(100, 0))
    assert plan(definition, []).due == ()
    assert plan(definition, [], Present(free=("a2",))).due == ()
    due = plan(definition, [], Present(free=("a5", "a2", "a3"))).due
    assert len(due) == 2 and due[0].swapped == due[1]
    due = plan(definition, [], Present(free=("a1", "a2", "a3", "a4", "nobody"))).due
    assert len(who(due)) == 2 and len(due) == 4


def test_second_game_of_a_pair_comes_before_another_pair() -> None:
    definition = contest(4, Ladder(100, 0))
    connected_sessions = tuple(entrant.name for entrant in definition.entrants)
    first, second, *others = plan(definition, [], Present(free=connected_sessions)).due
    now = plan(definition, [better_wins(first)], Present(frozenset(others), connected_sessions))
    assert now.due == (second,)
    # after a server that has died, what was running and has no finished game is paired again
    after = plan(definition, [better_wins(first)], Present(free=connected_sessions)).due
    assert after[0] == second and len(after) == 3


@pytest.mark.slow
def test_neighbours_meet_most_but_not_only_each_other() -> None:
    definition = contest(6, Ladder(100, 0), variants=2)

    def better_wins_often(fixture: Fixture) -> GameResult:
        return better_wins(fixture) if Random(str(fixture)).random() < 0.5 else by_seed(1)(fixture)

    games = play(definition, better_wins_often)
    assert len(games) == 100
    met = Counter(frozenset(game.fixture.players) for game in games)
    near, far = met[frozenset(("a1", "a2"))], met[frozenset(("a1", "a6"))]
    assert far < near / 2
    of_a1 = sum(number for names, number in met.items() if "a1" in names)
    assert near < of_a1 / 2
    had = Counter(name for game in games for name in game.fixture.players)
    assert max(had.values()) - min(had.values()) <= 10
    begun = Counter(game.fixture.players for game in games)
    assert all(begun[one, other] == begun[other, one] for one, other in begun)
    variants = Counter(game.fixture.variant for game in games)
    assert variants[0] == variants[1]


@pytest.mark.slow
@settings(max_examples=15)
@given(st.integers(2, 6), st.integers(1, 40), st.integers(0, 1000))
def test_it_ends_with_the_number_of_games_whole_pairs_only(entrants: int, number: int, seed: int) -> None:
    definition, result = contest(entrants, Ladder(number, 0)), by_seed(seed)
    games = play(definition, result)
    assert len(games) == number + number % 2
    last = games[-1].fixture
    # the game of a further meeting, and a game from a wrong opening
    for forged in (last._replace(round=last.round + 1, opening=last.round), last._replace(opening=last.round)):
        assert forged not in plan(definition, [*games, result(forged)]).stages[0].schedule.fixtures


def test_it_ends_with_its_time_and_lets_pairs_end_that_have_begun() -> None:
    definition = contest(2, Ladder(0, 3600))
    names = ("a1", "a2")
    first, second = plan(definition, [], Present(free=names, seconds={0: 3599})).due
    half = [better_wins(first)]
    assert plan(definition, half, Present(free=names, seconds={0: 3600})).due == (second,)
    assert not plan(definition, half, Present(free=names, seconds={0: 3600})).over
    assert plan(definition, [*half, better_wins(second)], Present(seconds={0: 3600})).over
    assert not plan(definition, [*half, better_wins(second)], Present(seconds={0: 3599})).over


def test_who_is_disqualified_is_paired_no_more() -> None:
    definition = contest(3, Ladder(30, 0), time_losses=2)
    games = play(definition, by_seed(1, late=1.0, slow="a2"))
    of_a2 = [game for game in games if "a2" in game.fixture.players]
    assert [game.termination for game in of_a2] == [Termination.TIME] * 2
    assert len(games) == 30
    definition = contest(2, Ladder(30, 0), time_losses=1)
    games = play(definition, by_seed(1, late=1.0, slow="a2"))
    assert [game.played for game in games] == [True, False]
    assert final_plan(definition, games).over
