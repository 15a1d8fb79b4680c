"""Searches of positions of GIPF by the nodes alone, and the plain minimax that judges them."""

from collections.abc import Iterator
from random import Random
from typing import Any

from engine.games.catalogue import GAMES
from engine.games.interface import DRAWN, UNDECIDED, WIN, WON, Kernel, Position
from engine.search import memory as layout
from engine.search.alphabeta import MAX_QUIESCENCE_PLIES
from engine.search.capabilities import tactical_children
from engine.search.searcher import Searcher, SearchLimits, SearchResult
from tests.clocks import never

GIPF = GAMES["gipf"]

SMALL = "4 4 6 6"
"""The variant that is compiled here."""


def think(position: Position, limits: SearchLimits, *, compile: bool = False, **more: Any) -> SearchResult:
    kernel = position.kernel(compile=compile)
    return Searcher(kernel, megabytes=1).think(kernel.state, limits=limits, clock=never, **more)


def random_positions(parameters: str, count: int, seed: int, game: str = "gipf") -> Iterator[Position]:
    """Yield positions that random play passes through, none of them finished."""
    chance = Random(seed)
    while count:
        position = GAMES[game].start(parameters)
        for _ in range(chance.randrange(12)):
            after = chance.choice(list(position.children())).position
            if after.outcome is not None:
                break
            position = after
        count -= 1
        yield position


def minimax(kernel: Kernel, state: Any, depth: int, ply: int, path: frozenset[Any]) -> int:
    """Search every move to the full depth and every loud one beyond it, straight from the definition."""
    rules = kernel.rules
    outcome = rules.verdict(state)
    if outcome != UNDECIDED:
        return 0 if outcome == DRAWN else (WIN - ply if outcome == WON else ply - WIN)
    if ply > 0 and state in path:
        return 0
    if depth == -MAX_QUIESCENCE_PLIES:
        return int(rules.evaluate(state))
    arena = kernel.arena(layout.MAX_CHILDREN)
    # a side that is done with the depth may leave the tactical moves alone
    scores = [] if depth > 0 else [int(rules.evaluate(state))]
    generate = rules.children if depth > 0 else (rules.tactical_children or tactical_children)
    path = path | {state} if depth > 1 else path
    moves = range(generate(state, arena, 0))
    scores += [-minimax(kernel, rules.load(arena, at), depth - 1, ply + 1, path) for at in moves]
    return max(scores)
