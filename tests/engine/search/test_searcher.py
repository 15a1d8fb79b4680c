"""A search ends within its limits, and says what was searched to its end, whatever the size of its table."""

import threading
import time
from dataclasses import replace

import pytest

from engine.compiling.binding import zeros
from engine.search import memory as layout
from engine.search.alphabeta import bind
from engine.search.capabilities import INFINITY
from engine.search.iterative_deepening import memory_for
from engine.search.memory import BUCKET_WORDS, ENTRY_WORDS, EXACT, LOWER, probe, save_entry
from engine.search.searcher import Searcher, SearchLimits, SearchResult, Stop, warm_up
from tests.clocks import never
from tests.engine.search import toy
from tests.engine.search.searching import GIPF, SMALL, think


@pytest.mark.parametrize("compile", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_search_cut_off_before_its_first_ply_is_through_says_nothing_of_the_position(compile: bool) -> None:
    stopped = Stop()
    stopped.set()
    for stop, limits in ((stopped, SearchLimits()), (None, SearchLimits(nodes=1))):
        thought = think(GIPF.start(SMALL), limits, compile=compile, stop=stop)
        assert (thought.score, thought.depth, thought.plies_to_end) == (None, 0, None)
        assert thought.nodes == 1
        assert thought.move(GIPF.start(SMALL)) in GIPF.start(SMALL).legal_moves


@pytest.mark.parametrize(
    "compile",
    [pytest.param(False, marks=pytest.mark.slow("interpreted")), pytest.param(True, marks=pytest.mark.slow)],
)
def test_the_score_is_that_of_the_last_depth_that_was_searched_to_its_end(compile: bool) -> None:
    whole = [think(GIPF.start(SMALL), SearchLimits(depth=depth), compile=compile) for depth in (1, 2, 3)]
    for cut in range(1, whole[-1].nodes, 97):
        thought = think(GIPF.start(SMALL), SearchLimits(nodes=cut), compile=compile)
        finished = [full for full in whole if full.nodes <= cut]
        assert thought.depth >= len(finished) - 1
        expected = whole[thought.depth - 1].score if thought.depth else None
        assert thought.score == expected, f"cut off after {cut} nodes, at depth {thought.depth}"


def test_a_root_may_have_more_children_than_are_wanted_free() -> None:
    """The last of 5000 is the best: to see it, all have to be looked at, for which of them are barred."""
    count = layout.MAX_CHILDREN + 1000
    kernel = toy.kernel([list(range(1, count + 1)), *([count + 1] for _ in range(count)), []])
    rules = replace(kernel.rules, evaluate=lambda node: -node.number, hash_of=lambda node: node.number)
    kernel = kernel._replace(rules=rules)
    memory = memory_for(kernel, zeros("q", BUCKET_WORDS))._replace(path=[0] * 64, stop=[0])
    memory.cells[layout.NODE_LIMIT] = 1 << 40
    assert bind(kernel).search(toy.Node(0), 1, -INFINITY, INFINITY, 0, 0, memory) == count
    assert memory.pv[1] == count - 1
    assert len(memory.excluded) == layout.ARENA_PLACES


def test_interpreted_search_reads_the_clock_at_every_node() -> None:
    readings = 0

    def clock() -> float:
        nonlocal readings
        readings += 1
        return readings / 1000

    position = GIPF.start("5 4 18 18")
    kernel = position.kernel()
    thought = Searcher(kernel).think(kernel.state, limits=SearchLimits(hard_ms=50), clock=clock)
    assert 50 <= readings <= 56
    assert thought.nodes <= 60 * len(position.legal_moves)


@pytest.mark.parametrize(
    "compile",
    [pytest.param(False, marks=pytest.mark.slow("interpreted")), pytest.param(True, marks=pytest.mark.slow)],
)
def test_budget_of_nodes_is_kept_to_the_children_of_a_node(compile: bool) -> None:
    for nodes in (1, 10, 500, 2000):
        thought = think(GIPF.start(SMALL), SearchLimits(nodes=nodes), compile=compile)
        assert nodes <= thought.nodes <= nodes + len(GIPF.start(SMALL).legal_moves)


@pytest.mark.slow
def test_compiled_search_ends_at_the_hard_limit_and_when_told() -> None:
    position = GIPF.start("4 4 15 15")  # a game of SMALL is soon searched to its end
    warm_up(position)
    kernel = position.kernel()
    searcher = Searcher(kernel)
    # to the end it takes hours: that it comes back at all shows that it was ended, however busy the machine is
    assert searcher.think(kernel.state, limits=SearchLimits(hard_ms=100), clock=time.perf_counter).seconds >= 0.09
    stop = Stop()
    threading.Timer(0.05, stop.set).start()
    hour = SearchLimits(hard_ms=3_600_000)
    assert searcher.think(kernel.state, limits=hour, clock=time.perf_counter, stop=stop).seconds < 600


def test_no_depth_begins_after_the_soft_limit() -> None:
    ticks = iter(range(1000))
    position = GIPF.start("3 3 9 9")
    depths: list[int] = []
    kernel = position.kernel(compile=False)
    Searcher(kernel).think(
        kernel.state,
        limits=SearchLimits(soft_ms=1),
        clock=lambda: next(ticks),
        report=lambda thought: depths.append(thought.depth),
    )
    assert depths == [1]


def test_reports_come_once_a_depth() -> None:
    reports: list[SearchResult] = []
    last = think(GIPF.start("3 3 9 9"), SearchLimits(depth=3), report=reports.append)
    assert [thought.depth for thought in reports] == [1, 2, 3]
    assert reports[-1] == last
    assert [thought.nodes for thought in reports] == sorted(thought.nodes for thought in reports)


def test_finished_games_and_depths_without_a_ply_are_refused() -> None:
    searcher = Searcher(GIPF.start("2 3 5 5").kernel(compile=False), megabytes=1)
    over = GIPF.start("2 3 5 5").play("a3-b3")
    with pytest.raises(ValueError, match="over"):
        searcher.think(over.kernel(compile=False).state, clock=never)
    with pytest.raises(ValueError, match="depth"):
        searcher.think(GIPF.start("2 3 5 5").kernel(compile=False).state, limits=SearchLimits(depth=0), clock=never)


def test_search_without_room_ends_with_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.search.iterative_deepening.ARENA_PLACES", layout.MAX_CHILDREN + 60)
    thought = think(GIPF.start("3 3 9 9"), SearchLimits())
    assert 1 <= thought.depth < 10
    assert thought.move(GIPF.start("3 3 9 9")) in GIPF.start("3 3 9 9").legal_moves


def test_bucket_keeps_the_deepest_and_the_latest() -> None:
    table = [0] * BUCKET_WORDS
    for key, depth in ((1, 5), (2, 3), (3, 2)):
        save_entry(table, key, 10 * key, EXACT, depth, key, 1)
    assert [probe(table, key) != 0 for key in (1, 2, 3)] == [True, False, True]
    save_entry(table, 4, -7, LOWER, 1, 9, 2)  # a later search drives out what an earlier one searched deeper
    assert [probe(table, key) != 0 for key in (1, 2, 3, 4)] == [True, False, False, True]
    assert table[ENTRY_WORDS] ^ table[ENTRY_WORDS + 1] == 1


def test_entry_that_two_threads_have_written_is_nobodys() -> None:
    table, other = [0] * BUCKET_WORDS, [0] * BUCKET_WORDS
    save_entry(table, 5, 10, EXACT, 3, 1, 1)
    save_entry(other, 9, -20, LOWER, 4, 2, 1)
    assert [probe(table, 5) != 0, probe(other, 9) != 0] == [True, True]
    table[1] = other[1]
    assert [probe(table, key) for key in (5, 9)] == [0, 0]
