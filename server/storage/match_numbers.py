"""Allocation of match numbers: each is used once, even after a power cut that loses the records of the last matches.

The file ``numbers`` in a data directory has the highest number that may be in use, and the boot of the machine
(`server.storage.disk.boot`) at which it was written. It is always ahead of the numbers in use, by a block.
"""

import errno
import re
from contextlib import suppress
from pathlib import Path

from server.storage.disk import Disk, boot

FILE = "numbers"

BLOCK = 1000
"""Numbers reserved at a time: matches that can start while the disk does not answer."""


class MatchNumbers:
    """Allocates match numbers in ascending order."""

    def __init__(self, folder: Path, last: int, disk: Disk) -> None:
        """Continue after ``last``, the highest number with a file, or after a block that may have been lost."""
        self._path, self._disk = folder / FILE, disk
        self._reserved: int | None = None
        self._last = last
        reserved, at = self._read()
        if at != boot() or not at:
            self._last = max(last, reserved)

    def next(self) -> int:
        """Return an unused number; raises OSError if none could be reserved."""
        if self._reserved is not None and self._last >= self._reserved:
            raise OSError(errno.EIO, f"the disk does not answer, and no number of a match can be reserved in {FILE}")
        self._last += 1
        return self._last

    def skip(self, number: int) -> None:
        """Never return numbers up to this one."""
        self._last = max(self._last, number)

    @property
    def due(self) -> bool:
        """Tell whether it is time to reserve another block."""
        return self._reserved is not None and self._reserved - self._last <= BLOCK // 2

    def reserve(self) -> None:
        """Reserve a block after the last number on the disk; raises OSError. Thread-safe."""
        most = self._last + BLOCK
        self._write(most)
        self._reserved = most

    def release_reserved(self) -> None:
        """Release reserved numbers; none can be allocated any more. Raises OSError."""
        self._reserved = self._last
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
