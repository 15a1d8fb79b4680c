"""The numbers of matches: each is given once, also when a power cut takes away all that the last matches have written.

The file ``numbers`` in a data directory has the highest number that may have been given, and the start of the machine
(`server.storage.disk.boot`) at which it was written. It is always ahead of the numbers that are given, by a block.
"""

import errno
import re
from contextlib import suppress
from pathlib import Path

from server.storage.disk import Disk, boot

FILE = "numbers"

BLOCK = 1000
"""Numbers that are reserved at a time. So many matches can begin while the disk does not answer, and no more."""


class MatchNumbers:
    """Gives numbers, from the one behind the last."""

    def __init__(self, folder: Path, last: int, disk: Disk) -> None:
        """Go on behind ``last``, the highest of which there is a file, or behind those that may have been lost."""
        self._path, self._disk = folder / FILE, disk
        self._most: int | None = None
        self._last = last
        reserved, at = self._read()
        if at != boot() or not at:
            self._last = max(last, reserved)

    def next(self) -> int:
        """Return a number that was never given; raises OSError where none could be reserved."""
        if self._most is not None and self._last >= self._most:
            raise OSError(errno.EIO, f"the disk does not answer, and no number of a match can be reserved in {FILE}")
        self._last += 1
        return self._last

    def skip(self, number: int) -> None:
        """Give the numbers up to this one no more."""
        self._last = max(self._last, number)

    @property
    def due(self) -> bool:
        """Tell whether it is time to reserve more."""
        return self._most is not None and self._most - self._last <= BLOCK // 2

    def reserve(self) -> None:
        """Reserve a block behind the last number that was given, on the disk; raises OSError. For any thread."""
        most = self._last + BLOCK
        self._write(most)
        self._most = most

    def settle(self) -> None:
        """Give back what was reserved and not given: no number is given any more. Raises OSError."""
        self._most = self._last
        self._write(self._last)

    def _read(self) -> tuple[int, str]:
        with suppress(OSError, UnicodeDecodeError):
            found = re.fullmatch(r"([0-9]{1,15}) (\S*)\n", self._path.read_text(encoding="ascii"))
            if found:
                return int(found.group(1)), found.group(2)
        return 0, ""

    def _write(self, most: int) -> None:
        new = self._path.with_suffix(".new")
        with suppress(FileNotFoundError):
            self._disk.unlink(new)
        file = self._disk.create(new, 0o644)
        try:
            self._disk.append(file, f"{most} {boot()}\n".encode())
        finally:
            self._disk.close(file)
        self._disk.sync(new)
        self._disk.rename(new, self._path)
        self._disk.sync_folder(self._path.parent)
