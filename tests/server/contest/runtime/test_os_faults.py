"""Whose fault it is when a program cannot be started: each error number, at each place at which it can come up."""

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from server.contest.programs import program as programs
from server.contest.programs.program import MachineFault, NotStarted, Place, Program
from server.ops import descendants
from server.ops.faults import PROGRAM_FAULTS, machine_fault
from tests.descriptors import open_files
from tests.server.contest.runtime.test_program import SEAT, alive

OF_THE_MACHINE = [
    errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS,
    errno.ETXTBSY, errno.ENOBUFS,
]  # fmt: skip


def children() -> set[int]:
    """Return the processes that this one has started and not reaped."""
    found: set[int] = set()
    for task in Path("/proc/self/task").iterdir():
        found.update(map(int, (task / "children").read_text().split()))
    return found


@pytest.mark.parametrize("number", OF_THE_MACHINE)
def test_a_lack_of_the_machine_is_told_in_a_clause_with_its_name(number: int) -> None:
    clause = machine_fault(OSError(number, os.strerror(number)))
    assert errno.errorcode[number] in clause and clause.isprintable()
    assert number not in PROGRAM_FAULTS


def test_what_a_program_does_itself_is_no_lack_of_the_machine() -> None:
    for number in PROGRAM_FAULTS:
        assert machine_fault(OSError(number, "words", "./bot")) == ""
    assert machine_fault(ValueError("embedded null byte")) == machine_fault(RuntimeError("another")) == ""
    assert "no memory left" in machine_fault(MemoryError())
    assert "no processes left" in machine_fault(RuntimeError("can't start new thread"))
    group = ExceptionGroup("two", [ValueError("mine"), ExceptionGroup("one", [OSError(errno.EMFILE, "")])])
    assert "EMFILE" in machine_fault(group)


ERRORS = [OSError(number, os.strerror(number)) for number in OF_THE_MACHINE]


@pytest.mark.parametrize("error", [*ERRORS, MemoryError()], ids=lambda error: getattr(error, "strerror", "memory"))
@pytest.mark.parametrize("place", ["pipe", "popen", "dup", "second dup", "affinity"])
async def test_a_program_that_the_machine_does_not_start_is_not_to_blame_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, error: Exception
) -> None:
    where = Place(tmp_path, descendants.home_of(tmp_path), tmp_path / "errors.txt", min(os.sched_getaffinity(0)))
    dup, calls = os.dup, []

    def fail(*_: object, **__: object) -> Any:
        raise error

    def fail_later(file: int) -> int:
        calls.append(file)
        return dup(file) if len(calls) == 1 else fail()

    await trio.to_thread.run_sync(int)  # threads, and what trio opens for them, are there
    before, running = open_files(), children()
    match place:
        case "pipe":
            monkeypatch.setattr(os, "pipe", fail)
        case "popen":
            monkeypatch.setattr(subprocess, "Popen", fail)
        case "dup":
            monkeypatch.setattr(os, "dup", fail)
        case "second dup":
            monkeypatch.setattr(os, "dup", fail_later)
        case "affinity":
            monkeypatch.setattr(os, "sched_setaffinity", fail)
    with pytest.raises(MachineFault) as caught:
        await programs.run([sys.executable, "-c", "import sys; sys.stdin.read()"], SEAT, where)
    monkeypatch.undo()
    assert "cannot be started: " in str(caught.value)
    del caught
    assert open_files() <= before
    assert children() == running


async def test_a_program_for_which_no_thread_can_be_started_is_not_to_blame(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_thread(*_: object, **__: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(trio.to_thread, "run_sync", no_thread)
    with pytest.raises(MachineFault, match="no processes left"):
        await programs.run([sys.executable], SEAT, Place(tmp_path, "0" * 16, tmp_path / "errors.txt"))


async def test_a_program_runs_and_ends_where_the_system_has_no_handle_left_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_handle(_: int) -> int:
        raise OSError(errno.EMFILE, "too many open files")

    place = Place(tmp_path, descendants.home_of(tmp_path), tmp_path / "errors.txt")
    before = children()  # other tests may have left some
    async with trio.open_nursery() as nursery:
        monkeypatch.setattr(os, "pidfd_open", no_handle)
        program: Program = await nursery.start(programs.run, [sys.executable, "-c", "input()"], SEAT, place)
        (child,) = children() - before
        nursery.cancel_scope.cancel()
    assert program.ended.is_set() and not alive(child)


@pytest.mark.parametrize(
    ("number", "own"), [(errno.ENOENT, True), (errno.EACCES, True), (errno.ENOEXEC, True), (errno.EAGAIN, False)]
)
async def test_what_the_system_says_of_the_program_itself_is_its_own_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, own: bool
) -> None:
    def fail(*_: object, **__: object) -> Any:
        raise OSError(number, os.strerror(number), "./bot")

    monkeypatch.setattr(subprocess, "Popen", fail)
    with pytest.raises(NotStarted) as caught:
        await programs.run(["./bot"], SEAT, Place(tmp_path, "0" * 16, tmp_path / "errors.txt"))
    assert isinstance(caught.value, MachineFault) != own


async def test_the_folder_of_a_contest_that_is_gone_is_no_fault_of_its_programs(tmp_path: Path) -> None:
    place = Place(tmp_path / "gone", "0" * 16, tmp_path / "errors.txt")
    with pytest.raises(MachineFault, match="gone"):
        await programs.run([sys.executable], SEAT, place)


class Woken:
    """The pipe of a program's errors, whose reader has been woken up, and reads only when nothing else goes on."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._open = True

    async def receive_some(self, _: int) -> bytes:
        try:
            await trio.sleep_forever()
        finally:
            with trio.CancelScope(shield=True):
                await trio.testing.wait_all_tasks_blocked()
            if not self._open:
                raise trio.ClosedResourceError

    def fileno(self) -> int:
        return self._file

    def close(self) -> None:
        self._open = False
        os.close(self._file)


async def test_the_pipe_of_a_program_is_closed_only_when_nobody_reads_it_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trio.lowlevel, "FdStream", Woken)
    place = Place(tmp_path, descendants.home_of(tmp_path), tmp_path / "errors.txt")
    async with trio.open_nursery() as nursery:
        await nursery.start(programs.run, ["true", "{port}"], SEAT, place)
        nursery.cancel_scope.cancel()
