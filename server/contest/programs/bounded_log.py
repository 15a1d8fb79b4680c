"""A log of bounded size: it keeps the beginning and the end of what a program writes on stderr."""

from pathlib import Path

import structlog

log = structlog.get_logger()

HEAD_BYTES = 64 * 1024
"""Kept of the beginning, where most programs say what is wrong."""

TAIL_BYTES = 64 * 1024
"""Kept of the end."""

TOLD_CHARACTERS = 300
"""Of the end, what fits into a sentence."""


class BoundedLog:
    """A log file of a head, a tail, and a line about what was left out between them.

    The head is written as it comes, the tail when the log is closed. Where nothing is written there is no file. Where
    the file cannot be written, the server's log says so once; `last_words` are known all the same.
    """

    def __init__(self, path: Path) -> None:
        """Take the path of the file; its folder is created if it is missing."""
        self._path = path
        self._head = 0  # bytes of the head that are written
        self._tail = bytearray()
        self._all = 0
        self._told = False

    def write(self, data: bytes) -> None:
        """Add bytes."""
        self._all += len(data)
        head = data[: HEAD_BYTES - self._head]
        if head:
            self._append(head)
            self._head += len(head)
        self._tail += data
        if len(self._tail) > 2 * TAIL_BYTES:
            del self._tail[:-TAIL_BYTES]

    def close(self) -> None:
        """Write the tail, except what the head has."""
        rest = self._all - self._head
        if rest > 0:
            kept = bytes(self._tail[-min(rest, TAIL_BYTES) :])
            left_out = rest - len(kept)
            self._append((f"\n[{left_out} bytes are left out here]\n".encode() if left_out else b"") + kept)

    def last_words(self) -> str:
        """Return the end of what was written as one printable, quoted line; empty if nothing was written."""
        text = bytes(self._tail).decode(errors="backslashreplace").strip()
        return repr(text[-TOLD_CHARACTERS:]) if text else ""

    def _append(self, data: bytes) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab") as file:
                file.write(data)
        except OSError as error:
            if not self._told:  # it may write many times a second
                log.warning("program_stderr_write_failed", path=str(self._path), error=str(error))
            self._told = True
