"""Limits of sealed programs: a thread measures each program ten times a second, and ends it at a limit.

The thread measures a sandbox from outside: all processes of a sandbox descend from its first one, and none of them can
leave. Between two measurements the limits of each process (`resource.prlimit`) bound what it can take.
"""

import mmap
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
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
                why = f"it may use {bounds.memory} MB of memory, and used {memory // MEGABYTE} MB"
                self.excess = Excess(Termination.OUT_OF_MEMORY, why)
            elif processes > bounds.processes:
                why = f"it may have {bounds.processes} processes and threads, and had {processes}"
                self.excess = Excess(Termination.TOO_MANY_PROCESSES, why)
            elif cpu_seconds > self.cpu_seconds:
                self.excess = out_of_cpu_time(self.cpu_seconds)
            if self.excess is not None:
                self._end()


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
