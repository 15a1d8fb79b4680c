"""Interpreted work that continues in compiled code finds the same. Small work requests no compiled code."""

from itertools import count

import pytest

from engine.duel.training import SelfplaySettings, play
from engine.games.catalogue import start_of
from engine.games.interface import Kernel
from engine.games.kernels import NEVER
from engine.search import searcher
from engine.search.searcher import (
    NO_LIMITS,
    AdaptiveSearcher,
    Searcher,
    SearchLimits,
    SearchResult,
    Stop,
    with_best_kernel,
)
from tests.clocks import never
from tests.engine.kernels_after import KernelsAfter

POSITION = start_of("gipf", "3 3 8 8")
SETTING = SelfplaySettings("gipf", "3 3 8 8", POSITION.kernel(compile=False).rules.label, 3, 40, 20)


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Look often, have interpreted kernels stand for compiled ones, and list for each kernel which was asked for."""
    asked: list[bool] = []
    kernel = type(POSITION).kernel

    def watched(self: object, *, compile: bool = True) -> Kernel:
        asked.append(compile)
        return kernel(self, compile=False)  # type: ignore[arg-type]

    monkeypatch.setattr(type(POSITION), "kernel", watched)
    monkeypatch.setattr(searcher, "POLL_NODES", 10)
    return asked


def searcher_after(looks: float) -> AdaptiveSearcher:
    return AdaptiveSearcher(POSITION, megabytes=1, kernels=KernelsAfter(POSITION, looks, compile_from=20))


def game(kernel: Kernel, stop: Stop) -> object:
    return play(kernel, SETTING, 1, stop)


def found(result: SearchResult) -> tuple[object, ...]:
    return result.score, result.depth, result.nodes, result.line, result.rank


@pytest.mark.slow("interpreted")
@pytest.mark.parametrize("limits", [SearchLimits(depth=2), SearchLimits(nodes=300), SearchLimits(depth=2, lines=3)])
def test_a_search_finds_and_reports_the_same(limits: SearchLimits) -> None:
    expected: list[SearchResult] = []
    kernel = POSITION.kernel(compile=False)
    whole = Searcher(kernel, megabytes=1).think(kernel.state, (), limits, clock=never, report=expected.append)
    for looks, is_compiled in ((0, True), (1, True), (3, True), (NEVER, False)):
        told: list[SearchResult] = []
        searcher = searcher_after(looks)
        result = searcher.think(POSITION, (), limits, clock=never, report=told.append)
        assert found(result) == found(whole)
        assert list(map(found, told)) == list(map(found, expected))
        assert searcher.is_compiled == is_compiled


@pytest.mark.slow("interpreted")
def test_work_is_the_same(asked: list[bool]) -> None:
    expected = with_best_kernel(KernelsAfter(POSITION, NEVER), POSITION, game)
    assert asked.count(True) == 0, "nothing waits for code that never comes"
    for looks, is_given_up in ((0, False), (1, True), (5, True)):
        asked.clear()
        assert with_best_kernel(KernelsAfter(POSITION, looks), POSITION, game) == expected
        assert asked.count(True) == 1 and (False in asked) == is_given_up


def test_code_is_asked_for_when_work_has_cost_enough_and_somebody_is_told_once() -> None:
    told: list[str] = []
    kernels = KernelsAfter(POSITION, NEVER, compile_from=20, compiling=lambda: told.append("compiling"))
    searcher = AdaptiveSearcher(POSITION, megabytes=1, kernels=kernels)
    searcher.think(POSITION, (), SearchLimits(nodes=5), clock=never)
    assert told == []
    searcher.think(POSITION, (), SearchLimits(nodes=500), clock=never)
    with_best_kernel(kernels, POSITION, game)
    assert kernels.started > 1 and told == ["compiling"] and not searcher.is_compiled
    silent = KernelsAfter(POSITION, NEVER, compile_from=NEVER)
    with_best_kernel(silent, POSITION, game)
    assert silent.started == 0


def test_later_thoughts_are_compiled_from_their_beginning(asked: list[bool]) -> None:
    searcher = searcher_after(3)
    searcher.think(POSITION, (), SearchLimits(nodes=500), clock=never)
    assert searcher.is_compiled and True in asked
    asked.clear()
    searcher.think(POSITION, (), SearchLimits(nodes=500), clock=never)
    assert set(asked) == {True} and searcher.is_compiled


def test_time_that_has_gone_is_not_given_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[SearchLimits] = []
    think = Searcher.think

    def watched(self: Searcher, state: object, earlier: object, limits: SearchLimits, **more: object) -> object:
        given.append(limits)
        return think(self, state, earlier, limits, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Searcher, "think", watched)
    ticks = count(0.0, 0.001)
    searcher_after(5).think(POSITION, (), SearchLimits(soft_ms=400, hard_ms=500), clock=lambda: next(ticks))
    first, second = given
    assert (first.soft_ms, first.hard_ms) == (400, 500)
    assert second.soft_ms is not None and second.hard_ms is not None
    assert 0 < second.soft_ms < 390 and second.hard_ms - second.soft_ms == pytest.approx(100)


def test_it_stops_and_waits_when_it_is_told() -> None:
    stop = Stop()
    stop.set()
    searcher = searcher_after(5)
    assert searcher.think(POSITION, (), NO_LIMITS, clock=never, stop=stop).depth == 0 and not searcher.is_compiled
    searcher = searcher_after(1)
    searcher.start_compiling()
    searcher.wait_for_code(0.0)
    assert searcher.is_compiled
