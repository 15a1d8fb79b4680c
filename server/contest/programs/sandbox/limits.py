"""Limits of sealed programs: a thread measures each program, and control groups enforce them where there are any.

The thread measures a sandbox some times a second, from outside: all processes of a sandbox descend from its first one,
and none of them can leave. It does so in control groups (cgroup v2), too, so that a program is ended for the same
limits everywhere; in a group no moment is missed, and processor time is exact.
"""

import itertools
import mmap
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from engine.games.interface import Termination
from server.config.process_settings import lower_session
from server.contest.definition import Bounds
from server.ops.logs import log

MEGABYTE = 1 << 20

PROCESSES_FACTOR = 2
"""The system refuses processes above the bound times this factor. The server ends programs above the bound itself."""

POLL_SECONDS = 0.1
"""How often to look: a program takes some 100 MB in that time, and starts some 100 processes."""


class Usage(NamedTuple):
    """The resources that a program has used, with all that it has started."""

    cpu_seconds: float = 0.0
    memory: int = 0
    """Bytes, at most at a time."""


class Excess(NamedTuple):
    """A bound that was exceeded."""

    termination: Termination
    sentence: str


class SandboxMonitor:
    """A sandbox that a thread measures until it is closed."""

    def __init__(
        self, first: int, bounds: Bounds, cpu_seconds: float, end: Callable[[], None], niceness: int = 0
    ) -> None:
        """Measure from the first process on; ``end`` ends all in it. Raises RuntimeError without a thread.

        ``niceness`` is that of each session that a process in it begins, too.
        """
        self.bounds = bounds
        self.cpu_seconds = cpu_seconds
        self.usage = Usage()
        self.excess: Excess | None = None
        self._first = first
        self._end = end
        self._niceness = niceness
        self._lowered: set[int] = set()
        """Leaders of sessions that have the nice value."""
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watcher", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop to measure: the numbers of its processes may be given to other processes from now on."""
        self._closed.set()
        self._thread.join()

    def _run(self) -> None:
        failed = False
        while not self._closed.wait(POLL_SECONDS):
            try:
                self.measure()
            except Exception as error:  # as where no memory is left: later looks do not depend on it
                if not failed:
                    log.error("sandbox_measurement_failed", process=self._first, error=repr(error))
                failed = True

    def measure(self) -> None:
        """Measure the usage, and end a program that uses more than it may. May be called in any thread."""
        processes, cpu_seconds, memory, numbers = _measure(self._first)
        for number in numbers if self._niceness else ():
            with suppress(ProcessLookupError):
                leads = number not in self._lowered and os.getsid(number) == number
                if leads and lower_session(number, self._niceness):
                    self._lowered.add(number)
        bounds = self.bounds
        if memory > bounds.memory * MEGABYTE:
            memory = _shared_out(numbers) or memory  # what several processes share was counted more than once
        self.usage = Usage(max(self.usage.cpu_seconds, cpu_seconds), max(self.usage.memory, memory))
        if self.excess is None:
            if memory > bounds.memory * MEGABYTE:
                self.excess = out_of_memory(bounds, f", and used {memory // MEGABYTE} MB")
            elif processes > bounds.processes:
                why = f"it may have {bounds.processes} processes and threads, and had {processes}"
                self.excess = Excess(Termination.TOO_MANY_PROCESSES, why)
            elif cpu_seconds > self.cpu_seconds:
                self.excess = out_of_cpu_time(self.cpu_seconds)
            if self.excess is not None:
                self._end()


def out_of_memory(bounds: Bounds, more: str = "") -> Excess:
    """Return the excess of a program that has used too much memory."""
    return Excess(Termination.OUT_OF_MEMORY, f"it may use {bounds.memory} MB of memory{more}")


def out_of_cpu_time(seconds: float) -> Excess:
    """Return the excess of a program that has used too much processor time."""
    return Excess(
        Termination.OUT_OF_CPU_TIME, f"it may use {seconds:g} s of processor time in a game, and had used them"
    )


