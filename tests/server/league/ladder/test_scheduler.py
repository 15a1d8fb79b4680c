"""Which games the ladder plays: examples, and whole ladders whose strengths are known, without a server.

With ARENA_CAMPAIGN=1 there are as many of these as figures in docs/league.md need.
"""

import math
import os
import statistics
from collections import Counter

import pytest

from engine.statistics.online import LadderGame, LadderPlayer, OnlineRating, update
from server.league.ladder.pairing import GameCounts, LadderPairing, information, next_pairings, opening
from tests.server.league.ladder.simulated import VARIANT, Ladder

CAMPAIGN = bool(os.environ.get("ARENA_CAMPAIGN"))
SEEDS = range(100 if CAMPAIGN else 2)


def bots(*names: str) -> dict[str, LadderPlayer]:
    return {name: LadderPlayer(name, f"owner of {name}") for name in names}


def chosen(players: dict[str, LadderPlayer], ratings: dict[str, OnlineRating], slots: int = 1) -> list[set[str]]:
    games = next_pairings(players, ratings, GameCounts(), [], {VARIANT: 1.0}, slots, 0.0)
    return [{game.first, game.second} for game in games]


@pytest.mark.parametrize("difference", [0.0, 150.0])
def test_a_game_is_expected_to_tell_as_much_as_it_does_on_average(difference: float) -> None:
    players = {"ann": LadderPlayer("ann", "ann"), "level": LadderPlayer("level", "", 1500.0)}
    before = {"ann": OnlineRating(1500 + difference, 150)}
    falls = []
    for score in (0.0, 1.0):
        after = update(before, LadderGame(1, VARIANT, "ann", "level", score, 0.0), players)["ann"]
        falls.append(150**2 - after.deviation**2)
    expected = 1 / (1 + 10 ** (-difference / 400))
    told = information(before["ann"], OnlineRating(1500, 0))
    assert told == pytest.approx((1 - expected) * falls[0] + expected * falls[1], rel=0.15)


def test_neighbours_meet_and_those_who_are_far_apart_do_not() -> None:
    players = bots("ann", "bob", "carla", "dan")
    ratings = {
        "ann": OnlineRating(1000, 50),
        "bob": OnlineRating(2000, 50),
        "carla": OnlineRating(2050, 50),
        "dan": OnlineRating(1100, 50),
    }
    assert chosen(players, ratings, 9) == [{"ann", "dan"}, {"bob", "carla"}]


@pytest.mark.parametrize("seed", SEEDS)
def test_colours_are_balanced_and_variants_come_by_their_weights(seed: int) -> None:
    weights = {"gipf": 2.0, "morris": 1.0, "mnk": 1.0}
    ladder = Ladder({"ann": 2, "bob": 1, "carla": 1}, seed, weights=weights, slots=3)
    ladder.play(300)
    lead: Counter[tuple[str, ...]] = Counter()
    for game in ladder.games:
        lead[tuple(sorted((game.first, game.second)))] += 1 if game.first < game.second else -1
    # of the last games some are still being played
    assert max(map(abs, lead.values())) <= 2
    for bot in ladder.bots:
        played = Counter(game.variant for game in ladder.games if bot in (game.first, game.second))
        begun = sum(game.first == bot for game in ladder.games)
        assert begun == pytest.approx(played.total() / 2, abs=6)
        for variant, weight in weights.items():
            assert played[variant] == pytest.approx(played.total() * weight / 4, abs=8)


def test_nobody_plays_twice_at_the_same_time_fixed_points_excepted() -> None:
    ladder = Ladder({"ann": 1, "bob": 1, "carla": 1}, 0, levels={"alphabeta:1": 450.0})
    args = (ladder.players, ladder.ratings, ladder.counts)
    games = next_pairings(*args, [], ladder.weights, 9, 0.0)
    playing = Counter(name for game in games for name in game[1:])
    assert all(playing[bot] == 1 for bot in ladder.bots)
    assert next_pairings(*args, games, ladder.weights, 9, 0.0) == []


def test_bots_of_one_owner_do_not_meet_and_those_without_an_owner_do() -> None:
    players = {name: LadderPlayer(name, "ann") for name in ("ann-1", "ann-2")}
    assert chosen(players, {}) == []
    assert chosen({name: LadderPlayer(name, "") for name in ("one", "two")}, {}) == [{"one", "two"}]
    assert chosen({}, {}) == []
    assert chosen({name: LadderPlayer(name, "", 450.0) for name in ("alphabeta:1", "other")}, {}) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", [SEEDS[0], *(pytest.param(seed, marks=pytest.mark.thorough) for seed in SEEDS[1:])])
@pytest.mark.parametrize("slots", [1, pytest.param(4, marks=pytest.mark.thorough)])
def test_owners_have_equal_shares_whatever_number_of_bots_they_have_and_nobody_starves(seed: int, slots: int) -> None:
    owners = {"crowd": 15} | {f"author{number}": 1 for number in range(8)}
    ladder = Ladder(owners, seed, slots=slots)
    ladder.play(600)
    shares = ladder.games_of_owners()
    fair = sum(shares[owner] for owner in owners) / len(owners)
    for owner in owners:
        assert shares[owner] == pytest.approx(fair, rel=0.1)
    assert min(ladder.games_of()[bot] for bot in ladder.bots) >= 3


@pytest.mark.slow
def test_ratings_are_recovered_from_few_games() -> None:
    errors: dict[int, list[float]] = {}
    held = []
    for seed in SEEDS:
        ladder = Ladder({f"author{number}": 1 for number in range(20)}, seed)
        for games in (200, 600):
            ladder.play(games)
            errors.setdefault(len(ladder.games), []).append(ladder.error())
            held.append(ladder.held())
    error = {games: math.sqrt(statistics.mean(value**2 for value in found)) for games, found in errors.items()}
    assert error[200] < 180 and error[800] < 90
    assert statistics.mean(held) > 0.9


def test_openings_are_the_same_for_both_games_of_a_pair_and_then_the_next() -> None:
    players, counts, found = bots("ann", "bob"), GameCounts(), []
    for first, second in [("ann", "bob"), ("bob", "ann")] * 3:
        found.append(opening(1007, counts, LadderPairing(VARIANT, first, second)))
        counts.add(players, VARIANT, first, second)
    assert [number - found[0] for number in found] == [0, 0, 1, 1, 2, 2]
    assert opening(1008, counts, LadderPairing("other", "ann", "bob")) == found[0] + 1
