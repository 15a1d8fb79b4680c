"""How far the levels of `engine.levels` are apart: games of each against the one below, or against random moves.

Games are played in pairs from the openings of a duel, in one process a core, with the highest level bound by nodes
instead of time. So the figures are the same on every machine.
"""

import os
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from time import perf_counter

from engine.duel.games import Player, Reply, play_pair
from engine.duel.openings import JUDGE_NODES, openings, split_mix, usual_plies
from engine.games.catalogue import GAMES
from engine.games.interface import History, Position
from engine.levels import LEVELS, MAX_LEVEL
from engine.search.searcher import HistoryKeys, Searcher, SearchLimits, warm_up
from engine.statistics.elo import OUTCOMES, estimate

PARAMETERS = "4 4 15 15"

PAIRS = 100

RANDOM = 0
"""Stands for the level of a player that moves at random."""

FULL_NODES = 500_000
"""Positions for a move of the highest level: what it looks at in some 100 ms."""

SEED, MOVE_LIMIT = 1, 1000


def run() -> None:
    """Print how much stronger each level is than the one before."""
    start = GAMES["gipf"].start(PARAMETERS)
    warm_up(start)
    drawn = list(islice(openings(start, usual_plies(start), SEED, _judge), PAIRS))
    elo = 0.0
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for level in range(1, MAX_LEVEL + 1):
            points = list(pool.map(_play, ((level, number, opening.moves) for number, opening in enumerate(drawn))))
            counts = tuple(map(points.count, range(OUTCOMES)))
            found = estimate(counts)
            elo += found.elo
            share = sum(points) / (4 * PAIRS)
            print(
                f"levels: {level:2} against {level - 1 or 'random'}: {100 * share:.1f} % of {2 * PAIRS} games, "
                f"{found.elo:+.0f} +- {found.margin:.0f} Elo; {elo:+.0f} in all; {_bounds(level)}",
                flush=True,
            )


def _bounds(level: int) -> str:
    if level == MAX_LEVEL:
        return f"{FULL_NODES} nodes"
    return f"{LEVELS[level - 1].nodes} nodes, {100 * LEVELS[level - 1].random_moves:g} % random moves"


def _judge(position: Position) -> int:
    kernel = position.kernel()
    score = (
        Searcher(kernel, megabytes=1).think(kernel.state, (), SearchLimits(nodes=JUDGE_NODES), clock=perf_counter).score
    )
    assert score is not None
    return score


def _play(task: tuple[int, int, tuple[str, ...]]) -> int:
    """Play a pair of games between a level and the one below; return the points of the former, 0 to 4."""
    level, number, opened = task
    start = GAMES["gipf"].start(PARAMETERS)
    players = _player(start, level), _player(start, level - 1)
    return play_pair(number, start, opened, players, MOVE_LIMIT).points


def _player(start: Position, level: int) -> Player:
    """Return what plays at a level; a new one for each pair, since the highest one remembers."""
    searcher = Searcher(start.kernel())

    keys = HistoryKeys()

    def play(game: int, history: History) -> Reply:
        position = history.position
        if level == RANDOM:
            legal = position.legal_moves
            drawn = next(split_mix((game << 32) + history.plies))
            return Reply(legal[drawn % len(legal)], 0.0, 0)
        limits = SearchLimits(level=level, seed=game, nodes=FULL_NODES if level == MAX_LEVEL else None)
        result = searcher.think(position.kernel().state, keys.before(history), limits, clock=perf_counter)
        return Reply(result.move(position), 0.0, result.nodes)

    return play
