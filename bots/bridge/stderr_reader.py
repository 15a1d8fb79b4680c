"""Reads the stderr of a program: shows it unchanged, and takes the notes in it.

A thread reads, so that a program that writes much never waits for its opponent's move. Who wants the notes up to now
reads what is left.
"""

import os
import select
import threading
from collections import deque
from contextlib import suppress
from typing import IO, Literal, TypeAlias

from engine.record.notes import MAX_NOTES_PER_MOVE
from engine.wire.codes import ProtocolError
from engine.wire.notes import Note, read_note

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
            while self._read():
                pass
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
        self._source.close()

    def _read(self) -> bool:
        """Read what there is; return whether there was anything."""
        if self._ended:
            return False
        try:
            data = os.read(self._source.fileno(), READ_BYTES)
        except BlockingIOError:
            return False
        with suppress(OSError):
            os.write(STDERR, data)
        self._ended = not data
        *lines, rest = (self._rest + data).split(b"\n")
        self._rest = rest[:MAX_LINE_BYTES]
        for line in lines:
            self._take_line(line[:MAX_LINE_BYTES].decode(errors="replace").strip())
        return bool(data)

    def _take_line(self, line: str) -> None:
        marked = line.startswith(MARK)
        if not line or not (marked or self._every_line):
            return
        said = line.removeprefix(MARK) if marked else line
        try:
            self._notes.append(read_note(said) if marked else Note(text=said))
        except ProtocolError:  # words behind the mark that look like fields, and are none
            self._notes.append(Note(text=said))
