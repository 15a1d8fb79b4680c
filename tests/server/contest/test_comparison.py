import pytest

from engine.statistics.elo import Decision, Sprt, estimate
from server.contest.fixtures import FORFEIT, Fixture, GameResult
from server.contest.formats.round_robin import RoundRobin
from server.contest.report.ratings_part import compare
from tests.server.contest.played import better_wins, by_seed, contest, play

TEST = Sprt(0, 200)


def test_pairs_are_counted_by_what_the_first_one_got() -> None:
    definition = contest(3, RoundRobin(4), variants=2)
    games = play(definition, by_seed(3, draws=0.4))
    found = compare(games, "a1", "a2", TEST)
    assert sum(found.pairs) == 8
    between = [game for game in games if {"a1", "a2"} == set(game.fixture.players)]
    score = sum(game.points(game.fixture.players.index("a1")) for game in between)
    assert sum(number * half / 2 for half, number in enumerate(found.pairs)) == score
    assert found.pairs == compare(games, "a2", "a1", TEST).pairs[::-1]
    assert found.estimate == estimate(found.pairs)
    assert found.ratio == TEST.ratio(found.pairs)


def test_test_is_decided_by_many_pairs() -> None:
    games = play(contest(2, RoundRobin(30)), better_wins)
    assert compare(games, "a1", "a2", TEST).decision == Decision.H1
    assert compare(games, "a2", "a1", TEST).decision == Decision.H0
    assert compare(games[:2], "a1", "a2", TEST).decision == Decision.OPEN


@pytest.mark.parametrize("termination", ["line", FORFEIT])
def test_half_pairs_and_games_not_played_tell_nothing(termination: str) -> None:
    fixture = Fixture(0, 1, 0, 0, 0, ("a1", "a2"))
    games = [GameResult(fixture, 1, 0, "line")]
    if termination == FORFEIT:
        games.append(GameResult(fixture.swapped, None, 1, FORFEIT))
    found = compare(games, "a1", "a2", TEST)
    assert found.pairs == (0, 0, 0, 0, 0)
    assert found.estimate is None and found.ratio == 0 and found.decision == Decision.OPEN
