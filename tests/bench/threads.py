"""What a second thread brings, in nodes and Elo, without regard to how busy the machine is: threads take turns.

Two threads with so many nodes each play one thread with as many, and so does one thread with twice as many: that is
what a perfect division of the work would bring. ``thinking`` has the same in time.
"""

import os
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from random import Random
from statistics import geometric_mean
from typing import Any

from engine.duel.games import Player, Reply, Request, play_pair
from engine.duel.openings import JUDGED_NODES, Opening, openings, usual_plies
from engine.duel.statistics import OUTCOMES, estimate
from engine.games.catalogue import GAMES
from engine.games.interface import Position
from engine.search.searcher import PlayedKeys, Searcher, SearchLimits, SearchResult
from tests.bench import lockstep
from tests.clocks import never

PARAMETERS = "4 4 15 15"

DEPTHS, POSITIONS, PLIES = (8, 9, 10), 96, 30
"""To these depths, from positions after up to so many random moves."""

TABLE_MEGABYTES = 16

PAIRS, SEED, MOVE_LIMIT = {20_000: 200, 100_000: 200}, 1, 1000
"""Pairs of games by the nodes of a thread for a move."""

BAR = 180
"""Elo that two threads are to bring."""

APART: dict[str, Any] = {"DEFERRED": 1000}
"""The same threads, which share the table alone."""


def run() -> None:
    """Print how much sooner several threads reach a depth, and how much stronger two play."""
    if lockstep.compiler() is None:
        print("threads: there is no C compiler here")
        return
    drawn = [opening.moves for opening in drawn_openings(max(PAIRS.values()))]
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for threads, more in ((2, {}), (2, APART), (4, {})):
            _depths(pool, threads, more)
        for nodes, pairs in PAIRS.items():
            for threads, allowed in ((2, 2 * nodes), (1, 2 * nodes)):
                points = list(
                    pool.map(_play, [(threads, allowed, nodes, *opened) for opened in enumerate(drawn[:pairs])])
                )
                counts = tuple(map(points.count, range(OUTCOMES)))
                found = estimate(counts)
                each = f"{threads} thread{'s' * (threads > 1)}, {allowed // threads} nodes each"
                bar = f"   bar {BAR:+}" if threads > 1 else ""
                print(
                    f"threads: {each}, against 1 with {nodes}: {found.elo:+.0f} +- {found.margin:.0f} Elo, "
                    f"{2 * pairs} games, pairs with 0 to 2 points {counts}{bar}",
                    flush=True,
                )


def _depths(pool: ProcessPoolExecutor, threads: int, more: dict[str, Any]) -> None:
    tasks = [(seed, threads, more) for seed in range(POSITIONS)]
    ratios = [ratio for ratio in pool.map(_ratios, tasks) if ratio is not None]
    shown = ", ".join(
        f"{geometric_mean(by_depth):.2f} (depth {depth})"
        for depth, by_depth in zip(DEPTHS, zip(*ratios, strict=True), strict=True)
    )
    apart = " that share the table alone" if more else ""
    print(f"threads: {threads}{apart} as soon as 1, times: {shown}; {len(ratios)} positions", flush=True)


def _ratios(task: tuple[int, int, dict[str, Any]]) -> list[float] | None:
    """Return by what factor several threads need fewer nodes each, a depth; None where the game is nearly over."""
    seed, threads, more = task
    chance = Random(seed)
    position = GAMES["gipf"].start(PARAMETERS)
    for _ in range(seed % PLIES):
        position = chance.choice(list(position.successors())).position
        if position.verdict() is not None:
            return None
    one, several = (_nodes(position, 1, {}), _nodes(position, threads, more))
    return [one[depth] / several[depth] for depth in DEPTHS] if DEPTHS[-1] in one and DEPTHS[-1] in several else None


def _nodes(position: Position, threads: int, more: dict[str, Any]) -> dict[int, float]:
    """Return the nodes of each thread by the depths that were reached with them."""
    searcher = lockstep.searcher(position.kernel(), threads, megabytes=TABLE_MEGABYTES, **more)
    nodes = {}

    def report(result: SearchResult) -> None:
        nodes[result.depth] = result.nodes / threads

    searcher.think(position, (), SearchLimits(depth=DEPTHS[-1]), clock=never, report=report)
    return nodes


def drawn_openings(count: int) -> list[Opening]:
    """Return the openings of so many pairs."""
    start = GAMES["gipf"].start(PARAMETERS)
    return list(islice(openings(start, usual_plies(start), SEED, _judge), count))


def _play(task: tuple[int, int, int, int, tuple[str, ...]]) -> int:
    """Play a pair of games against one thread; return the points of the first side, 0 to 4."""
    threads, allowed, nodes, number, opened = task
    start = GAMES["gipf"].start(PARAMETERS)
    players = _player(start, threads, allowed), _player(start, 1, nodes)
    return play_pair(number, start, opened, players, (None, None), MOVE_LIMIT).points


def _judge(position: Position) -> int:
    limits = SearchLimits(nodes=JUDGED_NODES)
    score = Searcher(position.kernel(), megabytes=1).think(position, (), limits, clock=never).score
    assert score is not None
    return score


def _player(start: Position, threads: int, nodes: int) -> Player:
    searchers: dict[int, Searcher] = {}

    keys = PlayedKeys()

    def play(request: Request) -> Reply:
        if request.game not in searchers:
            searchers.clear()
            searchers[request.game] = lockstep.searcher(start.kernel(), threads)
        earlier = keys.before(request.history)
        result = searchers[request.game].think(
            request.history.position, earlier, SearchLimits(nodes=nodes), clock=never
        )
        return Reply(result.move, 0.0, result.nodes)

    return play
