"""A search that goes over from interpreted to compiled code finds the same, whenever it does."""

from itertools import count

import pytest

from engine.games.catalogue import start_of
from engine.search import game_engine
from engine.search.game_engine import AdaptiveSearcher
from engine.search.searcher import Searcher, SearchLimits, SearchResult, Stop
from tests.engine.kernels_after import KernelsAfter

POSITION = start_of("gipf", "3 3 8 8")


def never() -> float:
    return 0.0


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Make interpreted searchers for compiled ones, and list what was asked for."""
    asked: list[bool] = []
    kernel = type(POSITION).kernel

    def watched(self: object, *, compile: bool = True) -> object:
        return kernel(self, compile=False)  # type: ignore[arg-type]

    class Listed(Searcher):
        def __init__(self, *arguments: object, **options: object) -> None:
            super().__init__(*arguments, **options)  # type: ignore[arg-type]
            asked.append(True)

    monkeypatch.setattr(type(POSITION), "kernel", watched)
    monkeypatch.setattr(game_engine, "Searcher", Listed)
    monkeypatch.setattr(game_engine, "NODES_A_LOOK", 10)
    return asked


def found(result: SearchResult) -> tuple[object, ...]:
    return result.score, result.depth, result.nodes, result.line, result.rank


@pytest.mark.slow("interpreted")
@pytest.mark.parametrize("limits", [SearchLimits(depth=4), SearchLimits(nodes=900), SearchLimits(depth=3, lines=3)])
def test_it_finds_and_reports_the_same_whenever_compiled_code_comes(limits: SearchLimits, made: list[bool]) -> None:
    expected: list[SearchResult] = []
    whole = Searcher(POSITION.kernel(compile=False), megabytes=1).think(
        POSITION, (), limits, clock=never, report=expected.append
    )
    taken_over = set()
    for looks in (0, 1, 3, 8, 30, float("inf")):
        made.clear()
        told: list[SearchResult] = []
        searcher = AdaptiveSearcher(POSITION, megabytes=1, kernels=KernelsAfter(POSITION, looks))
        result = searcher.think(POSITION, (), limits, clock=never, report=told.append)
        assert found(result) == found(whole)
        assert list(map(found, told)) == list(map(found, expected))
        taken_over.add(len(made))
    assert taken_over == {1, 2}, "some were taken over while they thought, and some were not"


def test_small_work_starts_no_process(made: list[bool]) -> None:
    kernels = KernelsAfter(POSITION, float("inf"), compile_from=20)
    searcher = AdaptiveSearcher(POSITION, megabytes=1, kernels=kernels)
    searcher.think(POSITION, (), SearchLimits(nodes=5), clock=never)
    assert kernels.started == 0
    searcher.think(POSITION, (), SearchLimits(nodes=500), clock=never)
    assert kernels.started > 0 and not searcher.is_compiled


def test_later_thoughts_are_compiled_from_their_beginning(made: list[bool]) -> None:
    searcher = AdaptiveSearcher(POSITION, megabytes=1, kernels=KernelsAfter(POSITION, 3))
    searcher.think(POSITION, (), SearchLimits(nodes=500), clock=never)
    assert searcher.is_compiled and len(made) == 2
    searcher.think(POSITION, (), SearchLimits(nodes=500), clock=never)
    assert len(made) == 2


def test_time_that_has_gone_is_not_given_twice(made: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[SearchLimits] = []
    think = Searcher.think

    def watched(self: Searcher, position: object, earlier: object, limits: SearchLimits, **more: object) -> object:
        asked.append(limits)
        return think(self, position, earlier, limits, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Searcher, "think", watched)
    ticks = count(0.0, 0.001)
    searcher = AdaptiveSearcher(POSITION, megabytes=1, kernels=KernelsAfter(POSITION, 5))
    searcher.think(POSITION, (), SearchLimits(soft_ms=400, hard_ms=500), clock=lambda: next(ticks))
    first, second = asked
    assert (first.soft_ms, first.hard_ms) == (400, 500)
    assert second.soft_ms is not None and second.hard_ms is not None
    assert 0 < second.soft_ms < 390 and second.hard_ms - second.soft_ms == pytest.approx(100)


def test_it_stops_when_it_is_told(made: list[bool]) -> None:
    stop = Stop()
    stop.set()
    searcher = AdaptiveSearcher(POSITION, megabytes=1, kernels=KernelsAfter(POSITION, 5))
    result = searcher.think(POSITION, (), SearchLimits(), clock=never, stop=stop)
    assert result.depth == 0 and not searcher.is_compiled


def test_it_can_be_told_to_wait(made: list[bool]) -> None:
    searcher = AdaptiveSearcher(POSITION, megabytes=1, kernels=KernelsAfter(POSITION, 1))
    searcher.start_compiling()
    searcher.wait_for_code(0.0)
    assert searcher.is_compiled