def _measure(first: int) -> tuple[int, float, int, list[int]]:
    """Measure a sandbox from its first process on.

    Return its processes and threads, its processor time in seconds, its memory in bytes, and the numbers of its
    processes.
    """
    processes, ticks, pages, numbers = 0, 0, 0, []
    for number in family(first):
        with suppress(OSError, ValueError):
            with open(f"/proc/{number}/stat", encoding="ascii", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
            # from the third field of proc(5) on: times of its own and of ended children, threads, resident pages
            ticks += sum(map(int, fields[11:15]))
            if number != first:
                processes += int(fields[17])
                pages += int(fields[21])
                numbers.append(number)
    return processes, ticks / os.sysconf("SC_CLK_TCK"), pages * mmap.PAGESIZE, numbers


def family(first: int) -> Iterator[int]:
    """Name a process and all that descend from it: orphans are children of the first one of their sandbox."""
    waiting = [first]
    while waiting:
        number = waiting.pop()
        yield number
        try:
            threads = os.listdir(f"/proc/{number}/task")
        except OSError:
            continue
        for thread in threads:
            with suppress(OSError), open(f"/proc/{number}/task/{thread}/children", encoding="ascii") as file:
                waiting += map(int, file.read().split())


def _shared_out(numbers: list[int]) -> int:
    """Return the memory of processes in bytes, each page counted once; 0 where the system does not tell."""
    total = 0
    for number in numbers:
        with suppress(OSError, ValueError, IndexError), open(f"/proc/{number}/smaps_rollup", encoding="ascii") as file:
            total += sum(int(line.split()[1]) for line in file if line.startswith(("Pss:", "SwapPss:"))) * 1024
    return total


ROOT = Path("/sys/fs/cgroup")

MINE = Path("/proc/self/cgroup")
"""Says in which group this process is."""

CONTROLLERS = ("memory", "pids")
"""Without these a group bounds nothing."""

SERVER = "arena-server"
"""The group that the server steps into: one that is divided further may have no processes itself."""

PREFIX = "arena-game"

BESIDE_MEGABYTES = 32
"""Additional memory in the bound of a group, for shared memory and the kernel."""

REMOVE_SECONDS = 1.0
"""How long to try to remove a group."""

_NUMBERS = itertools.count(1)

_LOCK = threading.Lock()

_LEFT: list[Path] = []
"""Groups that could not be removed yet."""


class Group:
    """The control group of a program."""

    def __init__(self, path: Path) -> None:
        """Take the folder of the group, which `fill` makes."""
        self._path = path
        self._cpu_seconds = 0.0
        self._killed = False

    def fill(self, bounds: Bounds, process: int) -> None:
        """Make the group, and move a process into it, with all that it starts from now on; raises OSError."""
        self._path.mkdir()
        for name, value in _limits(bounds).items():
            (self._path / name).write_text(value)
        with suppress(OSError):  # where the kernel counts no swap this is not there
            (self._path / "memory.swap.max").write_text("0")
        (self._path / "cgroup.procs").write_text(str(process))

    @property
    def cpu_seconds(self) -> float:
        """Return the processor time of all processes that were in it."""
        self._cpu_seconds = max(self._cpu_seconds, _number(self._path / "cpu.stat", "usage_usec") / 1_000_000)
        return self._cpu_seconds

    @property
    def out_of_memory(self) -> bool:
        """Tell whether the kernel has killed a process in it because of memory."""
        self._killed = self._killed or _number(self._path / "memory.events", "oom_kill") > 0
        return self._killed

    def close(self) -> None:
        """Kill the processes in it, and remove it now or with the next one; its usage stays available."""
        _ = self.cpu_seconds, self.out_of_memory
        if not _remove(self._path):
            _LEFT.append(self._path)


def around(process: int, home: str, bounds: Bounds) -> Group | None:
    """Return a new group with a process in it; None if none can be made. ``home`` identifies the data directory.

    Not for the event loop: it may wait for what was left of groups before.
    """
    with _LOCK:  # several programs are started at a time
        if (parent := _parent()) is None:
            return None
        while _LEFT:
            _remove(_LEFT.pop(), REMOVE_SECONDS)
    group = Group(parent / f"{PREFIX}-{home}-{os.getpid()}-{next(_NUMBERS)}")
    try:
        group.fill(bounds, process)
    except OSError as error:
        group.close()
        log_lack(f"no control group could be made for a program: {error.strerror}")
        return None
    return group


@cache
def log_lack(lack: str) -> None:
    """Log once that the system does not enforce a limit."""
    log.warning("sandbox_limit_missing", lack=lack)


def clear(home: str) -> int:
    """Remove the groups that dead servers of a data directory have left; return their number."""
    parent = _parent()
    left = [] if parent is None else [path for path in parent.glob(f"{PREFIX}-{home}-*") if path.is_dir()]
    return sum(_remove(path, REMOVE_SECONDS) for path in left)


def lack() -> str:
    """Return a clause why the kernel cannot enforce the limits here; empty if it can. Changes nothing."""
    if (mine := _mine()) is None:
        return f"no control groups of version 2 at {ROOT}"
    why = f"this user may make no groups with {' and '.join(CONTROLLERS)} in {mine} (systemd: Delegate=yes)"
    return "" if _divided(mine) or _divided(mine.parent) or _divisible(mine) else why


@cache
def _parent() -> Path | None:
    """Return the parent of the groups of programs; moves this process out of it if necessary."""
    if (mine := _mine()) is None:
        return None
    if (divided := next(filter(_divided, (mine, mine.parent)), None)) or not _divisible(mine):
        return divided
    server, inside = mine / SERVER, (mine / "cgroup.procs").read_text().split()
    try:
        server.mkdir(exist_ok=True)
        for process in inside:
            (server / "cgroup.procs").write_text(process)
        (mine / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in CONTROLLERS))
    except OSError:
        return None
    return mine


