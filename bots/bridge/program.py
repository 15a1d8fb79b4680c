"""A program behind pipes, with bounded buffers."""

import os
import select
import time
from collections.abc import Mapping, Sequence

from bots.bridge.process import LEAVE_SECONDS, Process
from bots.bridge.stderr_reader import NoteSource, StderrReader
from bots.client.errors import BotFailed
from engine.wire.notes import Note

MAX_WAITING_BYTES = 1 << 20
"""Bytes that may be queued for a program that does not read: thousands of moves fit."""

MAX_UNASKED_BYTES = 1 << 20
"""Bytes that a program may write between two turns: an answer is one line."""

READ_BYTES = 65536


class ProgramFailed(BotFailed):
    """The program failed; the sentence says how."""


class ProgramEnded(ProgramFailed):
    """The program ended, or closed its standard output."""


class Program:
    """A running program. Always call `end`."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], notes: NoteSource) -> None:
        """Start the program with an environment; raises `bots.client.errors.ArenaError` if that fails.

        ``notes`` tells which lines of its stderr are notes.
        """
        self.heard_any = False
        """Whether it has written anything."""
        self._waiting = b""
        self._unasked = 0
        """Bytes that it has written since the last question."""
        self._process = Process(command, pipes=True, stderr=notes != "none", environment=environment)
        stderr = self._process.stderr
        self._stderr = None if stderr is None else StderrReader(stderr, every_line=notes == "stderr")
        assert self._process.to is not None and self._process.from_ is not None
        self._to, self._from = self._process.to.fileno(), self._process.from_.fileno()
        os.set_blocking(self._to, False)

    def ask(self, data: bytes) -> None:
        """Send bytes that need an answer."""
        self._unasked = 0
        self.tell(data)

    def tell(self, data: bytes) -> None:
        """Send bytes, queued until the program reads."""
        self._waiting += data
        self._write()

    def hear(self, deadline: float) -> bytes:
        """Return output as soon as there is any; nothing if there is none before the deadline.

        The deadline is one of `time.monotonic`. Raises `ProgramEnded`, and `ProgramFailed` when the program floods, or
        does not read.
        """
        while True:
            if len(self._waiting) > MAX_WAITING_BYTES:
                raise ProgramFailed(f"the program does not read: {len(self._waiting)} bytes wait on its standard input")
            writable = [self._to] if self._waiting else []
            seconds = max(0.0, deadline - time.monotonic())
            readable, writable, _ = select.select([self._from], writable, [], seconds)
            if writable:
                self._write()
            if readable:
                return self._read()
            if time.monotonic() >= deadline:
                return b""

    def notes(self) -> list[Note]:
        """Return what the program has noted on stderr since the last call."""
        return [] if self._stderr is None else self._stderr.take()

    def end(self, *, at_once: bool = False) -> None:
        """End the program and its children; ``at_once`` gives it no time to end by itself."""
        self._process.end(at_once=at_once)
        if self._stderr is not None:
            self._stderr.join()

    def _write(self) -> None:
        try:
            while self._waiting:
                self._waiting = self._waiting[os.write(self._to, self._waiting) :]
        except BlockingIOError:
            pass
        except OSError:  # it reads no more; if it has ended, its output tells
            self._waiting = b""

    def _read(self) -> bytes:
        data = os.read(self._from, READ_BYTES)
        if not data:
            raise ProgramEnded(f"the program {self._process.ended(LEAVE_SECONDS) or 'closed its standard output'}")
        self.heard_any = True
        self._unasked += len(data)
        if self._unasked > MAX_UNASKED_BYTES:
            raise ProgramFailed(f"the program wrote {self._unasked} bytes that nobody had asked for")
        return data
