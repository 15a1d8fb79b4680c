"""Ratings of the ladder: against integrals of their own, and in simulations whose strengths are known."""

import math

import pytest

from engine.statistics.online import (
    DAY,
    IDLE_DEVIATION,
    MIN_START_DEVIATION,
    START_DEVIATION,
    START_ELO,
    VERSION_DEVIATION,
    LadderGame,
    LadderPlayer,
    OnlineRating,
    VersionStart,
    decayed,
    rate,
    start_of_version,
    starting,
    update,
)
from tests.server.league.ladder import simulated
from tests.server.league.ladder.simulated import Ladder

BOTS = {name: LadderPlayer(name, f"owner of {name}") for name in ("ann", "bob", "carla")}
LEVELS = {name: LadderPlayer(name, "", elo) for name, elo in simulated.LEVELS.items()}


def game(first: str, second: str, score: float, number: int = 1, ended: float = 0.0) -> LadderGame:
    return LadderGame(number, "gipf 3 3 9 9", first, second, score, ended)


def integrated(mean: float, deviation: float, opponent: float, score: float) -> tuple[float, float]:
    """Return mean and deviation of somebody's strength after a game with somebody whose strength is known."""
    total = first = second = 0.0
    for step in range(-4000, 4001):
        place = step / 400
        won = 1 / (1 + 10 ** ((opponent - mean - place * deviation) / 400))
        weight = math.exp(-place * place / 2) * won**score * (1 - won) ** (1 - score)
        total, first, second = total + weight, first + weight * place, second + weight * place * place
    return mean + deviation * first / total, deviation * math.sqrt(second / total - (first / total) ** 2)


@pytest.mark.parametrize("score", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(("mean", "deviation", "opponent"), [(1500, 30, 1550), (2000, 350, 1000), (2250, 1500, 2250)])
def test_a_game_changes_a_rating_as_the_whole_integral_says(
    mean: float, deviation: float, opponent: float, score: float
) -> None:
    level = LadderPlayer("level", "", opponent)
    new = update({"ann": OnlineRating(mean, deviation)}, game("ann", "level", score), {"level": level} | BOTS)["ann"]
    assert (new.elo, new.deviation) == pytest.approx(integrated(mean, deviation, opponent, score), abs=0.01)


@pytest.mark.parametrize("score", [0.0, 0.5, 1.0])
def test_a_game_of_two_uncertain_players_moves_each_by_its_share_of_the_variance(score: float) -> None:
    before = {"ann": OnlineRating(1500, 300), "bob": OnlineRating(1700, 400)}
    mean, deviation = integrated(-200, 500, 0, score)
    new = update(before, game("ann", "bob", score), BOTS)
    for name, sign, share in (("ann", 1, 0.36), ("bob", -1, 0.64)):
        assert new[name].elo == pytest.approx(before[name].elo + sign * share * (mean + 200), abs=0.01)
        left = before[name].deviation ** 2 - share**2.5 * (500**2 - deviation**2)
        assert new[name].deviation == pytest.approx(math.sqrt(left), abs=0.01)


def test_fixed_points_stay_and_count_their_games() -> None:
    players = BOTS | LEVELS
    ratings = rate([game("alphabeta:3", "ann", 0.0), game("alphabeta:3", "alphabeta:4", 1.0, 2, 5.0)], players)
    assert ratings["alphabeta:3"] == OnlineRating(1350, 0, 2, 5.0)
    assert ratings["alphabeta:4"] == OnlineRating(1800, 0, 1, 5.0)
    assert ratings["ann"].elo > starting(players, "ann").elo


def test_newcomers_begin_in_the_middle_of_the_fixed_points_and_may_be_anywhere_between_them() -> None:
    assert starting(BOTS, "ann") == OnlineRating(START_ELO, START_DEVIATION)
    assert starting(BOTS | LEVELS, "ann") == OnlineRating(2250, 3600 / math.sqrt(12))
    near = {name: LEVELS[name] for name in ("alphabeta:1", "alphabeta:2")}
    assert starting(near, "dora") == OnlineRating(675, MIN_START_DEVIATION)


def test_ratings_are_the_same_game_by_game_and_from_the_first_game_on() -> None:
    ladder = Ladder({"ann": 3, "bob": 3}, seed=1)
    starts = [VersionStart("ann-1", 0), VersionStart("bob-2", 26), VersionStart("bob-2", 60)]  # bob-2 plays game 26
    ladder.play(60)
    kept: dict[str, OnlineRating] = {}
    for played in ladder.games:
        for start in starts:
            if start.after == played.number - 1:
                kept[start.player] = start_of_version(kept.get(start.player) or starting(ladder.players, start.player))
        kept |= update(kept, played, ladder.players)
    kept["bob-2"] = start_of_version(kept["bob-2"])
    everybody = {name: starting(ladder.players, name) for name in ladder.players}
    assert rate(ladder.games, ladder.players, starts) == everybody | kept


def test_a_new_version_begins_where_the_old_one_was_but_more_uncertain() -> None:
    old = OnlineRating(1820, 60, 40, 7.0)
    assert start_of_version(old) == OnlineRating(1820, math.hypot(60, VERSION_DEVIATION), 0, 7.0)


def test_ratings_become_uncertain_without_games_and_do_not_sink() -> None:
    rating = OnlineRating(1820, 60, 40, 1000.0)
    assert decayed(rating, 500.0) == decayed(rating, 1000.0) == rating
    assert decayed(rating, 1000 + 64 * DAY) == OnlineRating(1820, 100, 40, 1000.0)
    assert decayed(rating, 1000 + 1e9).deviation == IDLE_DEVIATION
    assert decayed(OnlineRating(1820, 1000, 1, 0.0), 1e9).deviation == 1000  # never less than before
    assert decayed(OnlineRating(1350, 0, 40, 0.0), 1e9).deviation == 0  # a fixed point
    assert decayed(OnlineRating(1500, 350), 1e9) == OnlineRating(1500, 350)
    assert decayed(OnlineRating(1500, 500, 1, 0.0), 1e9).deviation == 500


def test_a_result_after_a_long_time_counts_for_more() -> None:
    soon, late = (
        update(
            {"ann": OnlineRating(1500, 50, 9, 0.0)},
            game("ann", "level", 1.0, 1, ended),
            {"level": LEVELS["alphabeta:3"]},
        )
        for ended in (1.0, 200 * DAY)
    )
    assert late["ann"].elo - 1500 > 3 * (soon["ann"].elo - 1500)


def test_extreme_differences_and_wide_ratings_stay_finite() -> None:
    players = {"level": LadderPlayer("level", "", 0.0), "top": LadderPlayer("top", "", 1e5)}
    new = update({"ann": OnlineRating(1e5, 1e4)}, game("ann", "level", 0.0), players)["ann"]
    assert math.isfinite(new.elo) and 0 < new.deviation < 1e4
    assert update({"ann": OnlineRating(0.0, 1e-6)}, game("ann", "top", 0.0), players)["ann"].deviation >= 0
