"""Log lines on stderr, one an event; what peers sent stands in them as its repr.

Each event is one line of printable ASCII. All other characters are written as escapes.

A line that stderr does not take is lost, and counted. A full pipe, a stopped terminal or a full disk stop the log, and
not the server.
"""

import json
import os
import re
import stat
import sys
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import Any, TextIO

LEVELS = ("debug", "info", "warning", "error")
"""Levels of events, from the least one."""

UNSAFE = re.compile(r"[^\x20-\x7e]")
"""Characters that are written as escapes."""


class Logger:
    """Writes events with their fields, as lines of logfmt or JSON. The field ``exc_info`` is an exception."""

    def __init__(self) -> None:
        """Begin with all levels, in logfmt on what is stderr at that time."""
        self.out: NonBlockingWriter | None = None
        self.least_level = "debug"
        self.is_json = False
        self.debug, self.info, self.warning, self.error = (partial(self._write, level) for level in LEVELS)

    def _write(self, level: str, event: str, /, **fields: Any) -> None:
        if LEVELS.index(level) < LEVELS.index(self.least_level):
            return
        out, error = self.out or sys.stderr, fields.pop("exc_info", None)
        items = {
            "timestamp": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%fZ}",
            "level": level,
            "event": event,
            **fields,
            **({"lines_lost": out.lost} if isinstance(out, NonBlockingWriter) and out.lost else {}),
            **({"exception": "".join(traceback.format_exception(error)).rstrip("\n")} if error else {}),
        }
        line = json.dumps(items, default=str) if self.is_json else " ".join(map(_logfmt, items, items.values()))
        out.write(UNSAFE.sub(lambda found: found.group().encode("unicode_escape").decode(), line) + "\n")


log = Logger()
"""The log of the server."""


def configure(*, verbose: bool = False, quiet: bool = False, json: bool = False) -> None:
    """Set the format and the least level for the whole process."""
    log.out = NonBlockingWriter(sys.stderr)
    log.least_level = "debug" if verbose else "warning" if quiet else "info"
    log.is_json = json


def _logfmt(key: str, value: Any) -> str:
    """Return a field in logfmt: a true one is its key alone, and a text with spaces stands in quotes."""
    if value is True:
        return key
    text = "" if value is None else "false" if value is False else str(value)
    if any(mark in text for mark in ' ="\n'):
        text = json.dumps(text, ensure_ascii=False)
    return f"{key}={text}"


class NonBlockingWriter:
    """A file for whole lines that neither waits nor raises."""

    def __init__(self, file: TextIO) -> None:
        """Take a file; one without a descriptor is written to as it is."""
        self._file = file
        self._descriptor: int | None = None
        self._rest = b""
        self.lost = 0
        """Number of lines that were lost since the last one that was written."""
        with suppress(OSError, ValueError):
            self._descriptor = _unblocked(file.fileno())

    def write(self, line: str) -> None:
        """Write a line with its end, or lose it."""
        if self._descriptor is None:
            print(line, end="", file=self._file, flush=True)
            return
        data = self._rest + line.encode()
        try:
            self._rest = data[os.write(self._descriptor, data) :]
        except OSError:
            self.lost += 1
        else:
            self.lost = 0


def _unblocked(descriptor: int) -> int:
    """Open a pipe or a terminal once more (Linux), so that others find it as it was; return anything else as it is."""
    if (stat.S_ISFIFO(os.fstat(descriptor).st_mode) or os.isatty(descriptor)) and hasattr(os, "O_NONBLOCK"):
        with suppress(OSError):
            return os.open(f"/proc/self/fd/{descriptor}", os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    return descriptor
