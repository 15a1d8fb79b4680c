"""The most likely ratings of the ladder, and how far those of the ladder agree with them."""

import pytest

from server.league.ladder.agreement import MIN_GAMES, Agreement, agreement, levels_by_results, most_likely_ratings
from server.league.ladder.players import LadderGame, LadderPlayer, Rating, VersionStart
from tests.server.league.ladder.simulated import VARIANT, Ladder

PLAYERS = {name: LadderPlayer(name, name) for name in ("ann", "bob")} | {
    "low": LadderPlayer("low", "", 1000.0),
    "high": LadderPlayer("high", "", 1400.0),
}


def played(*results: tuple[str, str, float]) -> list[LadderGame]:
    return [LadderGame(number, VARIANT, *result, 0.0) for number, result in enumerate(results, 1)]


def both_ways(first: str, second: str, won: int, lost: int) -> list[tuple[str, str, float]]:
    return [(first, second, 1.0), (second, first, 0.0)] * won + [(first, second, 0.0), (second, first, 1.0)] * lost


def test_fixed_points_keep_their_ratings_and_give_the_others_theirs() -> None:
    results = both_ways("ann", "low", 500, 50) + both_ways("ann", "high", 500, 500) + both_ways("low", "high", 9, 9)
    likely = most_likely_ratings(played(*results), PLAYERS)
    assert likely.keys() == {"ann", "low", "high"}
    assert likely["low"] == pytest.approx(1000) and likely["high"] == pytest.approx(1400)
    assert likely["ann"] == pytest.approx(1400, abs=3)


def test_one_fixed_point_is_enough_and_without_any_the_average_is_0() -> None:
    games = played(*both_ways("ann", "low", 100, 10))
    assert most_likely_ratings(games, PLAYERS) == pytest.approx({"ann": 1400, "low": 1000}, abs=4)
    free = most_likely_ratings(played(*both_ways("ann", "bob", 100, 10)), PLAYERS)
    assert free == pytest.approx({"ann": 200, "bob": -200}, abs=3)
    assert most_likely_ratings([], PLAYERS) == {}


def test_each_version_is_rated_by_its_own_games() -> None:
    games = played(*both_ways("ann", "low", 10, 100), *both_ways("ann", "low", 100, 10))
    starts = [VersionStart("ann", 220)]
    assert most_likely_ratings(games, PLAYERS, starts)["ann"] == pytest.approx(1400, abs=5)
    assert most_likely_ratings(games, PLAYERS)["ann"] == pytest.approx(1000, abs=5)
    # the newest one has not played
    assert most_likely_ratings(games, PLAYERS, [*starts, VersionStart("ann", 440)]).keys() == {"low"}


def test_levels_that_are_nearer_to_each_other_than_the_file_says_are_found_out() -> None:
    results = both_ways("ann", "low", 400, 100) + both_ways("ann", "high", 250, 250) + both_ways("ann", "low", 8, 2)
    found = levels_by_results(played(*results), PLAYERS)
    assert found == pytest.approx({"low": 1000, "high": 1241}, abs=2)
    assert levels_by_results(played(*both_ways("ann", "bob", 2, 1)), PLAYERS) == {}
    few = both_ways("ann", "high", 9, 1) + both_ways("ann", "low", 8, 1)
    assert levels_by_results(played(*few), PLAYERS) == pytest.approx({"high": 1400})  # low has 18 games


def test_agreement_compares_those_who_have_played_enough() -> None:
    ratings = {
        "ann": Rating(1500, 40, MIN_GAMES),
        "bob": Rating(1300, 40, MIN_GAMES),
        "new": Rating(2000, 300, MIN_GAMES - 1),
        "low": Rating(1000, 0, 500),
    }
    likely = {"ann": 1510.0, "bob": 1270.0, "new": 0.0, "low": 1000.0}
    assert agreement(ratings, likely, PLAYERS) == Agreement(2, 20, 30, 1)
    assert agreement(ratings, likely | {"ann": 1200.0}, PLAYERS).rank_correlation == -1
    assert agreement({"ann": ratings["ann"]}, likely, PLAYERS) == Agreement(1)
    equal = {name: Rating(1500, 40, MIN_GAMES) for name in ("ann", "bob")}
    assert agreement(equal, {"ann": 1500.0, "bob": 1500.0}, PLAYERS) == Agreement(2, 0, 0, 1)
    assert agreement(equal, likely, PLAYERS).rank_correlation == 0
    # nothing holds these two lists at the same height
    without = {name: PLAYERS[name] for name in ("ann", "bob")}
    assert agreement(ratings, {"ann": 110.0, "bob": -90.0}, without) == Agreement(2, 0, 0, 1)


def test_ratings_game_by_game_agree_with_the_most_likely_ones() -> None:
    ladder = Ladder({f"author{number}": 1 for number in range(12)}, 5)
    ladder.play(900)
    found = agreement(ladder.ratings, most_likely_ratings(ladder.games, ladder.players), ladder.players)
    assert found.players == 12
    assert found.mean is not None and found.mean < 30
    assert found.largest is not None and found.largest < 80
    assert found.rank_correlation is not None and found.rank_correlation > 0.95
