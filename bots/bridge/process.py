"""A process with its process group, and how it is ended.

It leads a process group of its own, so that its children end with it, and Ctrl-C reaches only this program, which
then ends the group in order. Its stderr is inherited, or a pipe.
"""

import os
import shlex
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from bots.client.errors import ArenaError

LEAVE_SECONDS = 2.0
"""Deadline for a process to end after its input was closed, and again after SIGTERM."""

LOOK_SECONDS = 0.01
"""Time between two checks whether it has ended."""


class Process:
    """A running process. Always call `end`."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        pipes: bool,
        stderr: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Start the process, with or without pipes for stdin and stdout, and for ``stderr``; raises `ArenaError`.

        The environment is inherited by default. Who asks for a pipe of stderr closes it.
        """
        ends = subprocess.PIPE if pipes else subprocess.DEVNULL
        try:
            self._process = subprocess.Popen(
                command,
                stdin=ends,
                stdout=ends,
                stderr=subprocess.PIPE if stderr else None,
                bufsize=0,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            why = error.strerror or str(error)
            raise ArenaError(f"the program {shlex.join(command)} cannot be started: {why}") from error
        self.to, self.from_, self.stderr = self._process.stdin, self._process.stdout, self._process.stderr

    def ended(self, seconds: float = 0.0) -> str | None:
        """Describe how the process ended, waiting for a time; None if it still runs."""
        if self._process.returncode is None:
            if not self._ends_within(seconds):
                return None
            self._reap()
        status = self._process.returncode
        if status >= 0:
            return f"ended by itself, with exit status {status}"
        with suppress(ValueError):  # real-time signals have no names
            return f"was ended by the signal {signal.Signals(-status).name}"
        return f"was ended by the signal {-status}"

    def end(self, *, at_once: bool = False) -> None:
        """End the process group by closing its input, then by SIGTERM, then by SIGKILL. May be called again.

        ``at_once`` skips the first two steps' waits.
        """
        if self.to is not None:
            with suppress(OSError):  # what it had not read yet is lost
                self.to.close()
        if self._process.returncode is None:
            if not at_once and (self.to is None or not self._ends_within(LEAVE_SECONDS)):
                self._signal(signal.SIGTERM)
                self._ends_within(LEAVE_SECONDS)
            self._reap()
        if self.from_ is not None:
            self.from_.close()

    def _reap(self) -> None:
        """Kill the rest of the group, then reap its leader: until then its process number is not reused."""
        self._signal(signal.SIGKILL)
        self._process.wait()

    def _ends_within(self, seconds: float) -> bool:
        """Wait for the end of the process without reaping it; return whether it has ended."""
        deadline = time.monotonic() + seconds
        while os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            if time.monotonic() >= deadline:
                return False
            time.sleep(LOOK_SECONDS)
        return True

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)
