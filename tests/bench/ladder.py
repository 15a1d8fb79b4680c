"""How good ratings of the ladder are, and how long choosing a game takes: ``python -m tests.bench ladder``."""

import math
import time
from statistics import mean, median

from server.config.process_settings import compute_in_one_thread
from server.league.ladder.agreement import agreement, most_likely_ratings
from server.league.ladder.pairing.scheduler import next_pairings
from server.league.ladder.rating import rate
from tests.server.league.ladder.simulated import Ladder

AUTHORS = {f"author{number}": 1 for number in range(20)}
SEEDS = 40
GAMES = (100, 200, 400, 800, 1600, 3200)
CROWDS = ((30, 1), (500, 1), (50, 10))
"""Owners, and bots of each."""

REPEATED = 15


def run() -> None:
    """Print the figures."""
    compute_in_one_thread()
    for at_random in (False, True):
        precision(at_random)
    for owners, bots in CROWDS:
        speed(owners, bots)


def precision(at_random: bool) -> None:
    """Print how far ratings are from the truth, and how they agree with the most likely ones."""
    print(f"\nladder: 20 bots, nine levels, {SEEDS} simulations, games {'at random' if at_random else 'as it chooses'}")
    print("   games  error, Elo  95 % intervals hold  most likely, error  apart: mean, largest  rank correlation")
    ladders = [Ladder(AUTHORS, seed) for seed in range(SEEDS)]
    for games in GAMES:
        likely_errors, agreements = [], []
        for ladder in ladders:
            ladder.play(games - len(ladder.games), at_random=at_random)
            likely = most_likely_ratings(ladder.games, ladder.players)
            likely_errors.append(mean((likely.get(bot, 2500.0) - ladder.true[bot]) ** 2 for bot in ladder.bots))
            agreements.append(agreement(ladder.ratings, likely, ladder.players))
        error = math.sqrt(mean(ladder.error() ** 2 for ladder in ladders))
        held = mean(ladder.held() for ladder in ladders)
        apart = [found for found in agreements if found.mean is not None]
        print(f"{games:8}{error:12.0f}{held:21.1%}{math.sqrt(mean(likely_errors)):20.0f}", end="")
        if apart:
            distance, largest = mean(found.mean or 0 for found in apart), mean(found.largest or 0 for found in apart)
            print(f"{distance:15.0f}{largest:9.0f}{mean(found.rank_correlation or 0 for found in apart):18.3f}", end="")
        print()


def speed(owners: int, bots: int) -> None:
    """Print what choosing and rating take."""
    ladder = Ladder({f"author{number}": bots for number in range(owners)}, 1, slots=16)
    ladder.play(2000)
    args = (ladder.players, ladder.ratings, ladder.counts, (), ladder.weights)
    spans: dict[int, list[float]] = {1: [], 16: []}
    for slots, found in spans.items():
        for _ in range(REPEATED):
            begin = time.perf_counter()
            next_pairings(*args, slots, 1e5)
            found.append(1e3 * (time.perf_counter() - begin))
    begin = time.perf_counter()
    rate(ladder.games, ladder.players)
    replayed = time.perf_counter() - begin
    begin = time.perf_counter()
    most_likely_ratings(ladder.games, ladder.players)
    fitted = time.perf_counter() - begin
    print(
        f"ladder: {owners} owners of {bots}: the next game in {median(spans[1]):.2f} ms, the next 16 in "
        f"{median(spans[16]):.1f}; rating {1e6 * replayed / len(ladder.games):.0f} us a game; the most likely ratings "
        f"of 2000 games in {fitted:.2f} s"
    )
