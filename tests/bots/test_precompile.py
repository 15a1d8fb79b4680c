"""Compiled code that is made ready beside a game."""

import os
import subprocess
import threading
from typing import Any

import pytest

from bots.client import precompile
from bots.client.precompile import Precompilation, start_of
from engine.games.interface import Position

SMALL = start_of("gipf", "2 2 5 5")
SMALL_HANDICAP = start_of("gipf", "2 2 5 7")
OTHER = start_of("gipf", "2 3 5 5")

compiles = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled in this run")


class Compiler:
    """Stands for what compiles: it is done when it is let go on."""

    def __init__(self) -> None:
        self.positions: list[Position] = []
        self.go_on = threading.Event()

    def __call__(self, position: Position) -> None:
        assert self.go_on.wait(300)
        self.positions.append(position)


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Start no processes, but list them."""
    started: list[list[str]] = []

    def run(command: list[str], **_options: Any) -> None:
        started.append(command[4:])

    monkeypatch.setattr(subprocess, "run", run)
    return started


@compiles
def test_rules_are_interpreted_until_compiled_ones_are_loaded(processes: list[list[str]]) -> None:
    compiler = Compiler()
    warm = Precompilation(compiler)
    warm.start(SMALL)
    warm.start(SMALL)
    assert not warm.wait(SMALL, 0.0)
    assert not warm.kernel(SMALL).compiled
    compiler.go_on.set()
    assert warm.wait(SMALL, 300.0)
    assert warm.kernel(SMALL).compiled
    assert len(compiler.positions) == 1
    assert processes == [["warm", "gipf", "2 2 5 5"]]


@compiles
def test_other_reserves_need_no_other_code(processes: list[list[str]]) -> None:
    compiler = Compiler()
    compiler.go_on.set()
    warm = Precompilation(compiler)
    warm.load(SMALL)
    warm.start(SMALL_HANDICAP)
    assert warm.kernel(SMALL_HANDICAP).compiled
    assert not warm.kernel(OTHER).compiled
    assert processes == []


def test_where_nothing_compiles_boards_stay_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    compiler = Compiler()
    warm = Precompilation(compiler)
    warm.load(SMALL)
    assert not warm.kernel(SMALL).compiled
    assert compiler.positions == []


def test_the_start_of_a_game() -> None:
    assert precompile.start_of("gipf", "").parameters == "4 4 15 15"
