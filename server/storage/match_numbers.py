"""Allocation of match numbers: each is used once, even after a power cut that loses the records of the last matches.

The file ``numbers`` in a data directory has the highest number that may be in use, and the boot of the machine
(`server.storage.disk.boot`) at which it was written. It is always ahead of the numbers in use, by a block.
"""

import errno
import re
from contextlib import suppress
from pathlib import Path
from threading import Lock

import trio

from server.storage.disk import Disk, boot

FILE = "numbers"

BLOCK = 1000
"""Numbers reserved at a time. Matches that begin meanwhile use the second half of the last block, and then wait."""


class MatchNumbers:
    """Allocates match numbers in ascending order."""

    def __init__(self, folder: Path, last: int, disk: Disk) -> None:
        """Continue after ``last``, the highest number with a file, or after a block that may have been lost."""
        self._path, self._disk = folder / FILE, disk
        self._reserved: int | None = None
        self._last = last
        self._due, self._attempted = trio.Event(), trio.Event()
        self._fault: OSError | None = None
        self._lock = Lock()
        reserved, at = self._read()
        if at != boot() or not at:
            self._last = max(last, reserved)

    def next(self) -> int:
        """Return an unused number; raises OSError if none is reserved. `available` waits for one."""
        if not self.has(1):
            raise OSError(*(self._fault or OSError(errno.EAGAIN, f"no match number is reserved in {FILE}")).args)
        self.skip(self._last + 1)
        return self._last

    def skip(self, number: int) -> None:
        """Never return numbers up to this one."""
        self._last = max(self._last, number)
        if not self.has(BLOCK // 2 + 1):
            self._due.set()

    def has(self, count: int) -> bool:
        """Tell whether so many numbers can be allocated now."""
        return self._reserved is None or self._reserved - self._last >= count

    async def available(self, count: int = 1) -> None:
        """Wait until so many numbers, up to half a block, can be allocated, or the disk refuses to reserve them."""
        while not self.has(min(count, BLOCK // 2)) and self._fault is None:
            await self._attempted.wait()

    async def reserve_when_due(self) -> None:
        """Wait until a block is due, and reserve it in a thread; raises OSError."""
        while self.has(BLOCK // 2 + 1):
            self._due = trio.Event()
            await self._due.wait()
        try:
            await trio.to_thread.run_sync(self.reserve, abandon_on_cancel=True)
            self._fault = None
        except OSError as error:
            self._fault = error
            raise
        finally:
            self._attempted.set()
            self._attempted = trio.Event()

    def reserve(self) -> None:
        """Reserve a block after the last number on the disk; raises OSError. Thread-safe."""
        with self._lock:
            most = self._last + BLOCK
            self._write(most)
            self._reserved = most

    def release_reserved(self) -> None:
        """Release reserved numbers; none can be allocated any more. Raises OSError."""
        with self._lock:
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
