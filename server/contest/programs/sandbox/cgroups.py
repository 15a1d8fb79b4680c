"""Control groups for sealed programs (cgroup v2): where they are available, the kernel enforces the limits.

Where it may not, `server.contest.programs.sandbox.resource_usage` alone does, by looking some times a second. It looks
in both cases, so that a program is ended for the same bounds everywhere; in a group no moment is missed, and processor
time is exact.
"""

import itertools
import os
import threading
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

import structlog

from server.contest.definition import Bounds
from server.contest.programs.sandbox.resource_usage import MEGABYTE, PROCESSES_FACTOR, family

log = structlog.get_logger()

ROOT = Path("/sys/fs/cgroup")

MINE = Path("/proc/self/cgroup")
"""Says in which group this process is."""

CONTROLLERS = ("memory", "pids")
"""Without these a group bounds nothing."""

SERVER = "arena-server"
"""The group that the server steps into: one that is divided further may have no processes itself."""

PREFIX = "arena-game"

BESIDE_MEGABYTES = 32
"""Of memory beside that of the program and its scratch folder: shared memory, and what the kernel needs."""

REMOVE_SECONDS = 1.0
"""How long to try to remove a group."""

LOOK_SECONDS = 0.01

_NUMBERS = itertools.count(1)

_LOCK = threading.Lock()

_LEFT: list[Path] = []
"""Groups that could not be removed yet."""


class Group:
    """The control group of a program."""

    def __init__(self, path: Path, bounds: Bounds) -> None:
        """Create the group; raises OSError."""
        self._path = path
        self._cpu_seconds = 0.0
        self._killed = False
        path.mkdir()
        try:
            for name, value in _limits(bounds).items():
                (path / name).write_text(value)
        except OSError:
            os.rmdir(path)
            raise
        if "memory" in CONTROLLERS:
            with suppress(OSError):  # where the kernel counts no swap this is not there
                (path / "memory.swap.max").write_text("0")

    def add(self, process: int) -> None:
        """Move a process into the group, with all processes that it starts from now on; raises OSError."""
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
        parent = _parent()
        if parent is None:
            return None
        while _LEFT:
            _surely_remove(_LEFT.pop())
    group = None
    try:
        group = Group(parent / f"{PREFIX}-{home}-{os.getpid()}-{next(_NUMBERS)}", bounds)
        group.add(process)
    except OSError as error:
        if group is not None:
            group.close()
        _log_failure(error.strerror)
        return None
    return group


@cache
def _log_failure(reason: str) -> None:
    """Log once that a program has no group."""
    log.warning("sandbox_limit_missing", lack=f"no control group could be made for a program: {reason}")


def clear(home: str) -> int:
    """Remove the groups that dead servers of a data directory have left; return their number."""
    parent = _parent()
    left = [] if parent is None else [path for path in parent.glob(f"{PREFIX}-{home}-*") if path.is_dir()]
    return sum(map(_surely_remove, left))


def lack() -> str:
    """Return a clause why the kernel cannot enforce the limits here; empty if it can. Changes nothing."""
    mine = _mine()
    if mine is None:
        return f"no control groups of version 2 at {ROOT}"
    if _divided(mine) or _divided(mine.parent) or _divisible(mine):
        return ""
    needed = " and ".join(CONTROLLERS)
    return f"this user may make no groups with {needed} in {mine} (systemd: Delegate=yes)"


@cache
def _parent() -> Path | None:
    """Return the parent of the groups of programs; moves this process out of it if necessary."""
    mine = _mine()
    if mine is None:
        return None
    for group in (mine, mine.parent):
        if _divided(group):
            return group
    if not _divisible(mine):
        return None
    server, inside = mine / SERVER, (mine / "cgroup.procs").read_text().split()
    try:
        server.mkdir(exist_ok=True)
        for process in inside:
            (server / "cgroup.procs").write_text(process)
        (mine / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in CONTROLLERS))
    except OSError:
        with suppress(OSError):
            for process in inside:
                (mine / "cgroup.procs").write_text(process)
            os.rmdir(server)
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


def _divided(group: Path) -> bool:
    """Tell whether groups with the necessary controllers can be made in a group, and processes moved there."""
    with suppress(OSError):
        given = (group / "cgroup.subtree_control").read_text().split()
        return set(CONTROLLERS) <= set(given) and _writable(group)
    return False


def _divisible(group: Path) -> bool:
    """Tell whether a group can be divided: only this process and its children may be in it."""
    with suppress(OSError):
        given = (group / "cgroup.controllers").read_text().split()
        inside = set(map(int, (group / "cgroup.procs").read_text().split()))
        return set(CONTROLLERS) <= set(given) and inside <= set(family(os.getpid())) and _writable(group)
    return False


def _writable(group: Path) -> bool:
    return os.access(group, os.W_OK) and os.access(group / "cgroup.procs", os.W_OK)


def _limits(bounds: Bounds) -> dict[str, str]:
    """Return the files of a group with the values to write."""
    memory = (bounds.memory + bounds.scratch + BESIDE_MEGABYTES) * MEGABYTE
    limits = {
        "memory.max": str(memory),
        "memory.oom.group": "1",
        "pids.max": str(PROCESSES_FACTOR * bounds.processes),
    }
    return {name: value for name, value in limits.items() if name.partition(".")[0] in CONTROLLERS}


def _number(path: Path, key: str) -> int:
    """Return the number behind a key in a file of lines; 0 if it is missing."""
    with suppress(OSError, ValueError):
        for line in path.read_text().splitlines():
            word, _, value = line.partition(" ")
            if word == key:
                return int(value)
    return 0


def _remove(path: Path) -> bool:
    """Remove an empty group, and tell whether it is gone; else kill the processes in it."""
    try:
        os.rmdir(path)
    except FileNotFoundError:
        return True
    except OSError:
        with suppress(OSError):
            (path / "cgroup.kill").write_text("1")
        return False
    return True


def _surely_remove(path: Path) -> bool:
    """Remove a group, and wait a moment for killed processes to leave it; tell whether it is gone."""
    deadline = time.monotonic() + REMOVE_SECONDS
    while not _remove(path):
        if time.monotonic() >= deadline:
            return False
        time.sleep(LOOK_SECONDS)
    return True
