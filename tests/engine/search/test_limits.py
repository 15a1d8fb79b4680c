"""A search ends within its limits of nodes, depth and time, with a legal move, and reports each depth."""

import threading
import time

import pytest

from engine.games.interface import moves
from engine.search import memory as layout
from engine.search.searcher import Searcher, SearchLimits, SearchResult, Stop, warm_up
from tests.clocks import never
from tests.engine.search.searching import GIPF, SMALL, random_positions, think


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
