import pytest

from engine.statistics.elo import Decision, estimate
from server.contest.fixtures import FORFEIT, Fixture, GameResult
from server.contest.formats.round_robin import RoundRobin
from server.contest.report.contents import compare_entrants
from server.contest.report.structure import TEST
from tests.server.contest.played import better_wins, by_seed, contest, play


def test_pairs_are_counted_by_the_points_of_the_first_one() -> None:
    games = play(contest(3, RoundRobin(4), variants=2), by_seed(3, draws=0.4))
    (found,), (back,) = compare_entrants(games, ("a1", "a2")), compare_entrants(games, ("a2", "a1"))
    assert sum(found.pairs) == 8 and found.pairs == back.pairs[::-1]
    between = [game for game in games if {"a1", "a2"} == set(game.fixture.players)]
    score = sum(game.points(game.fixture.players.index("a1")) for game in between)
    assert sum(number * half / 2 for half, number in enumerate(found.pairs)) == score
    assert (found.elo, found.los, found.ratio) == (*estimate(found.pairs)[::2], TEST.ratio(found.pairs))


def test_the_test_is_decided_by_many_pairs() -> None:
    games = play(contest(2, RoundRobin(60)), better_wins)
    assert TEST.decide(compare_entrants(games, ("a1", "a2"))[0].ratio) is Decision.H1
    assert [compare_entrants(some, ("a2", "a1"))[0].verdict for some in (games, games[:2])] == ["a1", ""]


@pytest.mark.parametrize("termination", ["line", FORFEIT])
def test_half_pairs_and_games_not_played_tell_nothing(termination: str) -> None:
    fixture = Fixture(0, 1, 0, 0, 0, ("a1", "a2"))
    games = [GameResult(fixture, 1, 0, "line")]
    if termination == FORFEIT:
        games.append(GameResult(fixture.swapped, None, 1, FORFEIT))
    assert compare_entrants(games, ("a1", "a2")) == ()
