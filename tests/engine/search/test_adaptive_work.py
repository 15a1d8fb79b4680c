"""Work gives the same whenever compiled code comes, and its first result before that where it never comes."""

import pytest

from engine.duel.selfplay import Setting, play
from engine.games.catalogue import start_of
from engine.games.interface import Kernel
from engine.match.evaluations import Evaluator
from engine.search import game_engine
from engine.search.game_engine import AdaptiveWork
from engine.search.searcher import Stop
from tests.engine.code_after import CodeAfter

START = start_of("gipf", "3 3 8 8")
LABEL = START.kernel(compile=False).rules.label
NEVER = float("inf")


@pytest.fixture(autouse=True)
def begun(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Look often, have interpreted kernels stand for compiled ones, and list for each kernel which was asked for."""
    asked: list[bool] = []
    kernel = type(START).kernel

    def watched(self: object, *, compile: bool = True) -> Kernel:
        asked.append(compile)
        return kernel(self, compile=False)  # type: ignore[arg-type]

    monkeypatch.setattr(type(START), "kernel", watched)
    monkeypatch.setattr(game_engine, "NODES_A_LOOK", 10)
    monkeypatch.setattr(game_engine, "START_NODES", 20)
    return asked


def game(kernel: Kernel, stop: Stop) -> object:
    return play(kernel, Setting("gipf", "3 3 8 8", LABEL, 3, 40, 20), 1, stop)


def test_work_is_the_same_whenever_compiled_code_comes(begun: list[bool]) -> None:
    expected = AdaptiveWork(START, code=CodeAfter(NEVER)).do(game)
    assert begun.count(True) == 0, "nothing waits for code that never comes"
    for looks, is_given_up in ((0, False), (1, True), (5, True)):
        begun.clear()
        assert AdaptiveWork(START, code=CodeAfter(looks)).do(game) == expected
        assert begun.count(True) == 1 and (False in begun) == is_given_up


def test_an_evaluation_is_the_same_whenever_compiled_code_comes() -> None:
    def evaluated(looks: float) -> tuple[object, ...]:
        evaluator = Evaluator(START, clock=lambda: 0.0, code=CodeAfter(looks))
        found = evaluator.evaluate(START, (), 2000)
        assert found is not None
        return found.line, found.score, found.depth, found.nodes, evaluator.nodes

    assert evaluated(NEVER) == evaluated(0) == evaluated(4)


def test_it_is_told_once_that_something_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_engine, "can_compile", lambda: True)
    told: list[str] = []
    code = CodeAfter(NEVER)
    work = AdaptiveWork(START, code=code, compiling=lambda: told.append("compiling"))
    work.do(game)
    work.do(game)
    assert code.started > 1 and told == ["compiling"]


def test_a_process_of_several_asks_for_nothing() -> None:
    code = CodeAfter(NEVER)
    AdaptiveWork(START, code=code, compiling=None).do(game)
    assert code.started == 0
