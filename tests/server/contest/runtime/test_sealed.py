"""Sealing a program: what the machine refuses is no fault of the program."""

import errno
import os
import resource
import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import trio
from inline_snapshot import snapshot
from inline_snapshot.extra import raises
from structlog.testing import capture_logs

from server.config.process_settings import nice_value
from server.contest.definition import Bounds
from server.contest.programs.sandbox import limits, process as sealed
from server.contest.programs.sandbox.cores import NICENESS
from server.contest.programs.sandbox.limits import SandboxMonitor
from server.contest.programs.sandbox.process import Sealed
from server.contest.programs.sandbox.seal import Seal, VisibleFiles
from tests.descriptors import open_files
from tests.server.harness import until
from tests.waiting import WAIT_SECONDS

SEAL = Seal(VisibleFiles(Path("/")), Bounds(), 10.0)

needs_sandbox = pytest.mark.usefixtures("needs_sandbox")


def refused(*_: object) -> None:
    raise OSError(errno.EMFILE, "none left")


def test_measuring_goes_on_when_it_has_failed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "POLL_SECONDS", 0.001)
    looks, enough = [], threading.Event()

    def measure(_: SandboxMonitor) -> None:
        looks.append(1)
        if len(looks) == 3:
            enough.set()
        raise MemoryError

    monkeypatch.setattr(SandboxMonitor, "measure", measure)
    with capture_logs() as logs:
        watched = SandboxMonitor(1, Bounds(), 1.0, lambda: None)
        assert enough.wait(WAIT_SECONDS)
        watched.close()
    assert [line["event"] for line in logs] == ["sandbox_measurement_failed"]


async def test_a_port_that_is_lost_on_the_way_is_the_machines_fault() -> None:
    ours, theirs = socket.socketpair()
    box = Sealed.__new__(Sealed)
    box._port_socket = ours
    with theirs:
        theirs.send(b"x")  # as where the system had no descriptor left for what came with it
    with pytest.raises(OSError, match=os.strerror(errno.EMFILE)):
        await box.listener()


def start(errors: int, marker: str = "none", *before: str) -> Sealed:
    environment = {"PATH": os.defpath, "MARKER": marker}
    return sealed.start([*before, "sleep", "60"], environment, SEAL, None, None, errors)


async def end(box: Sealed) -> None:
    box.kill()
    await box.gone()
    box.process.communicate()
    box.close()


def test_each_process_has_the_bounds_of_its_program() -> None:
    bounds = Bounds(memory=100, processes=7, open_files=20, file_size=2)
    assert sealed._limits(Seal(VisibleFiles(Path("/")), bounds, 10.4)) == {
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_NOFILE: (20, 20),
        resource.RLIMIT_FSIZE: (2 << 20, 2 << 20),
        resource.RLIMIT_DATA: (1424 << 20, 1424 << 20),
        resource.RLIMIT_CPU: (10, 11),
        resource.RLIMIT_NPROC: (14, 14),
    }


@needs_sandbox
async def test_a_bound_above_the_servers_own_is_the_servers_own(monkeypatch: pytest.MonkeyPatch) -> None:
    own = {resource.RLIMIT_NOFILE: (64, 100)}
    monkeypatch.setattr(resource, "getrlimit", lambda kind: own.get(kind, (resource.RLIM_INFINITY,) * 2))
    with open(os.devnull, "wb") as errors:
        box = await sealed.in_lasting_thread(lambda: start(errors.fileno()))
    assert resource.prlimit(box._first, resource.RLIMIT_NOFILE) == (100, 100)
    await end(box)


@needs_sandbox
async def test_a_program_that_cannot_be_limited_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> Any:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(resource, "prlimit", refused)
    with (
        open(os.devnull, "wb") as errors,
        raises(snapshot("NotSealed: the system does not let this user limit programs: Operation not permitted")),
    ):
        await sealed.in_lasting_thread(lambda: start(errors.fileno()))


@needs_sandbox
async def test_all_of_a_program_has_a_lower_priority_in_a_session_of_its_own() -> None:
    marker = f"{os.getpid()}.niceness"
    with open(os.devnull, "wb") as errors:
        box = await sealed.in_lasting_thread(lambda: start(errors.fileno(), marker))
    box.begin()
    found: set[tuple[int, int]] = set()
    with trio.fail_after(WAIT_SECONDS):  # a process of the sandbox may end meanwhile
        while found != {(nice_value(NICENESS), box.process.pid)}:
            await trio.sleep(0.01)
            if b"sleep" in (commands := programs_of(marker)).values():
                with suppress(ProcessLookupError):
                    found = {(os.getpriority(os.PRIO_PROCESS, one), os.getsid(one)) for one in commands}
    await end(box)


@needs_sandbox
@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="this system has no autogroups")
async def test_a_program_that_begins_another_session_gains_nothing_by_it() -> None:
    marker = f"{os.getpid()}.session"
    with open(os.devnull, "wb") as errors:
        box = await sealed.in_lasting_thread(lambda: start(errors.fileno(), marker, "setsid"))
    box.begin()
    leaders: list[int] = []
    with trio.fail_after(WAIT_SECONDS):
        while [priority(leader) for leader in leaders] != [nice_value(NICENESS)]:
            leaders = [process for process, name in programs_of(marker).items() if name == b"sleep"]
            await trio.sleep(0.01)
    assert os.getsid(leaders[0]) == leaders[0]
    await end(box)


def priority(leader: int) -> int:
    """Return the nice value of a session."""
    return int(Path(f"/proc/{leader}/autogroup").read_text().split()[-1])


@needs_sandbox
@pytest.mark.parametrize("lack", [(threading.Thread, "start"), (os, "pidfd_open")])
async def test_a_sandbox_that_cannot_be_bound_is_ended_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, lack: tuple[Any, str]
) -> None:
    before, marker = open_files(), f"{os.getpid()}.{lack[1]}"
    with monkeypatch.context() as lacking, open(os.devnull, "wb") as errors:
        lacking.setattr(*lack, refused)
        with pytest.raises(OSError, match="none left"):
            start(errors.fileno(), marker)
    assert open_files() <= before
    await until(lambda: not marked(marker))


def marked(marker: str) -> list[Path]:
    """Name the processes that have a marker in their environment, by their folders in /proc."""
    found = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if f"MARKER={marker}".encode() in environment.read_bytes():
                found.append(environment.parent)
    return found


def programs_of(marker: str) -> dict[int, bytes]:
    """Return the processes that have a marker in their environment, each with the name of its program."""
    return {int(folder.name): (folder / "comm").read_bytes().strip() for folder in marked(marker)}
