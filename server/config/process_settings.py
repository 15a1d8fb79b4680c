"""Settings of a whole process: garbage collector, open files, priority, memory, signals. Importing changes none.

The command line calls `prepare_server` before it runs the event loop, and the ``main`` of a worker process calls what
it needs. Nothing else in the server changes what holds for a whole process.
"""

import faulthandler
import gc
import os
import signal
import sys
from contextlib import suppress

SWITCH_SECONDS = 0.0005
"""How long a thread that computes may keep the interpreter's lock from the event loop; usually it is ten times that."""

MAX_YOUNG_OBJECTS = 5_000
"""Objects that the garbage collector looks at in most of its passes: some milliseconds, and nobody is answered."""

STDERR = 2
"""The descriptor that log lines go to."""

MAX_NICENESS = 19
"""The lowest priority that the system knows."""


def prepare_server() -> None:
    """Prepare this process for the server's event loop; to be called when everything is imported."""
    faulthandler.enable(STDERR)  # a fault in native code tells which thread was where, beside the log
    with suppress(ImportError):  # Windows has no limit of open files; a match takes three
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        with suppress(ValueError):  # macOS allows fewer than it says
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    # By default the garbage collector walks through all live objects every few thousand moves, tens of milliseconds for
    # 500 matches; and 100,000 young ones at once, requests of pages among them, hold up all players for 40 to 110 ms.
    gc.collect()
    gc.freeze()
    gc.set_threshold(MAX_YOUNG_OBJECTS, 20, 50)  # those that stay, after 100,000 more; everything, after 5 million
    # threads that compute give way to the event loop soon: plans of contests, reports and answers for pages
    sys.setswitchinterval(SWITCH_SECONDS)


def lower_priority(niceness: int) -> None:
    """Add to the nice value of this process, and of its session if it leads one: matches go first."""
    os.nice(niceness)
    if os.getsid(0) == os.getpid():
        lower_session(os.getpid(), nice_value(0))


def nice_value(niceness: int) -> int:
    """Return a nice value that is so much above that of this process, as far as there is one."""
    return min(MAX_NICENESS, os.getpriority(os.PRIO_PROCESS, 0) + niceness)


def lower_priority_of(leader: int, niceness: int) -> None:
    """Give a process that leads a session, and all that it has started there, a lower priority than this one has."""
    if not hasattr(os, "setpriority"):  # Windows
        return
    with suppress(OSError):  # it has ended
        os.setpriority(os.PRIO_PGRP, leader, nice_value(niceness))
    lower_session(leader, nice_value(niceness))


def with_low_priority(niceness: int, *command: str) -> tuple[str, ...]:
    """Return the command that runs one with a lower priority, to be started by this process to lead a session."""
    lower_session = f"{{ echo {nice_value(niceness)} >/proc/self/autogroup; }} 2>/dev/null"
    return ("sh", "-c", f'{lower_session}; exec nice -n {niceness} "$@"', "sh", *command)


def lower_session(leader: int, niceness: int) -> bool:
    """Set the nice value of a session: Linux shares cores between sessions first, and by nice values within each.

    See "The autogroup feature" in sched(7). Users may do so ten times a second: tell whether it was done.
    """
    with suppress(OSError), open(f"/proc/{leader}/autogroup", "wb", buffering=0) as file:
        file.write(b"%d" % niceness)
        return True
    return False


def use_idle_time() -> None:
    """Take processor time that nobody else wants, and no other."""
    lower_priority(MAX_NICENESS)
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def compute_in_one_thread() -> None:
    """Let numpy compute in one thread; to be called before anything imports it.

    Matrices of some hundred rows gain nothing by more. On cores that others use, too, threads that wait for each other
    make it several times slower.
    """
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(name, "1")


def limit_memory(max_bytes: int) -> None:
    """Bound the memory of this process, where it was not bounded more tightly before."""
    import resource

    _, before = resource.getrlimit(resource.RLIMIT_DATA)
    if before == resource.RLIM_INFINITY or max_bytes < before:
        resource.setrlimit(resource.RLIMIT_DATA, (max_bytes, max_bytes))


def ignore_interrupts() -> None:
    """Ignore Ctrl-C, which is for the server: it ends its worker processes itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def stop_signals() -> tuple[signal.Signals, ...]:
    """Return the signals that stop a program in order: Ctrl-C, SIGTERM, and SIGHUP unless nohup has it ignored.

    Windows has no SIGHUP.
    """
    hangup = [signal.SIGHUP] if hasattr(signal, "SIGHUP") else []
    handled = [number for number in hangup if signal.getsignal(number) is not signal.SIG_IGN]
    return (signal.SIGINT, signal.SIGTERM, *handled)
