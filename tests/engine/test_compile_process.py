"""A process that compiles beside another one."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.compiling import code_cache
from engine.games.catalogue import start_of
from engine.games.kernels import CompileProcess, KernelSource
from engine.search.alphabeta import SEARCHING
from engine.solve import tablebase
from tests.waiting import BUILD_SECONDS

pytestmark = pytest.mark.timeout(BUILD_SECONDS)

ROOT = Path(__file__).parents[2]


@pytest.mark.slow("interpreted")
def test_it_prints_nothing_and_two_never_run_at_once(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(CompileProcess, "_latest", None)
    first = CompileProcess.start(["precompile", "halma"])
    assert first is not None and CompileProcess.start(["precompile", "halma"]) is None
    assert first.wait(BUILD_SECONDS) == 2
    second = CompileProcess.start(["precompile", "halma"])
    assert second is not None
    with second:
        assert second.wait(BUILD_SECONDS) == 2
    assert capfd.readouterr() == ("", "")


PARENT = """
import os, subprocess, sys
from engine.games.kernels import CompileProcess
SHOW = "import os; print(os.read(0, 1))"
CompileProcess._latest = CompileProcess([sys.executable, "-c", SHOW], bufsize=0, stdin=subprocess.PIPE)
"""


@pytest.mark.parametrize(("end", "read"), [("", b"\n"), ("os.kill(os.getpid(), 9)", b"")])
def test_it_may_go_on_after_a_parent_that_ends_but_not_after_one_that_is_killed(end: str, read: bytes) -> None:
    parent = subprocess.run(
        [sys.executable, "-P", "-X", "dev", "-c", PARENT + end], cwd=ROOT, capture_output=True, timeout=BUILD_SECONDS
    )
    assert parent.returncode == (-signal.SIGKILL if end else 0)
    assert (parent.stdout, parent.stderr) == (f"{read!r}\n".encode(), b"")


@pytest.mark.slow("interpreted")
def test_it_ends_with_its_input(tmp_path: Path) -> None:
    environment = {**os.environ, tablebase.DIRECTORY_VARIABLE: str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
    command = ["engine", "precompile", "gipf", "2 2 4 4", "--purpose", "tablebase", "--attached"]
    with code_cache.sole_use(tmp_path):  # for which it would wait without end
        done = subprocess.run(
            [sys.executable, "-P", "-m", *command], cwd=ROOT, env=environment, input=b"", timeout=BUILD_SECONDS
        )
    assert done.returncode == 1


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
