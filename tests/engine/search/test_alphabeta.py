"""The search, judged by a plain minimax and by what is known of solved variants.

With ARENA_CAMPAIGN=1 there are more positions.
"""

import os
import threading
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, strategies as st

from engine.compiling.binding import zeros
from engine.games.catalogue import GAMES
from engine.games.interface import WIN, Kernel
from engine.search import memory as layout
from engine.search.alphabeta import bind
from engine.search.capabilities import INFINITY
from engine.search.iterative_deepening import MIN_ASPIRATION_DEPTH, memory_for, search_depth
from engine.search.memory import BUCKET_WORDS, slot_of
from engine.search.searcher import Searcher, SearchLimits, SearchResult, key_of, warm_up
from tests.clocks import never
from tests.engine.search import toy
from tests.engine.search.searching import GIPF, SMALL, minimax, random_positions, think

CAMPAIGN = bool(os.environ.get("ARENA_CAMPAIGN"))


@pytest.mark.parametrize(
    ("parameters", "depth", "count"),
    [
        pytest.param("2 2 4 4", 2, 2, marks=pytest.mark.campaign),
        ("2 3 6 6", 4, 6),
        pytest.param("3 3 6 6", 2, 8 if CAMPAIGN else 1, marks=[pytest.mark.slow("interpreted"), pytest.mark.thorough]),
        pytest.param("3 4 8 8", 3, 2, marks=pytest.mark.campaign),
    ],
)
def test_score_is_that_of_minimax(parameters: str, depth: int, count: int) -> None:
    for position in random_positions(parameters, count, seed=depth):
        kernel = position.kernel(compile=False)
        for plies in range(1, depth + 1):
            thought = think(position, SearchLimits(depth=plies, exact=True))
            expected = minimax(kernel, kernel.state, plies, 0, frozenset({kernel.state}))
            if abs(expected) < WIN - plies:  # else a shallower search has found the end, and stopped there
                assert (thought.score, thought.depth) == (expected, plies), position.text()
            else:
                assert thought.score == expected, position.text()


@pytest.mark.slow("interpreted")
def test_several_lines_are_the_best_moves_in_order() -> None:
    """Their scores are those of minimax over the children, the greatest first; no move comes twice."""
    depth = 2
    for position in random_positions("3 3 9 9" if CAMPAIGN else "2 3 9 9", 3, seed=2):
        kernel = position.kernel(compile=False)
        arena = kernel.arena(layout.MAX_CHILDREN)
        children = [kernel.rules.load(arena, at) for at in range(kernel.rules.children(kernel.state, arena, 0))]
        path = frozenset({kernel.state})
        expected = sorted((-minimax(kernel, child, depth - 1, 1, path) for child in children), reverse=True)
        told: list[SearchResult] = []
        think(position, SearchLimits(depth=depth, lines=5, exact=True), report=told.append)
        last = [thought for thought in told if thought.depth == depth]
        if last:
            assert [thought.rank for thought in last] == list(range(1, min(5, len(children)) + 1))
            assert [thought.score for thought in last] == expected[: len(last)]
            assert len({thought.line[0] for thought in last}) == len(last)


@pytest.mark.slow("interpreted")
def test_line_leads_to_the_score() -> None:
    for position in random_positions("3 3 9 9", 3, seed=5):
        thought = think(position, SearchLimits(depth=3, exact=True))
        after = position
        for move in thought.pv(position):
            after = after.play(move)
        if len(thought.line) == 3 and after.outcome is None:
            kernel = after.kernel(compile=False)
            assert -minimax(kernel, kernel.state, 0, 3, frozenset()) == thought.score


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "parameters", "count", "exact"),
    [
        ("gipf", SMALL, 3, True),
        ("gipf", SMALL, 3, False),
        pytest.param("gipf", "5 4 20 20", 3, False, marks=pytest.mark.campaign),
        pytest.param("mnk", "15 15 5", 3, False, marks=pytest.mark.campaign),
    ],
)
def test_compiled_and_interpreted_search_alike(game: str, parameters: str, count: int, exact: bool) -> None:
    """On boards of one machine word, and of several. `test_against_oracles.py` compares the rules of both."""
    warm_up(GAMES[game].start(parameters))
    for position in random_positions(parameters, count, seed=1, game=game):
        limits = SearchLimits(depth=4 if exact else 5, nodes=1000, exact=exact)
        slow, fast = (think(position, limits, compile=compile) for compile in (False, True))
        assert (slow.score, slow.depth, slow.nodes, slow.line) == (fast.score, fast.depth, fast.nodes, fast.line)


SIGNATURE = {("4 4 15 15", 4): 810, ("3 3 9 9", 4): 5399, ("5 4 18 18", 3): 2920, ("5 3 18 18", 3): 3825}
"""Nodes from the start: to change how the search goes about its work changes these, and nothing else may."""


@pytest.mark.parametrize(
    ("parameters", "depth"),
    [
        pytest.param(
            *case,
            marks=[pytest.mark.slow("interpreted")] * (nodes >= 1000) + [pytest.mark.thorough] * (case[0][0] == "5"),
        )
        for case, nodes in SIGNATURE.items()
    ],
)
def test_signature(parameters: str, depth: int) -> None:
    assert think(GIPF.start(parameters), SearchLimits(depth=depth)).nodes == SIGNATURE[parameters, depth]


