"""A process that compiles beside another one: it is left behind by nobody who is killed, and finishes for others."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from engine.games.catalogue import start_of
from engine.games.kernels import CompileProcess, KernelSource
from engine.search.alphabeta import SEARCHING
from tests.waiting import BUILD_SECONDS

ROOT = Path(__file__).parents[2]

CHILD = """
import sys, time
from engine.games.kernels import stay_with_caller
stay_with_caller(sys.stdin.fileno())
open(sys.argv[1] + ".begun", "w").close()
while not __import__("os").path.exists(sys.argv[1] + ".go"):
    time.sleep(0.01)
open(sys.argv[1], "w").close()
"""

CALLER = """
import subprocess, sys, time, os
from engine.games import kernels
popen = subprocess.Popen
kernels.subprocess.Popen = lambda command, **options: popen(
    [sys.executable, "-P", "-c", CHILD, *command[4:]], **options
)
process = kernels.CompileProcess([sys.argv[1]])
while not os.path.exists(sys.argv[1] + ".begun"):
    time.sleep(0.01)
print(process.pid, flush=True)
if sys.argv[2] == "leaves":
    kernels.CompileProcess._latest = process
    kernels.CompileProcess.leave_running()
    os.kill(os.getpid(), 9)
if sys.argv[2] == "waits":
    sys.stdin.read()
""".replace("CHILD", repr(CHILD))


def caller(place: Path, how: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", "-c", CALLER, str(place), how],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def wait_for_end(pid: int) -> None:
    """Wait until a process has ended that is nobody's child here."""
    pidfd = os.pidfd_open(pid)
    try:
        assert select.select([pidfd], [], [], 60)[0]
    finally:
        os.close(pidfd)


OUTLIVES = """
import signal, sys
from engine.games.kernels import CompileProcess
signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # as the command line has it, for output into `head`
process = CompileProcess(["precompile", "halma"])
process._process.wait()
if sys.argv[1] == "asks":
    assert process.has_ended()
print("is still there", flush=True)
"""


@pytest.mark.parametrize("how", ["asks", "ends"])
def test_a_command_outlives_a_process_that_has_ended_before_it(how: str) -> None:
    done = subprocess.run([sys.executable, "-P", "-c", OUTLIVES, how], cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"is still there\n", b"")


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="the end of other's processes is not told here")
def test_it_ends_with_a_caller_that_is_killed(tmp_path: Path) -> None:
    place = tmp_path / "done"
    with caller(place, "waits") as running:
        assert running.stdout is not None
        pid = int(running.stdout.readline())
        running.kill()
    with suppress(ProcessLookupError):
        wait_for_end(pid)
    assert not place.exists()


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="the end of other's processes is not told here")
@pytest.mark.parametrize("how", ["ends", "leaves"])
def test_it_finishes_when_its_caller_ends_in_order_or_leaves_it_and_is_killed(tmp_path: Path, how: str) -> None:
    place = tmp_path / "done"
    with caller(place, how) as running:
        assert running.stdout is not None
        pid = int(running.stdout.readline())
        assert running.wait() == (0 if how == "ends" else -signal.SIGKILL)
        os.close(os.pidfd_open(pid))
        (tmp_path / "done.go").touch()
        with suppress(ProcessLookupError):
            wait_for_end(pid)
    assert place.exists()


def test_it_ends_at_once_and_in_order_while_its_caller_lives() -> None:
    """An interpreter that ends while a thread reads its standard input waits for a second, and aborts."""
    command = [
        sys.executable,
        "-P",
        "-m",
        "engine",
        "precompile",
        "mnk",
        "3 3 3",
        "--purpose",
        "search",
        "--for-caller",
    ]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, cwd=ROOT
    ) as process:
        assert process.wait() == 0
        assert process.stdin is not None and process.stderr is not None
        assert process.stderr.read() == b"m,n,k 3 3 3, search: nothing is compiled, NUMBA_DISABLE_JIT says so\n"


def test_what_it_says_goes_nowhere_and_how_it_ended_does_not_matter(capfd: pytest.CaptureFixture[str]) -> None:
    process = CompileProcess(["precompile", "halma"])
    assert process.wait(BUILD_SECONDS) and process.has_ended()
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow("interpreted")
def test_no_two_are_started_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever was refused asks again later; one that cannot be started is no reason to try again and again."""
    monkeypatch.setattr(CompileProcess, "_latest", None)
    first = CompileProcess.start(["precompile", "halma"])
    assert first is not None and CompileProcess.start(["precompile", "halma"]) is None
    assert first.wait(BUILD_SECONDS)
    second = CompileProcess.start(["precompile", "halma"])
    assert second is not None and second.wait(BUILD_SECONDS)


class Elsewhere:
    """Stands for what a board needs that is not on the disk."""

    folder = Path("anywhere")

    def is_kept(self, _purpose: str) -> bool:
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
    assert tried == 2 * [["precompile", "mnk", "3 3 3", "--purpose", "search", "--for-caller"]]


def test_where_nothing_can_be_kept_no_process_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Elsewhere, "folder", None)
    monkeypatch.setattr(CompileProcess, "start", lambda arguments: pytest.fail("it was started"))
    code = KernelSource(start_of("mnk", "3 3 3"), SEARCHING)
    monkeypatch.setitem(vars(code), "bindings", [Elsewhere()])
    code.start()
    assert not code.is_ready()
