"""A process that compiles beside another one."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.games.catalogue import start_of
from engine.games.kernels import CompileProcess, KernelSource
from engine.search.alphabeta import SEARCHING
from tests.waiting import BUILD_SECONDS


def test_it_prints_nothing_and_two_never_run_at_once(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(CompileProcess, "_latest", None)
    first = CompileProcess.start(["precompile", "halma"])
    assert first is not None and CompileProcess.start(["precompile", "halma"]) is None
    assert first.wait(BUILD_SECONDS) == 2
    second = CompileProcess.start(["precompile", "halma"])
    assert second is not None and second.wait(BUILD_SECONDS) == 2
    assert capfd.readouterr() == ("", "")


class Elsewhere:
    """Stands for what a board needs that is not on the disk."""

    folder = Path("anywhere")

    def is_complete(self, _purpose: str) -> bool:
        return False


def test_what_failed_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[Sequence[str]] = []

    def start(arguments: Sequence[str]) -> None:
        tried.append(arguments)
        if len(tried) > 1:
            raise OSError("no more processes")

    code = KernelSource(start_of("mnk", "3 3 3"), SEARCHING)
    monkeypatch.setattr(CompileProcess, "start", start)
    monkeypatch.setitem(vars(code), "bindings", [Elsewhere()])
    for _ in range(4):
        code.start()
        assert not code.is_ready() and not code.wait(0.0)
    assert tried == 2 * [["precompile", "mnk", "3 3 3", "--purpose", "search", "--background"]]


def test_where_nothing_can_be_kept_no_process_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Elsewhere, "folder", None)
    monkeypatch.setattr(CompileProcess, "start", lambda arguments: pytest.fail("it was started"))
    code = KernelSource(start_of("mnk", "3 3 3"), SEARCHING)
    monkeypatch.setitem(vars(code), "bindings", [Elsewhere()])
    code.start()
    assert not code.is_ready()
