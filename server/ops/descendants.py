"""Finding and ending what programs have started, also when it has left their process group or lost its parents.

Each program has a marker in its environment, which all that it starts inherits. It begins with an id of the data
directory, so that a server can also end what was left by one that was killed. A process that starts programs has a
guard, a second process, which ends the programs as soon as the first process has ended. Processes without
the marker are not found. The environment of a process can be read on Linux; elsewhere nothing is found.
"""

import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

VARIABLE = "ARENA_PROGRAM"
"""Name of the environment variable that holds the marker."""

INSTANCE = secrets.token_hex(8)
"""In the markers of programs that this process starts: its guard ends no others."""

PROCESSES = Path("/proc")

END_SECONDS = 2.0
"""How long to go on ending processes that start others faster than they are ended."""

LOOK_SECONDS = 0.01
"""Pause until those that were killed are gone."""


def home_of(data: Path) -> str:
    """Return the id of a data directory, 16 hexadecimal digits."""
    return sha256(os.fsencode(data.resolve())).hexdigest()[:16]


def marker(home: str) -> str:
    """Return a marker that no other program of this home has, and let the guard know the home."""
    begin = f"{home}.{INSTANCE}."
    with suppress(OSError):
        _tell_guard(begin)
    return begin + secrets.token_hex(8)


@cache
def _tell_guard(begin: str) -> None:
    """Have the guard end all processes whose marker begins so when this process has ended; raises OSError."""
    os.write(_guard(), f"{begin}\n".encode())


@cache
def _guard() -> int:
    """Start the guard of this process, which has no marker itself, and return its input, which ends with this process.

    Raises OSError.
    """
    guard = subprocess.Popen(
        (sys.executable, "-P", "-m", __name__),
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={name: value for name, value in os.environ.items() if name != VARIABLE},
        start_new_session=True,
    )
    guard.returncode = 0  # nobody waits for it, and Python is not to warn of that
    assert guard.stdin is not None
    with guard.stdin:
        return os.dup(guard.stdin.fileno())


def end_marked(begin: str) -> int:
    """Kill all processes whose marker begins so; return how many. Waits until they are gone, `END_SECONDS` at most."""
    killed: set[int] = set()
    deadline = time.monotonic() + END_SECONDS
    while found := list(_marked(begin)):
        killed.update(found)
        if time.monotonic() >= deadline:
            break
        time.sleep(LOOK_SECONDS)
    return len(killed)


def _marked(begin: str) -> Iterator[int]:
    """Kill each process whose marker begins so, and name it."""
    wanted = f"{VARIABLE}={begin}".encode()
    for number in map(int, filter(str.isdecimal, os.listdir(PROCESSES) if PROCESSES.is_dir() else ())):
        with suppress(OSError):  # it is gone, or somebody else's
            if number == os.getpid() or not _is_marked(number, wanted):
                continue
            process = os.pidfd_open(number)  # its number may be given to another one, but this stays what it is
            try:
                if _is_marked(number, wanted):
                    signal.pidfd_send_signal(process, signal.SIGKILL)
                    yield number
            finally:
                os.close(process)


def _is_marked(number: int, wanted: bytes) -> bool:
    """Tell whether the environment of a process has an entry that begins so; raises OSError."""
    entries = (PROCESSES / str(number) / "environ").read_bytes()
    return entries.startswith(wanted) or b"\0" + wanted in entries


if __name__ == "__main__":
    for line in set(sys.stdin):
        end_marked(line.strip())
