"""Differences of operating systems: locks of files, groups of processes, processor cores.

Other modules ask this one, and have no branches for a system. Only the server and the sandbox need Linux.
"""

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

NEEDS_LINUX = "this needs Linux; on Windows use WSL"
"""The end of a sentence about something that cannot be had here."""


def lock(file: IO[Any], *, shared: bool = False, wait: bool = False) -> None:
    """Lock a file until it is closed; raises BlockingIOError if another process has it. Windows locks nothing."""
    if fcntl is not None:
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        fcntl.flock(file, kind if wait else kind | fcntl.LOCK_NB)


def can_lock() -> bool:
    """Tell whether the system has locks of files."""
    return fcntl is not None


def usable_cores() -> Sequence[int]:
    """Return the cores that this process may use, in order."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)


def start_group(command: Sequence[str], **options: Any) -> "subprocess.Popen[bytes]":
    """Start a process that leads a group of its own, so that Ctrl-C does not reach it; raises OSError."""
    # Windows ignores the session, and POSIX has no flag
    flags = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    return subprocess.Popen(command, start_new_session=True, creationflags=flags, **options)


def has_ended(process: "subprocess.Popen[bytes]") -> bool:
    """Tell whether a process has ended. Where the system can, its number stays reserved until it is reaped."""
    if process.returncode is None and hasattr(os, "waitid"):  # not on macOS before Python 3.13, nor on Windows
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
    return process.poll() is not None


def terminate_group(process: "subprocess.Popen[bytes]") -> None:
    """Ask the group that a process leads to end."""
    if hasattr(os, "killpg"):
        _signal_group(process, signal.SIGTERM)
    else:
        with suppress(OSError, ValueError):
            process.send_signal(getattr(signal, "CTRL_BREAK_EVENT", signal.SIGTERM))


def kill_group(process: "subprocess.Popen[bytes]") -> None:
    """End the group that a process leads, at once."""
    if hasattr(os, "killpg"):
        _signal_group(process, signal.SIGKILL)
        return
    with suppress(OSError):
        subprocess.run(("taskkill", "/T", "/F", "/PID", str(process.pid)), capture_output=True, check=False)
    with suppress(OSError):
        process.kill()


def _signal_group(process: "subprocess.Popen[bytes]", number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
