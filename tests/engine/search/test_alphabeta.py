"""The search and the thinking around it, judged by a plain minimax and by what is known of solved variants.

With ARENA_CAMPAIGN=1 there are more positions.
"""

import os
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from engine.games.catalogue import GAMES
from engine.games.interface import DRAWN, UNDECIDED, WON, Kernel, Position, moves
from engine.search import binding
from engine.search import memory as layout
from engine.search.alphabeta import bind
from engine.search.binding import numbers
from engine.search.capabilities import tactical_children
from engine.search.iterative_deepening import ASPIRING, deepen, memory_for
from engine.search.move_ordering import MAX_LEARNED, add_history, child_of, score_moves, take_best, update_history
from engine.search.quiescence import LOUD_PLIES
from engine.search.scores import INFINITY, WIN
from engine.search.searcher import Searcher, SearchLimits, SearchResult, Stop, key_of, warm_up
from engine.search.transposition_table import BUCKET_WORDS, ENTRY_WORDS, EXACT, LOWER, probe, remember, slot_of
from tests.engine.forced_wins import forced_win
from tests.engine.search import toy

GIPF = GAMES["gipf"]
CAMPAIGN = bool(os.environ.get("ARENA_CAMPAIGN"))
SMALL = "3 3 6 6"
"""The variant that is compiled here."""


def never() -> float:
    return 0.0


def think(position: Position, limits: SearchLimits, *, compile: bool = False, **more: Any) -> SearchResult:
    searcher = Searcher(position.kernel(compile=compile), megabytes=1)
    return searcher.think(position, limits=limits, clock=never, **more)


def random_positions(parameters: str, count: int, seed: int) -> Iterator[Position]:
    """Yield positions that random play passes through, none of them finished."""
    chance = Random(seed)
    while count:
        position = GIPF.start(parameters)
        for _ in range(chance.randrange(12)):
            after = chance.choice(list(position.successors())).position
            if after.verdict() is not None:
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
    if depth == -LOUD_PLIES:
        return int(rules.evaluate(state))
    arena = kernel.arena(layout.ROOM)
    # a side that is done with the depth may leave the tactical moves alone
    scores = [] if depth > 0 else [int(rules.evaluate(state))]
    generate = rules.children if depth > 0 else (rules.tactical_children or tactical_children)
    path = path | {state} if depth > 1 else path
    for at in range(generate(state, arena, 0)):
        scores.append(-minimax(kernel, rules.load(arena, at), depth - 1, ply + 1, path))
    return max(scores)


