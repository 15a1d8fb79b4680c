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

from engine.system import start_group, usable_cores
from server.config.process_settings import lower_priority_of
from server.contest.programs.sandbox.limits import family

MAX_SHARED = 3
"""With so few cores programs get all of them: a game takes two, and of three only one would be left for the rest."""


CAN_PIN = hasattr(os, "sched_setaffinity")
"""Whether the system lets a process use some cores alone: Linux does."""


@cache
def usable() -> tuple[int, ...]:
    """Return the cores that this process could use at the first call."""
    return tuple(usable_cores())


class CoreLease:
    """The core of a program, perhaps after the program that has it now."""

    def __init__(self, core: int | None) -> None:
        """Take the number of the core; None for any, which is ready at once."""
        self.core = core
        self.ready = trio.Event()
        """Set when nothing else has the core any more."""
        if core is None:
            self.ready.set()


class Cores:
    """The pool of cores for programs."""

    def __init__(self, cores: Sequence[int] | None = None) -> None:
        """Begin with some cores, or all; of many, the first one is the server's: the system's own work is there."""
        found = usable() if cores is None else tuple(cores)
        self._rest = found[: len(found) > MAX_SHARED]
        """The cores of the server."""
        programs = found[len(self._rest) :]
        self.count = len(programs)
        """How many programs can think at a time."""
        self._leases: dict[int, list[CoreLease]] = {core: [] for core in programs if CAN_PIN}
        """The leases of each core: the first one has it, the next one waits for it."""
        self._ending: list[CoreLease] = []
        self._confined = False

    def take(self) -> CoreLease:
        """Lease a core, perhaps one that is about to be free; if there is none, the lease has no core of its own."""
        free = [core for core, leases in self._leases.items() if not leases]
        ending = [core for one in self._ending if (core := one.core) is not None and self._leases[core][-1] is one]
        if not free and not ending:
            return CoreLease(None)
        if self._rest and not self._confined:
            self._confined = True
            confine(self._rest)
        lease = CoreLease(core := (free[-1] if free else ending[0]))
        self._leases[core].append(lease)
        self._leases[core][0].ready.set()
        return lease

    def announce(self, leases: Collection[CoreLease]) -> None:
        """Offer cores whose programs are being ended: the next lease waits until the core is given back."""
        self._ending += [lease for lease in leases if lease.core is not None]

    def give_back(self, lease: CoreLease) -> None:
        """Give back a leased core, to the next lease that waits for it or to the pool."""
        if lease in self._ending:
            self._ending.remove(lease)
        if lease.core is not None:
            leases = self._leases[lease.core]
            leases.remove(lease)
            if leases:
                leases[0].ready.set()

    def rest(self) -> None:
        """Let the server use all cores while none is leased."""
        if self._confined:
            self._confined = False
            confine(usable())


_AFFINITY = threading.Lock()
"""Held while cores of the server's threads are set, or inherited by a program."""


@contextmanager
def started_on(core: int | None) -> Iterator[None]:
    """Let processes that this thread starts inside of the context use one core; None: all cores."""
    if not CAN_PIN:
        yield
        return
    with _AFFINITY:
        own = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {core} if core is not None else usable())
        try:
            yield
        finally:
            os.sched_setaffinity(0, own)


def confine(cores: Collection[int]) -> None:
    """Restrict this process, and the processes of its session, to these cores. Programs have sessions of their own."""
    with _AFFINITY:
        for _ in range(2):  # a thread that was not looked at may have started another one
            for process in family(os.getpid()):
                with suppress(OSError):  # it has ended
                    if os.getsid(process) == os.getsid(0):
                        for thread in map(int, os.listdir(f"/proc/{process}/task")):
                            with suppress(OSError):
                                os.sched_setaffinity(thread, cores)


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
        process = start_group(
            command,
            bufsize=0,
            stdin=subprocess.PIPE if talks else subprocess.DEVNULL,
            stdout=subprocess.PIPE if talks else errors,
            stderr=errors,
            env=environment,
            cwd=folder,
            pass_fds=given,
        )
    lower_priority_of(process.pid, niceness)
    return process
