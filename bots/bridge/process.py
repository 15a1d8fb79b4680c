"""A process with all that it starts itself, and its end.

It leads a process group of its own, so that what it starts ends with it, and an interrupt at the keyboard reaches us
alone, who then end it in order. What it writes on stderr goes where ours goes.
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
"""What a process gets to end after its input was closed, and again after SIGTERM."""

LOOK_SECONDS = 0.01
"""How often to look whether it has ended."""


class Process:
    """A running process. `end` it, whatever happens."""

    def __init__(self, command: Sequence[str], *, pipes: bool, environment: Mapping[str, str] | None = None) -> None:
        """Start it, with pipes at its standard input and output or with nothing there; raises `ArenaError`.

        Its environment is ours where none is given.
        """
        ends = subprocess.PIPE if pipes else subprocess.DEVNULL
        try:
            self._process = subprocess.Popen(
                command, stdin=ends, stdout=ends, bufsize=0, env=environment, start_new_session=True
            )
        except OSError as error:
            why = error.strerror or str(error)
            raise ArenaError(f"the program {shlex.join(command)} cannot be started: {why}") from error
        self.to, self.from_ = self._process.stdin, self._process.stdout

    def ended(self, seconds: float = 0.0) -> str | None:
        """Say how it has ended, if it does within so long; None where it runs."""
        if self._process.returncode is None:
            if not self._ends_within(seconds):
                return None
            self._reap()
        status = self._process.returncode
        if status >= 0:
            return f"ended by itself, with exit status {status}"
        return f"was ended by the signal {signal.Signals(-status).name}"

    def end(self, *, at_once: bool = False) -> None:
        """End it and all processes of its group: by closing its input, by SIGTERM, by SIGKILL. May be repeated.

        ``at_once`` leaves it no time to end by itself.
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
        """Kill what is left of the group, and only then wait for its leader: until then nobody else has its number."""
        self._signal(signal.SIGKILL)
        self._process.wait()

    def _ends_within(self, seconds: float) -> bool:
        """Wait so long for its end, and leave it to be waited for."""
        deadline = time.monotonic() + seconds
        while os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            if time.monotonic() >= deadline:
                return False
            time.sleep(LOOK_SECONDS)
        return True

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)
