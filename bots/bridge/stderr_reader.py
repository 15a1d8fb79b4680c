"""Reads the stderr of a program: shows it unchanged, and takes the notes in it.

A thread reads, so that a program that writes much never waits for its opponent's move. Who wants the notes up to now
reads what is left.
"""

import fcntl
import os
import select
import struct
import termios
import threading
import time
from collections import deque
from contextlib import suppress
from typing import IO, Literal, TypeAlias

from engine.match.record import MAX_NOTES_PER_MOVE
from engine.wire.codes import ProtocolError
from engine.wire.fields import Note, read_note

NoteSource: TypeAlias = Literal["marked", "stderr", "none"]
"""Which lines of stderr are notes: those that begin with `MARK`, all of them, or none, so that stderr is inherited."""

MARK = "note "

STDERR = 2
"""Descriptor of this process."""

READ_BYTES = 65536

MAX_LINE_BYTES = 4096
"""Longest part of a line that is looked at."""

JOIN_SECONDS = 1.0
"""Time for the last lines of a program that has ended."""

SHOW_SECONDS = 0.1
"""Longest wait for the reader of this process's stderr. What the reader does not take in that time is not shown."""

REST_SECONDS = 0.001
"""Pause of the thread after each read: who wants the notes of a program that floods gets the lock."""


class StderrReader:
    """The stderr of a running program."""

    def __init__(self, source: IO[bytes], *, every_line: bool) -> None:
        """Begin to read a pipe, which is closed at its end; with ``every_line`` each line is a note."""
        self._source = source
        self._every_line = every_line
        self._rest = b""
        self._notes: deque[Note] = deque(maxlen=MAX_NOTES_PER_MOVE)
        self._lock = threading.Lock()
        self._ended = False
        os.set_blocking(source.fileno(), False)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def take(self) -> list[Note]:
        """Return the notes since the last call, the last ones of them, up to what the program has written by now."""
        with self._lock:
            left = 0 if self._ended else _available(self._source)
            while left > 0 and (read := self._read()):
                left -= read
            notes = list(self._notes)
            self._notes.clear()
        return notes

    def join(self) -> None:
        """Wait a little for the end of stderr, after the program has ended."""
        self._thread.join(JOIN_SECONDS)

    def _run(self) -> None:
        while not self._ended:
            select.select([self._source], [], [])
            with self._lock:
                self._read()
            time.sleep(REST_SECONDS)
        self._source.close()

    def _read(self) -> int:
        """Read once; return the number of bytes."""
        if self._ended:
            return 0
        try:
            data = os.read(self._source.fileno(), READ_BYTES)
        except BlockingIOError:
            return 0
        with suppress(OSError):
            _show(data)
        self._ended = not data
        *lines, rest = (self._rest + data).split(b"\n")
        self._rest = rest[:MAX_LINE_BYTES]
        for line in lines:
            self._take_line(line[:MAX_LINE_BYTES].decode(errors="replace").strip())
        return len(data)

    def _take_line(self, line: str) -> None:
        marked = line.startswith(MARK)
        if not line or not (marked or self._every_line):
            return
        said = line.removeprefix(MARK) if marked else line
        try:
            self._notes.append(read_note(said) if marked else Note(text=said))
        except ProtocolError:  # words behind the mark that look like fields, and are none
            self._notes.append(Note(text=said))


def _available(source: IO[bytes]) -> int:
    """Return how many bytes a pipe holds."""
    return int(struct.unpack("i", fcntl.ioctl(source, termios.FIONREAD, bytes(4)))[0])


def _show(data: bytes) -> None:
    """Write bytes on stderr in pieces that a pipe takes whole or not at all."""
    while data and select.select([], [STDERR], [], SHOW_SECONDS)[1]:
        data = data[os.write(STDERR, data[: select.PIPE_BUF]) :]