def _mine() -> Path | None:
    """Return the group of this process; None if cgroup v2 is not visible."""
    with suppress(OSError):
        for line in MINE.read_text().splitlines():
            if line.startswith("0::/"):
                path = ROOT / line.removeprefix("0::/")
                return path if (path / "cgroup.controllers").exists() else None
    return None


def _divided(group: Path, controllers: str = "cgroup.subtree_control") -> bool:
    """Tell whether groups with the necessary controllers can be made in a group, and processes moved there."""
    with suppress(OSError):
        has_controllers = set(CONTROLLERS) <= set((group / controllers).read_text().split())
        return has_controllers and os.access(group, os.W_OK) and os.access(group / "cgroup.procs", os.W_OK)
    return False


def _divisible(group: Path) -> bool:
    """Tell whether a group can be divided: only this process and its children may be in it."""
    with suppress(OSError):
        inside = set(map(int, (group / "cgroup.procs").read_text().split()))
        return inside <= set(family(os.getpid())) and _divided(group, "cgroup.controllers")
    return False


def _limits(bounds: Bounds) -> dict[str, str]:
    """Return the files of a group with the values to write."""
    return {
        "memory.max": str((bounds.memory + bounds.scratch + BESIDE_MEGABYTES) * MEGABYTE),
        "memory.oom.group": "1",
        "pids.max": str(PROCESSES_FACTOR * bounds.processes),
    }


def _number(path: Path, key: str) -> int:
    """Return the number behind a key in a file of lines; 0 if it is missing."""
    with suppress(OSError, ValueError):
        for line in path.read_text().splitlines():
            word, _, value = line.partition(" ")
            if word == key:
                return int(value)
    return 0


def _remove(path: Path, seconds: float = 0.0) -> bool:
    """Remove a group, and tell whether it is gone. Processes in it are killed; they take a moment to leave it."""
    deadline = time.monotonic() + seconds
    while path.exists():
        try:
            path.rmdir()
        except OSError:
            with suppress(OSError):
                (path / "cgroup.kill").write_text("1")
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.01)
    return True
