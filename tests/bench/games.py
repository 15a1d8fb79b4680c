"""Perft and search of every game, on one core."""

from time import perf_counter

from engine.games.catalogue import GAMES
from engine.games.interface import Game
from engine.games.perft import count
from engine.search.searcher import Searcher, SearchLimits, warm_up

PERFT_LEAVES = 20_000_000
"""Depth is added until there are so many leaves."""

SEARCH_MS = 2000
"""How long each search thinks."""

SIGNATURE_DEPTH = 6
"""Depth to which the exact search counts its nodes: the same on every machine and in every run."""


def run() -> None:
    """Print a table."""
    print("games: million leaves/s of perft (moves, then positions), search on one core for two seconds a game")
    print("    game  depth       leaves    moves     pos.   nodes/s  to depth  signature")
    for game in GAMES.values():
        _row(game)


def _row(game: Game) -> None:
    position = game.start(game.default_parameters)
    warm_up(position)
    count(position, 2)
    depth, leaves, seconds = 2, 0, 0.0
    while leaves < PERFT_LEAVES:
        depth += 1
        began = perf_counter()
        leaves = count(position, depth)
        seconds = perf_counter() - began
    began = perf_counter()
    unique = count(position, depth, unique=True)
    unique_rate = unique / (perf_counter() - began)
    kernel = position.kernel()
    thought = Searcher(kernel).think(kernel.state, limits=SearchLimits(hard_ms=SEARCH_MS), clock=perf_counter)
    exact = Searcher(kernel).think(
        kernel.state, limits=SearchLimits(depth=SIGNATURE_DEPTH, exact=True), clock=perf_counter
    )
    print(
        f"{game.name:>8} {depth:6} {leaves:12} {leaves / seconds / 1e6:8.1f} {unique_rate / 1e6:8.1f} "
        f"{thought.nodes / thought.seconds / 1e6:8.2f}M {thought.depth:9} {exact.nodes:10}"
    )
