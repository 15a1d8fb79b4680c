"""Log lines on stderr, one an event; what peers sent stands in them as its repr.

Each event is one line of printable ASCII. All other characters are written as escapes.

A line that stderr does not take is lost, and counted. A full pipe, a stopped terminal or a full disk stop the log, and
not the server.
"""

import logging
import os
import re
import stat
import sys
from contextlib import suppress
from typing import Any, TextIO

import structlog

log = structlog.get_logger()
"""The log of the server."""

UNSAFE = re.compile(r"[^\x20-\x7e]")


def configure(*, verbose: bool = False, quiet: bool = False, json: bool = False) -> None:
    """Set the format and the least level for the whole process."""
    level = logging.DEBUG if verbose else logging.WARNING if quiet else logging.INFO
    renderer: Any = (
        structlog.processors.JSONRenderer(default=str)
        if json
        else structlog.processors.LogfmtRenderer(key_order=["timestamp", "level", "event"])
    )
    out = NonBlockingWriter(sys.stderr)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            out.count,
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.processors.format_exc_info,
            renderer,
            escaped,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(out),  # type: ignore[arg-type]
        cache_logger_on_first_use=True,
    )


def escaped(_logger: Any, _method: str, line: Any) -> str:
    """Escape what cannot be printed safely in a line that is ready otherwise."""
    return UNSAFE.sub(lambda found: found.group().encode("unicode_escape").decode(), line)


class NonBlockingWriter:
    """A file for whole lines that neither waits nor raises."""

    def __init__(self, file: TextIO) -> None:
        """Take a file; one without a descriptor is written to as it is."""
        self._file = file
        self._descriptor: int | None = None
        self._rest = b""
        self._lost = 0
        with suppress(OSError, ValueError):
            self._descriptor = _unblocked(file.fileno())

    def write(self, line: str) -> None:
        """Write a line with its end, or lose it."""
        if self._descriptor is None:
            self._file.write(line)
            return
        data = self._rest + line.encode()
        try:
            self._rest = data[os.write(self._descriptor, data) :]
        except OSError:
            self._lost += 1
        else:
            self._lost = 0

    def count(self, _logger: Any, _method: str, event: Any) -> Any:
        """Let the next line that is taken say how many were lost before it."""
        return event | {"lines_lost": self._lost} if self._lost else event

    def flush(self) -> None:
        """Do what `write` leaves to be done: nothing, where there is a descriptor."""
        if self._descriptor is None:
            self._file.flush()


def _unblocked(descriptor: int) -> int:
    """Open a pipe or a terminal once more (Linux), so that others find it as it was; return anything else as it is."""
    if (stat.S_ISFIFO(os.fstat(descriptor).st_mode) or os.isatty(descriptor)) and hasattr(os, "O_NONBLOCK"):
        with suppress(OSError):
            return os.open(f"/proc/self/fd/{descriptor}", os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    return descriptor
