"""A program behind pipes with bounded buffers, and the process group in which it runs.

A program leads a process group of its own, so that its children end with it. Ctrl-C reaches only this program, which
then ends the group in order.
"""

import os
import shlex
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from bots.client.errors import ArenaError, BotFailed
from bots.client.pipes import PipeReader, PipeWriter
from engine.system import has_ended, kill_group, start_group, terminate_group

LEAVE_SECONDS = 2.0
"""Deadline for a process to end after its input was closed, and again after SIGTERM."""

LOOK_SECONDS = 0.01
"""Time between two checks whether it has ended."""


class Process:
    """A running process. Always call `end`."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], *, pipes: bool = False) -> None:
        """Start the process, with or without pipes for stdin and stdout; raises `ArenaError`."""
        ends = subprocess.PIPE if pipes else subprocess.DEVNULL
        try:
            self._process = start_group(command, stdin=ends, stdout=ends, bufsize=0, env=environment)
        except OSError as error:
            why = error.strerror or str(error)
            raise ArenaError(f"the program {shlex.join(command)} cannot be started: {why}") from error
        self.pid = self._process.pid
        self._to: PipeWriter | None = None
        self._from: PipeReader | None = None
        if self._process.stdin is not None and self._process.stdout is not None:
            with self._process.stdin as to, self._process.stdout as from_:
                self._to, self._from = PipeWriter(os.dup(to.fileno())), PipeReader(os.dup(from_.fileno()))

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
        if self._to is not None:
            self._to.close()
        if self._process.returncode is None:
            if not at_once and (self._to is None or not self._ends_within(LEAVE_SECONDS)):
                terminate_group(self._process)
                self._ends_within(LEAVE_SECONDS)
            self._reap()
        if self._from is not None:
            self._from.close()

    def _reap(self) -> None:
        """Kill the rest of the group, then reap its leader: until then its process number is not reused."""
        kill_group(self._process)
        self._process.wait()

    def _ends_within(self, seconds: float) -> bool:
        """Wait for the end of the process without reaping it; return whether it has ended."""
        deadline = time.monotonic() + seconds
        while not has_ended(self._process):
            if time.monotonic() >= deadline:
                return False
            time.sleep(LOOK_SECONDS)
        return True


MAX_WAITING_BYTES = 1 << 20
"""Bytes that may be queued for a program that does not read: thousands of moves fit."""

MAX_UNASKED_BYTES = 1 << 20
"""Bytes that a program may write between two turns: an answer is one line."""


class ProgramFailed(BotFailed):
    """The program failed; the sentence says how."""


class ProgramEnded(ProgramFailed):
    """The program ended, or closed its standard output."""


class BridgedProgram(Process):
    """A running program. Always call `end`."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start the program with an environment; raises `bots.client.errors.ArenaError` if that fails."""
        self._unasked = 0
        """Bytes that it has written since the last question."""
        super().__init__(command, environment, pipes=True)
        assert self._to is not None and self._from is not None
        self._input, self._output = self._to, self._from

    def ask(self, data: bytes) -> None:
        """Send bytes that need an answer."""
        self._unasked = 0
        self.tell(data)

    def tell(self, data: bytes) -> None:
        """Send bytes, queued until the program reads."""
        self._input.write(data)

    def hear(self, deadline: float) -> bytes:
        """Return output as soon as there is any; nothing if there is none before the deadline.

        The deadline is one of `time.monotonic`. Raises `ProgramEnded`, and `ProgramFailed` when the program floods, or
        does not read.
        """
        if (waiting := self._input.waiting) > MAX_WAITING_BYTES:
            raise ProgramFailed(f"the program does not read: {waiting} bytes wait on its standard input")
        try:
            data = self._output.read(max(0.0, deadline - time.monotonic()))
        except TimeoutError:
            return b""
        if not data:
            raise ProgramEnded(f"the program {self.ended(LEAVE_SECONDS) or 'closed its standard output'}")
        self._unasked += len(data)
        if self._unasked > MAX_UNASKED_BYTES:
            raise ProgramFailed(f"the program wrote {self._unasked} bytes in a turn; the limit is {MAX_UNASKED_BYTES}")
        return data
