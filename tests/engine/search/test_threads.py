"""Threads that search the same position: what others search is deferred, and found in the end."""

import threading
from dataclasses import fields
from typing import Any

import pytest

from engine.compiling.binding import specialise, zeros
from engine.games.interface import Kernel, Rules
from engine.search import alphabeta, memory as layout
from engine.search.alphabeta import AlphaBeta
from engine.search.capabilities import INFINITY
from engine.search.iterative_deepening import memory_for
from engine.search.memory import (
    BUCKET_WORDS,
)
from engine.search.searcher import Searcher, SearchLimits, SearchResult, Stop
from tests.clocks import never
from tests.engine.search.searching import SMALL, minimax, random_positions

TINY = "2 3 6 6"


def bound(kernel: Kernel, **constants: Any) -> AlphaBeta:
    """Bind the interpreted search, with others of its constants."""
    rules = {field.name: value for field in fields(Rules) if (value := getattr(kernel.rules, field.name)) is not None}
    functions = specialise((alphabeta.search,), "threads", {**rules, **constants}, compile=False)
    return AlphaBeta(*functions, kernel.rules.MARGIN)


class EverySearched:
    """Stands for the positions that others search: every one. Counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __getitem__(self, _at: int) -> "EverySearched":
        self.asked += 1
        return self

    def __setitem__(self, _at: int, _key: int) -> None:
        pass

    def __eq__(self, _other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_children_that_were_deferred_are_searched_in_the_end(depth: int) -> None:
    for position in random_positions(TINY, 3, seed=depth):
        kernel = position.kernel(compile=False)
        others = EverySearched()
        memory: Any = memory_for(kernel, zeros("q", BUCKET_WORDS << 10))
        memory = memory._replace(path=[0] * 1024, searching=others)
        memory.cells[layout.NODE_LIMIT] = 1 << 60
        memory.cells[layout.PARALLEL] = 1
        found = bound(kernel, MIN_DEFERRAL_DEPTH=2).search(kernel.state, depth, -INFINITY, INFINITY, 0, 0, memory)
        assert found == minimax(kernel, kernel.state, depth, 0, frozenset({kernel.state}))
        assert others.asked > 0


@pytest.mark.slow
def test_compiled_threads_end_when_they_are_told_and_play_legal_moves() -> None:
    for position in random_positions(SMALL, 4, seed=8):
        searcher, state = Searcher(position.kernel(), megabytes=1, threads=2), position.kernel().state
        before = set(threading.enumerate())
        for nodes in (1, 50, 2000, 40_000):
            thought = searcher.think(state, limits=SearchLimits(nodes=nodes), clock=never)
            after = position
            for move in thought.pv(position):
                assert move in after.legal_moves
                after = after.play(move)
        stop = Stop()
        threading.Timer(0.05, stop.set).start()
        for _ in range(2):
            assert searcher.think(state, clock=never, stop=stop).move(position) in position.legal_moves
        assert {thread for thread in threading.enumerate() if not isinstance(thread, threading.Timer)} <= before


@pytest.mark.slow
@pytest.mark.parametrize("limits", [{"lines": 2}, {"moves": (1, 3)}])
def test_compiled_threads_choose_no_move_that_is_left_out(limits: dict[str, Any]) -> None:
    for position in random_positions(SMALL, 4, seed=4):
        told: list[SearchResult] = []
        kernel = position.kernel()
        searcher = Searcher(kernel, megabytes=1, threads=3)
        searcher.think(kernel.state, limits=SearchLimits(depth=5, **limits), clock=never, report=told.append)
        for depth in {thought.depth for thought in told}:
            first = [thought.line[0] for thought in told if thought.depth == depth]
            assert len(first) == len(set(first)) == limits.get("lines", 1)
            assert set(first) <= set(limits.get("moves", first))