# Order, windows, threads


@pytest.mark.slow("interpreted")
def test_any_expectation_leads_to_the_same_score() -> None:
    for position in random_positions("3 3 7 7" if CAMPAIGN else "2 3 7 7", 3, seed=21):
        kernel = position.kernel(compile=False)
        results = []
        for guess in (None, -5000, 60, 1_000_000):
            memory = memory_for(kernel, [0] * (BUCKET_WORDS << 10))._replace(path=[0] * 1024, stop=[0])
            memory.cells[layout.NODE_LIMIT] = 1 << 60
            results.append(search_depth(bind(kernel), kernel.state, MIN_ASPIRATION_DEPTH, memory, guess).score)
        assert len(results) == 4 and len(set(results)) == 1


@pytest.mark.slow
def test_threads_find_the_same_score_and_end_with_the_search() -> None:
    for position in random_positions(SMALL, 6, seed=5):
        alone = think(position, SearchLimits(depth=6, exact=True), compile=True)
        searcher = Searcher(position.kernel(), megabytes=1, threads=3)
        others = set(threading.enumerate())  # of tests before, idle for some seconds
        together = searcher.think(position.kernel().state, limits=SearchLimits(depth=6, exact=True), clock=never)
        assert together.score == alone.score
        assert together.move(position) in position.legal_moves
        assert set(threading.enumerate()) <= others


def on_graph(graph: toy.Moves, values: list[int], depth: int, earlier: tuple[int, ...] = ()) -> tuple[int, int]:
    """Return score and best node of a search from node 0; values are for the side to move."""
    kernel = graph_kernel(graph, values)
    memory = memory_for(kernel, zeros("q", BUCKET_WORDS << 6))._replace(path=[0] * 256, stop=[0])
    memory.cells[layout.NODE_LIMIT] = 1 << 60
    for node in (0, *earlier):
        slot = slot_of(memory.path, node)
        memory.path[2 * slot], memory.path[2 * slot + 1] = node + 1, layout.OFF_PATH
    score = 0
    for plies in range(1, depth + 1):
        score = bind(kernel).search(toy.Node(0), plies, -INFINITY, INFINITY, 0, 0, memory)
    return score, graph[0][memory.pv[1]]


def graph_kernel(graph: toy.Moves, values: list[int]) -> Kernel:
    kernel = toy.kernel(graph)
    rules = replace(kernel.rules, evaluate=lambda state: values[state.number], hash_of=lambda state: state.number)
    return kernel._replace(rules=rules)


def test_position_of_the_game_is_a_draw_at_once() -> None:
    graph, values = [[1, 2], [3], [3], [4], [3]], [0, -500, -100, 100, 0]
    assert on_graph(graph, values, 1) == (500, 1)
    assert on_graph(graph, values, 1, earlier=(1,)) == (100, 2)


def test_draw_by_repetition_is_forgotten_on_other_paths() -> None:
    # below 1 the only way from 3 is back to 1, a draw at once; below 2 it leads to 1 for the first time
    graph, values = [[1, 2], [3], [3], [1]], [-40, -20, 40, -20]
    kernel = graph_kernel(graph, values)
    for depth in range(1, 8):
        expected = minimax(kernel, toy.Node(0), depth, 0, frozenset({toy.Node(0)}))
        assert on_graph(graph, values, depth)[0] == expected


@given(st.randoms(use_true_random=False))
def test_score_on_graphs_is_that_of_minimax(chance: Random) -> None:
    # every node has one way to it, but for ways back to where one came from: no value depends on the path
    graph: list[list[int]] = [[]]
    above: list[list[int]] = [[0]]
    for node, path in enumerate(above):
        back = [other for other in path[-2::-2] if chance.random() < 0.4]
        new = chance.randint(0 if back else 1, 3) if len(above) < 15 else 0
        graph[node] = [*back, *range(len(graph), len(graph) + new)]
        graph += [[] for _ in range(new)]
        above += [[*path, child] for child in graph[node][len(back) :]]
    values = [chance.randrange(-50, 50) for _ in graph]
    kernel = graph_kernel(graph, values)
    for depth in range(1, 7):
        expected = minimax(kernel, toy.Node(0), depth, 0, frozenset({toy.Node(0)}))
        assert on_graph(graph, values, depth)[0] == expected


def test_repetitions_of_the_game_reach_the_search() -> None:
    position = GIPF.start("3 3 9 9")
    keys = [key_of(child.position) for child in position.children()]
    kernel = position.kernel(compile=False)
    searcher = Searcher(kernel, megabytes=1)
    for depth in (1, 2):
        assert searcher.think(kernel.state, keys, SearchLimits(depth=depth), clock=never).score == 0
    # another game: what the table has of the last one counts no longer
    ply = SearchLimits(depth=1)
    assert searcher.think(kernel.state, (), ply, clock=never).score == think(position, ply).score
