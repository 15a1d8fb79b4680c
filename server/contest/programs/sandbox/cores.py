"""Assigns processor cores, one to each program and the others to the server, and starts programs on them.

If there are more than `MAX_SHARED` cores, the first one is given to no program: the event loop and what makes pages run
there, and nowhere else, while a contest gives out the others.
"""

import os
import subprocess
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache

import trio

from server.config.process_settings import lower_priority_of
from server.contest.programs.sandbox.resource_usage import family

MAX_SHARED = 3
"""With so few cores programs get all of them: a game takes two, and of three only one would be left for the rest."""


@cache
def usable() -> tuple[int, ...]:
    """Return the cores that this process could use at the first call; empty if the system does not tell."""
    return tuple(sorted(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else ()


class CoreLease:
    """The core of a program, perhaps after the program that has it now."""

    def __init__(self, core: int | None, before: "CoreLease | None" = None) -> None:
        """Take the number of the core, None for any, and the earlier lease that has to end first."""
        self.core = core
        self.ready = trio.Event()
        """Set when nothing else has the core any more."""
        self.before = before
        self.after: CoreLease | None = None
        if before is None:
            self.ready.set()
        else:
            before.after = self


class Cores:
    """The pool of cores for programs.

    Where more are wanted than programs may have, or where the system knows no such thing, programs are not pinned.
    """

    def __init__(self, wanted: int = 0) -> None:
        """Take the number of cores for programs; 0 for all."""
        found = usable()
        # the system's own work is mostly on the first ones
        programs = found[1:] if len(found) > MAX_SHARED else found
        self.count = wanted or len(programs) or os.cpu_count() or 1
        """How many programs can think at a time."""
        self.pinned = self.count <= len(programs)
        """Whether each gets a core of its own."""
        self._free = list(programs[-self.count :]) if self.pinned else []
        self._rest = set(found).difference(self._free) if self.pinned and len(found) > MAX_SHARED else set()
        self._confined = False
        self._ending: list[CoreLease] = []

    def take(self) -> CoreLease:
        """Lease a core, perhaps one that is about to be free; if there is none, the lease has no core of its own."""
        if not self._free and not self._ending:
            return CoreLease(None)
        if self._rest and not self._confined:
            self._confined = True
            _STARTS.confine(self._rest)
        if self._free:
            return CoreLease(self._free.pop())
        before = self._ending.pop(0)
        return CoreLease(before.core, before)

    def announce(self, leases: Collection[CoreLease]) -> None:
        """Offer cores whose programs are being ended: the next lease waits until the core is given back."""
        self._ending += [lease for lease in leases if lease.core is not None]

    def give_back(self, lease: CoreLease) -> None:
        """Give back a leased core, to the next lease that waits for it or to the pool."""
        if lease in self._ending:
            self._ending.remove(lease)
        if lease.core is None:
            return
        if lease.before is not None and not lease.ready.is_set():  # it was waited for in vain
            lease.before.after = None
            self._ending.append(lease.before)
        elif lease.after is not None:
            lease.after.before = None
            lease.after.ready.set()
        else:
            self._free.append(lease.core)

    def rest(self) -> None:
        """Let the server use all cores while none is leased."""
        if self._confined:
            self._confined = False
            _STARTS.confine(usable())


@contextmanager
def started_on(core: int | None) -> Iterator[None]:
    """Let processes that this thread starts inside of the context use one core; None: all cores."""
    if not usable():
        yield
        return
    _STARTS.begin({core} if core is not None else usable())
    try:
        yield
    finally:
        _STARTS.end()


class _Starts:
    """The cores of the server's threads, and the threads that are starting programs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._starting: set[int] = set()
        self._own: Collection[int] = ()

    def confine(self, cores: Collection[int]) -> None:
        """Restrict this process, and the processes of its session, to these cores."""
        with self._lock:
            self._own = cores
            for _ in range(2):  # a thread that was not looked at may have started another one
                for process in family(os.getpid()):
                    with suppress(OSError):
                        if os.getsid(process) == os.getsid(0):  # programs have sessions of their own
                            for thread in map(int, os.listdir(f"/proc/{process}/task")):
                                self._set(thread, cores)

    def _set(self, thread: int, cores: Collection[int]) -> None:
        if thread not in self._starting:
            with suppress(OSError):  # it has ended
                os.sched_setaffinity(thread, cores)

    def begin(self, cores: Collection[int]) -> None:
        """Let the calling thread, and the processes that it starts, use these cores."""
        with self._lock:
            self._starting.add(threading.get_native_id())
            os.sched_setaffinity(0, cores)

    def end(self) -> None:
        """Let the calling thread use the server's cores again."""
        with self._lock:
            self._starting.discard(threading.get_native_id())
            os.sched_setaffinity(0, self._own or usable())


_STARTS = _Starts()


NICENESS = 5
"""How much higher the nice values of programs are: what the server has to do takes little time, and goes first."""


def spawn(
    command: Sequence[str],
    environment: Mapping[str, str],
    folder: str,
    core: int | None,
    *,
    talks: bool,
    errors: int,
    given: Sequence[int] = (),
    niceness: int = NICENESS,
) -> subprocess.Popen[bytes]:
    """Start a process that leads a session of its own, in a thread: it may use the cores that the thread may.

    The session has a lower priority than this process.

    It has pipes to talk on where it ``talks``, and is ``given`` other descriptors; what it says elsewhere goes to
    ``errors``.
    """
    with started_on(core):
        process = subprocess.Popen(
            command,
            bufsize=0,
            stdin=subprocess.PIPE if talks else subprocess.DEVNULL,
            stdout=subprocess.PIPE if talks else errors,
            stderr=errors,
            env=environment,
            cwd=folder,
            pass_fds=given,
            start_new_session=True,
        )
    lower_priority_of(process.pid, niceness)
    return process
