"""A process that compiles beside another one: what it makes is found on the disk afterwards.

It has a low priority, and outlives a caller that ends in order, so that its work is there the next time. A caller that
is killed takes it along: the process reads from a pipe that closes then, as `stay_with_caller` says.
"""

import atexit
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

FINISH = b"finish\n"
"""What a caller writes that ends in order."""


class CompileProcess:
    """A process that carries out a command of ``python -m engine``, which calls `stay_with_caller`."""

    _latest: "CompileProcess | None" = None

    @classmethod
    def start(cls, arguments: Sequence[str]) -> "CompileProcess | None":
        """Start one, or return None while another one that this process has started runs; raises OSError.

        Clients choose the boards of which a server's processes think, but not how much is compiled at once.
        """
        if cls._latest is not None and not cls._latest.has_ended():
            return None
        cls._latest = cls(arguments)
        return cls._latest

    @classmethod
    def leave_running(cls) -> None:
        """Let the latest one finish even if this process is killed, as one is that has answered its question."""
        if cls._latest is not None:
            cls._latest._let_finish()

    def __init__(self, arguments: Sequence[str]) -> None:
        """Start it; raises OSError."""
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "engine", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        atexit.register(self._let_finish)

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    def has_ended(self) -> bool:
        """Tell whether it has ended, in whatever way."""
        if self._process.poll() is None:
            return False
        self._let_finish()
        return True

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it ends, so many seconds at most; tell whether it has."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return self.has_ended()

    def _let_finish(self) -> None:
        """Tell it that it shall finish whatever happens, and close the pipe."""
        atexit.unregister(self._let_finish)
        pipe = self._process.stdin
        assert pipe is not None
        if not pipe.closed:
            with broken_pipes_raised():
                with suppress(OSError):
                    pipe.write(FINISH)
                with suppress(OSError):
                    pipe.close()


@contextmanager
def broken_pipes_raised() -> Iterator[None]:
    """Raise OSError for a write to a process that has ended, where its signal would end this program as well."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPIPE})
    try:
        yield
    finally:
        if signal.SIGPIPE in signal.sigpending():
            signal.sigwait({signal.SIGPIPE})
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def stay_with_caller(pipe: int) -> None:
    """End this process, at once, when a pipe ends in which the caller has not written that it shall finish.

    The pipe is read by its number: an interpreter that ends while a thread waits for a line of a file waits for that
    file for a second, and aborts.
    """

    def watch() -> None:
        told = b""
        while part := os.read(pipe, len(FINISH)):
            told += part
        if told != FINISH:
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
