"""Pipes that are read with a deadline, and written without waiting."""

import os
import select
from contextlib import suppress
from queue import Empty, Queue
from threading import Lock, Thread

READ_BYTES = 65536
"""As many as a pipe holds."""

MAX_PIECES = 16
"""Pieces that a thread reads ahead."""


class PipeReader:
    """Reads the pipe of a descriptor."""

    def __init__(self, descriptor: int) -> None:
        """Own the descriptor."""
        self._descriptor = descriptor
        self._is_open = True
        self._pieces: Queue[bytes] | None = None
        if not hasattr(select, "poll"):  # Windows cannot wait until a pipe can be read
            self._pieces = Queue(MAX_PIECES)
            Thread(target=self._run, args=(self._pieces,), daemon=True).start()

    def read(self, seconds: float) -> bytes:
        """Return the next bytes, at most `READ_BYTES`; none at the end. Raises TimeoutError after some seconds."""
        if self._pieces is None:
            if not select.select([self._descriptor], [], [], seconds)[0]:
                raise TimeoutError
            return os.read(self._descriptor, READ_BYTES)
        if not self._is_open:
            return b""
        try:
            data = self._pieces.get(timeout=seconds) if seconds > 0 else self._pieces.get_nowait()
        except Empty:
            raise TimeoutError from None
        self._is_open = bool(data)
        return data

    def close(self) -> None:
        """Close the pipe; a thread that reads it closes it when it has ended."""
        self._is_open = False
        if self._pieces is None:
            os.close(self._descriptor)
            return
        with suppress(Empty):
            while True:
                self._pieces.get_nowait()

    def _run(self, pieces: "Queue[bytes]") -> None:
        data = b"-"
        while data and self._is_open:
            try:
                data = os.read(self._descriptor, READ_BYTES)
            except OSError:
                data = b""
            pieces.put(data)
        os.close(self._descriptor)


class PipeWriter:
    """Writes to the pipe of a descriptor, in order, as fast as it is read."""

    def __init__(self, descriptor: int) -> None:
        """Own the descriptor."""
        self._descriptor = descriptor
        self._pieces: Queue[bytes] = Queue()
        self._lock = Lock()
        self.waiting = 0
        """Bytes that wait to be written."""
        Thread(target=self._run, daemon=True).start()

    def write(self, data: bytes) -> None:
        """Write bytes when the pipe takes them; they are lost where nobody reads it any more."""
        if data:
            with self._lock:
                self.waiting += len(data)
            self._pieces.put(data)

    def close(self) -> None:
        """Close the pipe when all is written, or nobody reads it any more."""
        self._pieces.put(b"")

    def _run(self) -> None:
        while data := self._pieces.get():
            with suppress(OSError):  # it reads no more; if it has ended, its output tells
                while data:
                    written = os.write(self._descriptor, data)
                    data = data[written:]
                    with self._lock:
                        self.waiting -= written
            with self._lock:
                self.waiting -= len(data)
        os.close(self._descriptor)
