"""The records on disk: one file a match, written while it is played.

``running/17.txt`` grows by a line at a time; when the match is over it moves to ``records/17.txt``. What a crash
leaves in ``running`` is closed as annulled at the next start, so nothing that was played is lost.
"""

import os
import re
from pathlib import Path

from engine import record
from engine.outcome import Termination

SUFFIX = ".txt"


class Journal:
    """The record of a running match, open for appending."""

    def __init__(self, path: Path, finished: Path) -> None:
        """Create the file; raises FileExistsError rather than write over one."""
        self._path, self._finished = path, finished
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)

    def write(self, text: str) -> None:
        """Append text: when this returns, the operating system has it. Raises OSError."""
        data = text.encode()
        while data:
            data = data[os.write(self._file, data) :]

    def finish(self) -> None:
        """Close the record and move it to the finished ones."""
        self.close()
        self._path.rename(self._finished)

    def close(self) -> None:
        """Close the file and leave it where it is."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


class Archive:
    """All records of a data directory."""

    def __init__(self, folder: Path) -> None:
        """Make the folders that are missing; raises OSError where that is not possible."""
        self._running, self._records = folder / "running", folder / "records"
        for place in (self._running, self._records):
            place.mkdir(parents=True, exist_ok=True)
        numbers = [_number(path) for place in (self._running, self._records) for path in place.iterdir()]
        self._last = max(numbers, default=0)

    def next_number(self) -> int:
        """Return a number that no match had yet."""
        self._last += 1
        return self._last

    def open(self, match: int) -> Journal:
        """Begin the record of a match."""
        return Journal(self._running / f"{match}{SUFFIX}", self._records / f"{match}{SUFFIX}")

    def read(self, match: int) -> str | None:
        """Return the record of a finished match, None where there is none."""
        try:
            return (self._records / f"{match}{SUFFIX}").read_text(encoding="utf-8")
        except FileNotFoundError:
            return None

    def close_leftovers(self) -> list[int]:
        """Annul the matches that were running when the server last died; return their numbers."""
        closed = []
        for path in sorted(self._running.glob(f"*{SUFFIX}"), key=_number):
            text = path.read_bytes().decode(errors="replace")
            text = text[: text.rfind("\n") + 1]  # a line that was being written was never acknowledged
            path.write_text(text + _annulment(text), encoding="utf-8")
            path.rename(self._records / path.name)
            closed.append(_number(path))
        return closed


def _annulment(text: str) -> str:
    """Return the result line of a record that was cut off; empty where it has one, or cannot be read."""
    try:
        summary = record.verify(text)
    except record.BadRecord:
        return ""
    if summary.result:
        return ""
    sentence = "the server died while the match was being played"
    return record.result_line("annulled", Termination.SERVER_FAULT, summary.stamp, summary.left, sentence)


def _number(path: Path) -> int:
    match = re.fullmatch(r"([0-9]{1,15})" + re.escape(SUFFIX), path.name)
    return int(match.group(1)) if match else 0
