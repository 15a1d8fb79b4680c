"""Positions that repeat are draws, on graphs where the side to move goes from node to node."""

from dataclasses import replace
from random import Random

import pytest

from engine.compiling.binding import zeros
from engine.games.interface import Kernel
from engine.search import memory as layout
from engine.search.alphabeta import bind
from engine.search.capabilities import INFINITY
from engine.search.iterative_deepening import memory_for
from engine.search.memory import BUCKET_WORDS, slot_of
from engine.search.searcher import Searcher, SearchLimits, key_of
from tests.clocks import never
from tests.engine.search import toy
from tests.engine.search.searching import GIPF, minimax, think


def on_graph(graph: toy.Moves, values: list[int], depth: int, earlier: tuple[int, ...] = ()) -> tuple[int, int]:
    """Return score and best node of a search from node 0; values are for the side to move."""
    kernel = graph_kernel(graph, values)
    memory = memory_for(kernel, zeros("q", BUCKET_WORDS << 6))._replace(path=[0] * 256, stop=[0])
    memory.cells[layout.BUDGET] = 1 << 60
    for node in (0, *earlier):
        slot = slot_of(memory.path, node)
        memory.path[2 * slot], memory.path[2 * slot + 1] = node + 1, layout.NOWHERE
    score = 0
    for plies in range(1, depth + 1):
        score = bind(kernel).search(toy.Node(0), plies, -INFINITY, INFINITY, 0, 0, memory)
    return score, graph[0][memory.variation[1]]


def graph_kernel(graph: toy.Moves, values: list[int]) -> Kernel:
    kernel = toy.kernel(graph)
    rules = replace(kernel.rules, evaluate=lambda state: values[state.number], hash_of=lambda state: state.number)
    return kernel._replace(rules=rules)


def test_cycle_is_a_draw() -> None:
    # 0 <-> 1, and 0 could go on to 2 and 3, which look bad for it
    graph, values = [[1, 2], [0], [3], [2]], [0, -500, 300, -300]
    assert on_graph(graph, values, 1) == (500, 1)
    assert on_graph(graph, values, 2) == (0, 1)
    assert on_graph(graph, values, 6) == (0, 1)


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


@pytest.mark.parametrize("seed", range(150))
def test_score_on_graphs_is_that_of_minimax(seed: int) -> None:
    chance = Random(seed)
    # every node has one way to it, but for ways back to where one came from: no value depends on the path
    graph: list[list[int]] = [[]]
    above: list[list[int]] = [[0]]
    for node, path in enumerate(above):
        back = [other for other in path[-2::-2] if chance.random() < 0.4]
        new = chance.randint(0 if back else 1, 3) if len(above) < 30 else 0
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
    keys = [key_of(successor.position) for successor in position.successors()]
    searcher = Searcher(position.kernel(compile=False), megabytes=1)
    for depth in (1, 2):
        assert searcher.think(position, keys, SearchLimits(depth=depth), clock=never).score == 0
    # another game: what the table has of the last one counts no longer
    assert (
        searcher.think(position, (), SearchLimits(depth=1), clock=never).score
        == think(position, SearchLimits(depth=1)).score
    )
