"""A log of bounded size: it keeps the beginning and the end of what a program says, each line with its move."""

import re
from collections.abc import Callable
from pathlib import Path

import structlog

log = structlog.get_logger()

HEAD_BYTES = 64 * 1024
"""Kept of the beginning, where most programs say what is wrong."""

TAIL_BYTES = 64 * 1024
"""Kept of the end."""

HEARD_BYTES = 4096
"""Of the end, what last words are looked for in: the traceback of a Python program fits."""

TOLD_CHARACTERS = 200
"""Of the last line, what fits into a sentence."""

_FRAME = re.compile(r'^  File "(?P<file>[^"\n]+)", line (?P<line>[0-9]+)(, in (?P<function>\S+))?$', re.MULTILINE)
"""A frame of a Python traceback."""

_LIBRARY = re.compile(r"/site-packages/|/lib/python3|^<")
"""In the path of a file that is not the author's own."""


class BoundedLog:
    """A log file of a head, a tail, and a line about what was left out between them.

    Before each line stands the number of the move that was waited for when it began, 0 before the first one, behind it
    `` | ``.
    The head is written as it comes, the tail when the log is closed. Where nothing is written there is no file. Where
    the file cannot be written, the server's log says so once; `last_words` are known all the same.
    """

    def __init__(
        self, path: Path, ply: Callable[[], int], head_bytes: int | None = None, tail_bytes: int | None = None
    ) -> None:
        """Take the path of the file, whose folder is created if it is missing, and who knows the move."""
        self._path = path
        self._ply = ply
        self._head_bytes = HEAD_BYTES if head_bytes is None else head_bytes
        self._tail_bytes = TAIL_BYTES if tail_bytes is None else tail_bytes
        self._head = 0  # bytes of the head that are written
        self._tail = bytearray()
        self._all = 0
        self._heard = bytearray()
        self._within_line = False
        self._told = False

    def write(self, data: bytes) -> None:
        """Add bytes."""
        self._heard += data
        del self._heard[:-HEARD_BYTES]
        data = self._with_plies(data)
        self._all += len(data)
        head = data[: self._head_bytes - self._head]
        if head:
            self._append(head)
            self._head += len(head)
        self._tail += data
        if len(self._tail) > 2 * self._tail_bytes:
            del self._tail[: -self._tail_bytes]

    def close(self) -> None:
        """Write the tail, except what the head has."""
        rest = self._all - self._head
        if rest > 0:
            kept = bytes(self._tail[-min(rest, self._tail_bytes) :])
            left_out = rest - len(kept)
            self._append((f"\n[{left_out} bytes are left out here]\n".encode() if left_out else b"") + kept)
        self._all = self._head

    def last_words(self) -> str:
        """Return the last line as one printable, quoted line; empty if nothing was written.

        Of a Python traceback, that is the exception; the author's own line that it came from stands behind it.
        """
        text = bytes(self._heard).decode(errors="backslashreplace").strip()
        if not text:
            return ""
        line = repr(text.splitlines()[-1].strip()[:TOLD_CHARACTERS])
        frames = list(_FRAME.finditer(text, max(0, text.rfind("Traceback (most recent call last):"))))
        if "Traceback (most recent call last):" not in text or not frames:
            return line
        frame = next((one for one in reversed(frames) if not _LIBRARY.search(one["file"])), frames[-1])
        function = f", in {frame['function']}" if frame["function"] else ""
        place = f"{Path(frame['file']).name}, line {frame['line']}{function}"
        return f"{line} ({place})" if place.isprintable() else line

    def _with_plies(self, data: bytes) -> bytes:
        if not data:
            return data
        mark = b"%d | " % self._ply()
        within, self._within_line = self._within_line, not data.endswith(b"\n")
        lines = data.replace(b"\n", b"\n" + mark)
        if not self._within_line:
            lines = lines[: -len(mark)]
        return lines if within else mark + lines

    def _append(self, data: bytes) -> None:
        try:
            self._path.parent.mkdir(0o700, parents=True, exist_ok=True)  # what is in it is not for everybody
            with self._path.open("ab") as file:
                file.write(data)
        except OSError as error:
            if not self._told:  # it may write many times a second
                log.warning("program_stderr_write_failed", path=str(self._path), error=str(error))
            self._told = True


def without_plies(text: str) -> str:
    """Return what was written, without the numbers of moves."""
    return re.sub(r"^[0-9]+ \| ", "", text, flags=re.MULTILINE)