@pytest.mark.parametrize(
    ("parameters", "depth", "count"),
    [
        pytest.param("2 2 4 4", 2, 2, marks=pytest.mark.campaign),
        ("2 3 6 6", 4, 6),
        pytest.param("3 3 6 6", 2, 8 if CAMPAIGN else 4, marks=pytest.mark.slow),
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


@pytest.mark.slow
def test_several_lines_are_the_best_moves_in_order() -> None:
    """Their scores are those of minimax over the children, the greatest first; no move comes twice."""
    depth = 2
    for position in random_positions("3 3 9 9", 3 if CAMPAIGN else 1, seed=2):
        kernel = position.kernel(compile=False)
        arena = kernel.arena(layout.ROOM)
        children = [kernel.rules.load(arena, at) for at in range(kernel.rules.children(kernel.state, arena, 0))]
        path = frozenset({kernel.state})
        expected = sorted((-minimax(kernel, child, depth - 1, 1, path) for child in children), reverse=True)
        told: list[SearchResult] = []
        think(position, SearchLimits(depth=depth, lines=5, exact=True), report=told.append)
        last = [thought for thought in told if thought.depth == depth]
        if last:
            assert [thought.rank for thought in last] == list(range(1, min(5, len(children)) + 1))
            assert [thought.score for thought in last] == expected[: len(last)]
            assert len({thought.move for thought in last}) == len(last)


def test_more_lines_than_moves_are_as_many_as_the_moves() -> None:
    position = GIPF.start("2 3 5 5")
    told: list[SearchResult] = []
    think(position, SearchLimits(depth=1, lines=1000, exact=True), report=told.append)
    kernel = position.kernel(compile=False)
    assert len(told) == kernel.rules.children(kernel.state, kernel.arena(layout.ROOM), 0)


def test_line_leads_to_the_score() -> None:
    for position in random_positions("3 3 9 9", 6, seed=5):
        thought = think(position, SearchLimits(depth=3, exact=True))
        after = position
        for move in thought.pv:
            after = after.resolve(move).position
        if len(thought.pv) == 3 and after.verdict() is None:
            kernel = after.kernel(compile=False)
            assert -minimax(kernel, kernel.state, 0, 3, frozenset()) == thought.score


@pytest.mark.slow
@pytest.mark.parametrize("exact", [True, False])
def test_compiled_and_interpreted_search_alike(exact: bool) -> None:
    warm_up(GIPF.start(SMALL))
    for position in random_positions(SMALL, 12, seed=1):
        limits = SearchLimits(depth=4 if exact else 5, nodes=3000, exact=exact)
        slow, fast = (think(position, limits, compile=compile) for compile in (False, True))
        assert (slow.score, slow.depth, slow.nodes, slow.pv) == (fast.score, fast.depth, fast.nodes, fast.pv)


@pytest.mark.slow
def test_same_search_takes_same_nodes() -> None:
    position = GIPF.start(SMALL)
    first, second = (think(position, SearchLimits(depth=7), compile=True) for _ in range(2))
    assert (first.nodes, first.line, first.score) == (second.nodes, second.line, second.score)


SIGNATURE = {("4 4 15 15", 4): 2348, ("3 3 9 9", 4): 5399, ("5 4 18 18", 3): 1402}
"""Nodes from the start: to change how the search goes about its work changes these, and nothing else may."""


@pytest.mark.parametrize(("parameters", "depth"), SIGNATURE)
def test_signature(parameters: str, depth: int) -> None:
    assert think(GIPF.start(parameters), SearchLimits(depth=depth)).nodes == SIGNATURE[parameters, depth]


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(
    ("parameters", "plies"),
    [("2 3 5 5", 1), ("3 3 5 4", 3), ("3 3 4 4", -2), ("3 3 4 5", -2), ("4 4 4 4", -2), ("3 4 5 5", -4)],
)
def test_solved_variants(parameters: str, plies: int, exact: bool) -> None:
    thought = think(GIPF.start(parameters), SearchLimits(exact=exact))
    assert thought.plies_to_end == plies
    position = GIPF.start(parameters)
    for move in thought.pv:
        position = position.resolve(move).position
    assert len(thought.pv) <= abs(plies)


def test_win_in_one_is_played() -> None:
    position = GIPF.start("2 3 5 5")
    after = position.resolve(think(position, SearchLimits()).move).position
    outcome = after.verdict()
    assert outcome is not None
    assert outcome.winner == 0


def test_loud_children_are_those_that_collect() -> None:
    for position in random_positions("3 3 9 9", 30, seed=2):
        kernel = position.kernel(compile=False)
        rules, state = kernel.rules, kernel.state
        assert rules.tactical_children is not None
        arena = kernel.arena(layout.ROOM)
        all_of_them = {rules.load(arena, at) for at in range(rules.children(state, arena, 0))}
        tactical = {rules.load(arena, at) for at in range(rules.tactical_children(state, arena, 0))}
        on_board = (state.white | state.black).bit_count()
        assert tactical == {child for child in all_of_them if (child.white | child.black).bit_count() <= on_board}


# Repetition, on graphs: the side to move goes from node to node


def on_graph(graph: toy.Moves, values: list[int], depth: int, earlier: tuple[int, ...] = ()) -> tuple[int, int]:
    """Return score and best node of a search from node 0; values are for the side to move."""
    kernel = graph_kernel(graph, values)
    memory = memory_for(kernel, numbers(kernel, "q", BUCKET_WORDS << 6))._replace(path=[0] * 256, stop=[0])
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


def test_proven_ends_are_true_although_the_search_is_selective() -> None:
    """Each win and loss that it claims is one, within as many plies."""
    claims = 0
    for position in random_positions("3 3 5 5", 40, seed=12):
        plies = think(position, SearchLimits(depth=5)).plies_to_end
        if plies is not None:
            claims += 1
            proof = forced_win(position.kernel(compile=False), abs(plies))
            assert proof is not None, position.text()
            assert proof.for_mover == (plies > 0)
    assert claims > 10


# Order, windows, threads


def test_what_cut_off_is_tried_earlier_and_what_did_not_later() -> None:
    position = GIPF.start("3 3 9 9")
    kernel = position.kernel(compile=False)
    score, learn, add_learned = binding.bind((score_moves, update_history, add_history), kernel)
    memory = memory_for(kernel, [0])._replace(path=[0] * 256)
    end = kernel.rules.children(kernel.state, memory.arena, 0)
    score(0, end, 1, memory)
    order = [child_of(take_best(memory.order, turn, end)) for turn in range(end)]
    assert sorted(order) == list(range(end))
    for _ in range(50):
        learn(kernel.state, 0, end - 1, 6, memory)
    assert max(map(abs, memory.history)) <= MAX_LEARNED
    score(0, end, 1, memory)
    add_learned(kernel.state, 0, end, memory)
    again = [child_of(take_best(memory.order, turn, end)) for turn in range(end)]
    assert again.index(order[-1]) < end // 2


@pytest.mark.slow
@pytest.mark.parametrize("expected", [-5000, 60, 1_000_000])
def test_any_expectation_leads_to_the_same_score(expected: int) -> None:
    for position in random_positions("3 3 7 7", 3 if CAMPAIGN else 1, seed=21):
        kernel = position.kernel(compile=False)
        results = []
        for guess in (None, expected):
            memory = memory_for(kernel, [0] * (BUCKET_WORDS << 10))._replace(path=[0] * 1024, stop=[0])
            memory.cells[layout.BUDGET] = 1 << 60
            results.append(deepen(bind(kernel), kernel.state, ASPIRING, memory, guess).score)
        assert results[0] == results[1]


@pytest.mark.slow
def test_threads_find_the_same_score_and_end_with_the_search() -> None:
    for position in random_positions(SMALL, 6, seed=5):
        alone = think(position, SearchLimits(depth=6, exact=True), compile=True)
        searcher = Searcher(position.kernel(), megabytes=1, threads=3)
        others = set(threading.enumerate())  # of tests before, idle for some seconds
        together = searcher.think(position, limits=SearchLimits(depth=6, exact=True), clock=never)
        assert together.score == alone.score
        assert together.move in moves(position)
        assert set(threading.enumerate()) <= others


# Limits


def test_move_is_legal_however_early_the_search_ends() -> None:
    stop = Stop()
    stop.set()
    for position in random_positions("3 2 8 8", 10, seed=8):
        for limits in (SearchLimits(), SearchLimits(nodes=1), SearchLimits(nodes=40), SearchLimits(hard_ms=0)):
            thought = think(position, limits, stop=stop if limits == SearchLimits() else None)
            assert thought.move in moves(position)
            assert thought.move == thought.pv[0]


def test_interpreted_search_reads_the_clock_at_every_node() -> None:
    readings = 0

    def clock() -> float:
        nonlocal readings
        readings += 1
        return readings / 1000

    position = GIPF.start("5 4 18 18")
    thought = Searcher(position.kernel()).think(position, limits=SearchLimits(hard_ms=50), clock=clock)
    assert 50 <= readings <= 56
    assert thought.nodes <= 60 * len(moves(position))


@pytest.mark.parametrize("compile", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_budget_of_nodes_is_kept_to_the_children_of_a_node(compile: bool) -> None:
    for nodes in (1, 10, 500, 2000):
        thought = think(GIPF.start(SMALL), SearchLimits(nodes=nodes), compile=compile)
        assert nodes <= thought.nodes <= nodes + len(moves(GIPF.start(SMALL)))


@pytest.mark.slow
def test_compiled_search_ends_at_the_hard_limit_and_when_told() -> None:
    position = GIPF.start(SMALL)
    warm_up(position)
    searcher = Searcher(position.kernel())
    # to the end it takes hours: that it comes back at all shows that it was ended, however busy the machine is
    assert searcher.think(position, limits=SearchLimits(hard_ms=100), clock=time.perf_counter).seconds >= 0.09
    stop = Stop()
    threading.Timer(0.05, stop.set).start()
    hour = SearchLimits(hard_ms=3_600_000)
    assert searcher.think(position, limits=hour, clock=time.perf_counter, stop=stop).seconds < 600


def test_no_depth_begins_after_the_soft_limit() -> None:
    ticks = iter(range(1000))
    position = GIPF.start("3 3 9 9")
    depths: list[int] = []
    Searcher(position.kernel(compile=False)).think(
        position,
        limits=SearchLimits(soft_ms=1),
        clock=lambda: next(ticks),
        report=lambda thought: depths.append(thought.depth),
    )
    assert depths == [1]


def test_reports_come_once_a_depth() -> None:
    reports: list[SearchResult] = []
    last = think(GIPF.start("3 3 9 9"), SearchLimits(depth=4), report=reports.append)
    assert [thought.depth for thought in reports] == [1, 2, 3, 4]
    assert reports[-1] == last
    assert [thought.nodes for thought in reports] == sorted(thought.nodes for thought in reports)


def test_finished_games_and_foreign_positions_are_refused() -> None:
    searcher = Searcher(GIPF.start("2 3 5 5").kernel(compile=False), megabytes=1)
    over = GIPF.start("2 3 5 5").resolve("a3-b3").position
    with pytest.raises(ValueError, match="over"):
        searcher.think(over, clock=never)
    with pytest.raises(ValueError, match="variant"):
        searcher.think(GIPF.start("3 3 5 5"), clock=never)
    with pytest.raises(ValueError, match="depth"):
        searcher.think(GIPF.start("2 3 5 5"), limits=SearchLimits(depth=0), clock=never)


def test_search_without_room_ends_with_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.search.iterative_deepening.PLACES", layout.ROOM + 60)
    thought = think(GIPF.start("3 3 9 9"), SearchLimits())
    assert 1 <= thought.depth < 10
    assert thought.move in moves(GIPF.start("3 3 9 9"))


# The table


def test_bucket_keeps_the_deepest_and_the_latest() -> None:
    table = [0] * BUCKET_WORDS
    for key, depth in ((1, 5), (2, 3), (3, 2)):
        remember(table, key, 10 * key, EXACT, depth, key, 1)
    assert [probe(table, key) != 0 for key in (1, 2, 3)] == [True, False, True]
    remember(table, 4, -7, LOWER, 1, 9, 2)  # a later search drives out what an earlier one searched deeper
    assert [probe(table, key) != 0 for key in (1, 2, 3, 4)] == [True, False, False, True]
    assert table[ENTRY_WORDS] ^ table[ENTRY_WORDS + 1] == 1


def test_entry_that_two_threads_have_written_is_nobodys() -> None:
    table, other = [0] * BUCKET_WORDS, [0] * BUCKET_WORDS
    remember(table, 5, 10, EXACT, 3, 1, 1)
    remember(other, 9, -20, LOWER, 4, 2, 1)
    assert [probe(table, 5) != 0, probe(other, 9) != 0] == [True, True]
    table[1] = other[1]
    assert [probe(table, key) for key in (5, 9)] == [0, 0]


def test_the_part_of_the_table_in_use_grows() -> None:
    told: list[SearchResult] = []
    position = GIPF.start("3 3 9 9")
    searcher = Searcher(position.kernel(compile=False), megabytes=0.02)
    searcher.think(position, limits=SearchLimits(depth=5), clock=never, report=told.append)
    uses = [thought.table_use for thought in told]
    assert 0 < uses[0] < uses[-1] <= 1
    assert uses == sorted(uses)
    assert searcher.think(position, limits=SearchLimits(depth=1), clock=never).table_use < uses[-1]


def test_small_table_changes_no_result() -> None:
    for position in random_positions("2 3 6 6", 10, seed=4):
        scores = set()
        for megabytes in (0, 0.01, 1):
            searcher = Searcher(position.kernel(compile=False), megabytes=megabytes)
            scores.add(searcher.think(position, limits=SearchLimits(depth=4, exact=True), clock=never).score)
        assert len(scores) == 1
