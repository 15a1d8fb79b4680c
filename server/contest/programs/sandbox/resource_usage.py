"""What sealed programs use, as the system tells it, and the end of those that use more than they may.

One thread looks at all of them, some times a second, from outside: all processes of a sandbox descend from its first
one, and none of them can leave.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

import structlog

from engine.games.outcome import Termination
from server.config.process_settings import lower_session
from server.contest.definition import Bounds

log = structlog.get_logger()

MEGABYTE = 1 << 20

PROCESSES_FACTOR = 2
"""The system refuses more processes than so many times their bound; who has more than the bound is ended here."""

LOOK_SECONDS = 0.1
"""How often to look: a program takes some 100 MB in that time, and starts some 100 processes."""

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


class Usage(NamedTuple):
    """What a program has used, with all that it has started."""

    cpu_seconds: float = 0.0
    memory: int = 0
    """Bytes, at most at a time."""


class Excess(NamedTuple):
    """A bound that was exceeded."""

    termination: Termination
    sentence: str


class _Seen(NamedTuple):
    """What the processes of a sandbox use at a moment."""

    processes: int
    cpu_seconds: float
    resident: int
    numbers: list[int]


@dataclass
class Watched:
    """A sandbox that is looked at."""

    first: int
    """Number of its first process."""
    bounds: Bounds
    cpu_seconds: float
    """Allowed for the game."""
    end: Callable[[], None]
    """Ends all in it; called in the thread that looks."""
    usage: Usage = field(default_factory=Usage)
    excess: Excess | None = None
    failed: bool = False
    """Whether a look has failed: it is said once."""
    niceness: int = 0
    """Of each session that a process in it begins, too."""
    lowered: set[int] = field(default_factory=set)
    """Leaders of sessions that have it."""

    def look(self) -> None:
        """Take note of what is used, and end what uses more than it may. May be called in any thread."""
        seen = _seen(self.first)
        self._lower_sessions(seen)
        memory = seen.resident
        if memory > self.bounds.memory * MEGABYTE:
            memory = _shared_out(seen.numbers) or memory  # what several processes share was counted more than once
        old = self.usage
        self.usage = Usage(max(old.cpu_seconds, seen.cpu_seconds), max(old.memory, memory))
        if self.excess is None:
            self.excess = self._found(memory, seen)
            if self.excess is not None:
                self.end()

    def _lower_sessions(self, seen: _Seen) -> None:
        for number in seen.numbers if self.niceness else ():
            with suppress(ProcessLookupError):
                leads = number not in self.lowered and os.getsid(number) == number
                if leads and lower_session(number, self.niceness):
                    self.lowered.add(number)

    def _found(self, memory: int, seen: _Seen) -> Excess | None:
        bounds = self.bounds
        if memory > bounds.memory * MEGABYTE:
            return out_of_memory(bounds, f", and used {memory // MEGABYTE} MB")
        if seen.processes > bounds.processes:
            return Excess(
                Termination.TOO_MANY_PROCESSES,
                f"it may have {bounds.processes} processes and threads, and had {seen.processes}",
            )
        if seen.cpu_seconds > self.cpu_seconds:
            return out_of_cpu_time(self.cpu_seconds)
        return None


def out_of_memory(bounds: Bounds, more: str = "") -> Excess:
    """Return what is said of a program that has used too much memory."""
    return Excess(Termination.OUT_OF_MEMORY, f"it may use {bounds.memory} MB of memory{more}")


def out_of_cpu_time(seconds: float) -> Excess:
    """Return what is said of a program that has used too much processor time."""
    return Excess(
        Termination.OUT_OF_CPU_TIME, f"it may use {seconds:g} s of processor time in a game, and had used them"
    )


class Watcher:
    """The thread that looks at all sandboxes; it runs as long as there are any."""

    def __init__(self) -> None:
        """Start empty."""
        self._lock = threading.Lock()
        self._watched: dict[int, Watched] = {}
        self._runs = False

    def add(self, watched: Watched) -> None:
        """Look at a sandbox from now on; raises RuntimeError where no thread can be started."""
        with self._lock:
            if not self._runs:
                threading.Thread(target=self._run, name="watcher", daemon=True).start()
                self._runs = True
            self._watched[id(watched)] = watched

    def remove(self, watched: Watched) -> None:
        """Look at a sandbox no more: its numbers may be given to other processes from now on."""
        with self._lock:
            self._watched.pop(id(watched), None)

    def _run(self) -> None:
        while True:
            time.sleep(LOOK_SECONDS)
            with self._lock:
                if not self._watched:
                    self._runs = False
                    return
                keys = list(self._watched)
            for key in keys:
                with self._lock:  # one at a time, so that `remove` waits for no more than one look
                    if (watched := self._watched.get(key)) is not None:
                        self._look(watched)

    @staticmethod
    def _look(watched: Watched) -> None:
        try:
            watched.look()
        except Exception as error:  # as where no memory is left: the others, and later looks, do not depend on it
            if not watched.failed:
                log.error("sandbox_measurement_failed", process=watched.first, error=repr(error))
            watched.failed = True


WATCHER = Watcher()
"""That of this process."""


def _seen(first: int) -> _Seen:
    """Return what the first process of a sandbox, and all that descend from it, use at this moment."""
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
    return _Seen(processes, ticks / TICKS, pages * PAGE, numbers)


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
