"""Threads that search the same position: interpreted ones take turns node by node, so that each run is the same."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

import pytest

from engine.compiling.binding import Numbers, specialise, zeros
from engine.games.interface import Kernel, Position, Rules, moves
from engine.search import alphabeta
from engine.search import memory as layout
from engine.search.alphabeta import AlphaBeta, halted
from engine.search.capabilities import INFINITY
from engine.search.iterative_deepening import HelperThreads, memory_for
from engine.search.memory import (
    BUCKET_WORDS,
    Memory,
)
from engine.search.searcher import Searcher, SearchLimits, SearchResult, Stop
from tests.clocks import never
from tests.engine.search.searching import SMALL, minimax, random_positions

TINY = "2 3 6 6"


class Turns:
    """Threads of which one runs at a time, each for so many nodes; thread 0 begins."""

    def __init__(self, *nodes: int) -> None:
        self._nodes = nodes
        self._changed = threading.Condition()
        self._queue = list(range(len(nodes)))
        self._left = list(nodes)
        self._own = threading.local()

    def enter(self, number: int) -> None:
        self._own.number = number
        self._wait(number)

    def node(self) -> None:
        number = self._own.number
        self._left[number] -= 1
        if self._left[number] <= 0:
            self._left[number] = self._nodes[number]
            with self._changed:
                self._queue.append(self._queue.pop(0))
                self._changed.notify_all()
            self._wait(number)

    def leave(self) -> None:
        with self._changed:
            self._queue.remove(self._own.number)
            self._changed.notify_all()

    def _wait(self, number: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: self._queue[0] == number, timeout=60)


class TurnTakingThreads(HelperThreads):
    turns: Turns

    @contextmanager
    def at_work(self, *arguments: Any, **more: Any) -> Iterator[None]:
        self.turns.enter(0)
        with super().at_work(*arguments, **more):
            yield

    def _end(self, stop: Numbers) -> None:
        super()._end(stop)
        self.turns.leave()

    def _help(self, number: int, *arguments: Any) -> None:
        self.turns.enter(number + 1)
        try:
            super()._help(number, *arguments)
        finally:
            self.turns.leave()


def bound(kernel: Kernel, **constants: Any) -> AlphaBeta:
    """Bind the interpreted search, with others of its constants."""
    rules = {field.name: value for field in fields(Rules) if (value := getattr(kernel.rules, field.name)) is not None}
    functions = specialise((alphabeta.search,), "threads", {**rules, **constants}, compile=False)
    return AlphaBeta(*functions, kernel.rules.MARGIN)


def searcher_in_turns(position: Position, *nodes: int) -> Any:
    """Return an interpreted searcher with a thread for each number of nodes."""
    kernel = position.kernel(compile=False)
    turns = Turns(*nodes)

    def halted_in_turns(memory: Memory) -> bool:
        turns.node()
        return halted(memory)

    searcher: Any = Searcher(kernel, megabytes=1)
    searcher._search = bound(kernel, halted=halted_in_turns, DEFERRED=2)
    searcher._crew = TurnTakingThreads(kernel, searcher._search, len(nodes) - 1)
    searcher._crew.turns = turns
    return searcher


def think(searcher: Any, position: Position, **limits: Any) -> SearchResult:
    result: SearchResult = searcher.think(
        position.kernel(compile=False).state, limits=SearchLimits(**limits), clock=never
    )
    return result


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
        memory.cells[layout.BUDGET] = 1 << 60
        memory.cells[layout.PARALLEL] = 1
        found = bound(kernel, DEFERRED=2).search(kernel.state, depth, -INFINITY, INFINITY, 0, 0, memory)
        assert found == minimax(kernel, kernel.state, depth, 0, frozenset({kernel.state}))
        assert others.asked > 0


def test_what_one_thread_searches_the_others_defer_and_the_score_is_the_same() -> None:
    for position in random_positions(TINY, 4, seed=9):
        alone = think(Searcher(position.kernel(compile=False), megabytes=1), position, depth=5, exact=True)
        for nodes in ((3, 3), (2, 5, 3)):
            runs = []
            for _ in range(2):
                searcher = searcher_in_turns(position, *nodes)
                searcher._memory.searching[:] = zeros("q", layout.SEARCHING_SLOTS)
                together = think(searcher, position, depth=5, exact=True)
                assert together.score == alone.score
                assert together.depth == alone.depth
                assert not any(searcher._memory.searching), "a mark was left behind"
                runs.append((together.nodes, together.line))
            assert runs[0] == runs[1]


def test_who_is_done_with_a_depth_first_has_found_it_for_all() -> None:
    """The caller has one node where the helper has fifty, and needs a small part of what it would need alone."""
    (position,) = random_positions(SMALL, 1, seed=3)
    alone = think(Searcher(position.kernel(compile=False), megabytes=1), position, depth=4, exact=True)
    searcher = searcher_in_turns(position, 1, 50)
    together = think(searcher, position, depth=4, exact=True)
    assert (together.score, together.depth) == (alone.score, 4)
    assert together.move(position) in moves(position)
    assert searcher._memory.cells[layout.NODES] < alone.nodes / 4


@pytest.mark.parametrize("nodes", [1, 2, 30, 100, 400])
def test_the_line_is_legal_whichever_thread_has_found_it(nodes: int) -> None:
    for position in random_positions(SMALL, 2, seed=nodes):
        searcher = searcher_in_turns(position, 1, 3)
        thought = think(searcher, position, nodes=nodes)
        after = position
        for move in thought.pv(position):
            assert move in moves(after)
            after = after.resolve(move).position


@pytest.mark.parametrize("limits", [{"lines": 2}, {"moves": (1, 3)}])
def test_helpers_choose_no_move_that_is_left_out(limits: dict[str, Any]) -> None:
    (position,) = random_positions(TINY, 1, seed=4)
    told: list[SearchResult] = []
    searcher = searcher_in_turns(position, 1, 20)
    state = position.kernel(compile=False).state
    found = searcher.think(state, limits=SearchLimits(depth=4, **limits), clock=never, report=told.append)
    for depth in range(1, found.depth + 1):
        first = [thought.line[0] for thought in told if thought.depth == depth]
        assert len(first) == len(set(first)) == min(limits.get("lines", 1), len(moves(position)))
        assert set(first) <= set(limits.get("moves", first))


@pytest.mark.slow
def test_compiled_threads_end_when_they_are_told_and_play_legal_moves() -> None:
    for position in random_positions(SMALL, 4, seed=8):
        searcher, state = Searcher(position.kernel(), megabytes=1, threads=2), position.kernel().state
        before = set(threading.enumerate())
        for nodes in (1, 50, 2000, 40_000):
            thought = searcher.think(state, limits=SearchLimits(nodes=nodes), clock=never)
            after = position
            for move in thought.pv(position):
                assert move in moves(after)
                after = after.resolve(move).position
        stop = Stop()
        threading.Timer(0.05, stop.set).start()
        for _ in range(2):
            assert searcher.think(state, clock=never, stop=stop).move(position) in moves(position)
        assert {thread for thread in threading.enumerate() if not isinstance(thread, threading.Timer)} <= before
