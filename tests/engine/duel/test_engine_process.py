"""A side of a duel plays the same whenever compiled code comes, and waits for it only where time matters."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.commands.duel import command
from engine.commands.duel.engine_process import EngineProcess
from engine.commands.duel.processes import OURS, EngineSetup
from engine.commands.inputs import say_compiling
from engine.duel.engine_config import read
from engine.games.catalogue import start_of
from engine.games.interface import Position
from engine.search import game_engine
from engine.search.game_engine import AdaptiveWork
from tests.engine.code_after import CodeAfter

START = start_of("gipf", "3 3 8 8")
NEVER = float("inf")


def setup(text: str, weights: dict[str, object] | None = None) -> EngineSetup:
    return EngineSetup("A", read(text), Path(OURS), weights or {}, START)


@pytest.mark.slow("interpreted")
def test_it_plays_the_same_whenever_compiled_code_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = type(START).kernel
    asked: list[bool] = []

    copied = replace(START.kernel(compile=False).rules)  # stand for compiled ones

    def watched(self: Position, *, compile: bool = True) -> object:
        asked.append(compile)
        interpreted = kernel(self, compile=False)
        return interpreted._replace(rules=copied) if True in asked else interpreted

    monkeypatch.setattr(type(START), "kernel", watched)
    monkeypatch.setattr(game_engine, "NODES_A_LOOK", 10)

    def played(looks: float) -> list[tuple[str, int]]:
        monkeypatch.setattr(game_engine, "compiled_code", lambda position: CodeAfter(looks))
        asked.clear()
        process = EngineProcess(setup("nodes=300").first_message)
        moves: list[str] = []
        answers = []
        for game in (0, 1):
            moves.clear()
            for _ in range(4):
                found = process.move({"game": game, "moves": moves, "left": None}, 0.0)
                answers.append((found["move"], found["nodes"]))
                moves.append(found["move"])
        assert (True in asked) == (looks < NEVER), "nothing waits for code that never comes"
        return answers

    expected = played(NEVER)
    assert [played(looks) for looks in (0, 2, 9, 20)] == [expected] * 4


@pytest.mark.parametrize(
    ("text", "weights", "waits"),
    [
        ("nodes=300", {}, False),
        ("depth=4,threads=1", {}, False),
        ("ms=20", {}, True),
        ("budget=1000+10", {}, True),
        ("nodes=300,threads=2", {}, True),
        ("nodes=300", {"piece": 90}, True),
    ],
)
def test_a_side_waits_for_the_compiler_where_something_depends_on_it(
    text: str, weights: dict[str, Any], waits: bool
) -> None:
    assert setup(text, weights).waits_for_compiler == waits


@pytest.mark.parametrize(
    ("texts", "sentences"), [(("ms=20", "nodes=300"), 2), (("ms=20",) * 2, 1), (("depth=2",) * 2, 1)]
)
def test_waiting_and_compiling_are_said_once(
    texts: tuple[str, str], sentences: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in (command, game_engine):
        monkeypatch.setattr(module, "can_compile", lambda: True)
    for looks, lines in ((NEVER, sentences), (0, 0)):
        code = CodeAfter(looks)
        work = AdaptiveWork(START, code=code, compiling=lambda: say_compiling(START))
        command._compile(work, (setup(texts[0]), setup(texts[1])))
        error = capsys.readouterr().err
        assert error.count("\n") == error.count("compiling") == lines
        assert ("compiling first" in error) == ("ms=20" in texts and lines > 0)
