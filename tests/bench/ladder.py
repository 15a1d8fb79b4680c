"""How good ratings of the ladder are, and how long choosing a game takes: ``python -m tests.bench ladder``."""

import math
import time
from statistics import mean, median

from server.config.process_settings import compute_in_one_thread
from server.league.ladder.pairing import next_pairings
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
    """Print how far ratings are from the truth."""
    print(f"\nladder: 20 bots, nine levels, {SEEDS} simulations, games {'at random' if at_random else 'as it chooses'}")
    print("   games  error, Elo  95 % intervals hold")
    ladders = [Ladder(AUTHORS, seed) for seed in range(SEEDS)]
    for games in GAMES:
        for ladder in ladders:
            ladder.play(games - len(ladder.games), at_random=at_random)
        error = math.sqrt(mean(ladder.error() ** 2 for ladder in ladders))
        print(f"{games:8}{error:12.0f}{mean(ladder.held() for ladder in ladders):21.1%}")


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
    print(
        f"ladder: {owners} owners of {bots}: the next game in {median(spans[1]):.2f} ms, the next 16 in "
        f"{median(spans[16]):.1f}; rating {1e6 * replayed / len(ladder.games):.0f} us a game"
    )
