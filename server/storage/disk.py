"""What the records ask of the operating system, in one place: tests put a disk here that fails, or loses its power.

Nothing is on the disk for certain before it was synced: a file's bytes by `Disk.sync`, its name by `Disk.sync_folder`.
A kill of the process needs neither, since the operating system has everything that was written.
"""

import errno
import os
from pathlib import Path

import structlog

log = structlog.get_logger()

NO_SYNC = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})
"""How file systems say that they cannot sync a file or a folder: some network ones. There it is theirs to see to it."""

BOOT = Path("/proc/sys/kernel/random/boot_id")
"""Another one after every start of the machine (Linux): what was written and not synced may be lost since then."""


class Disk:
    """The file system. All methods raise OSError."""

    def __init__(self) -> None:
        """Take the file system that there is."""
        self._told = False

    def create(self, path: Path, mode: int) -> int:
        """Make a file that is not there yet, and return it open for appending."""
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, mode)

    def open(self, path: Path) -> int:
        """Return a file open for appending."""
        return os.open(path, os.O_WRONLY | os.O_APPEND)

    def append(self, file: int, data: bytes) -> None:
        """Write all of it."""
        done = 0
        while done < len(data):
            done += os.write(file, data[done:])

    def cut(self, file: int, length: int) -> None:
        """Take away what is beyond so many bytes."""
        os.ftruncate(file, length)

    def close(self, file: int) -> None:
        """Close a file."""
        os.close(file)

    def rename(self, old: Path, new: Path) -> None:
        """Give a file another name, in the place of whatever has it."""
        old.rename(new)

    def unlink(self, path: Path) -> None:
        """Take a file away."""
        path.unlink()

    def sync(self, path: Path) -> None:
        """Return when the bytes of a file are on the disk. Takes milliseconds, or seconds: not for the event loop."""
        self._sync(path, os.O_RDONLY)

    def sync_folder(self, path: Path) -> None:
        """Return when the names in a folder are on the disk, as they are now."""
        self._sync(path, os.O_RDONLY | os.O_DIRECTORY)

    def _sync(self, path: Path, flags: int) -> None:
        file = os.open(path, flags)
        try:
            self._flush(file)
        except OSError as error:
            if error.errno not in NO_SYNC:
                raise
            if not self._told:
                self._told = True
                log.warning("filesystem_sync_failed", path=str(path), error=str(error))
        finally:
            os.close(file)

    def _flush(self, file: int) -> None:
        os.fdatasync(file)


def boot() -> str:
    """Return what tells this start of the machine from others; empty where that is not known."""
    try:
        return BOOT.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
