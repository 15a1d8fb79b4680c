"""The data directory on the disk: its lock, and the file operations that records need.

Tests replace the file operations by a disk that fails or loses power. Only synced data survives a power cut: bytes of a
file by `Disk.sync`, its name by `Disk.sync_folder`. A kill of the process needs neither, since the operating system has
everything that was written.
"""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import structlog

log = structlog.get_logger()

NO_SYNC = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})
"""Errors of file systems that cannot sync a file or a folder, as some network ones."""

BOOT = Path("/proc/sys/kernel/random/boot_id")
"""File with an identifier that changes at each boot (Linux); unsynced data may be lost by a boot."""


LOCK = "lock"
"""File that a server keeps locked while it uses a data directory; the lock ends with its process."""

LOCK_SECONDS = 0.5
"""Longest wait for the lock: commands that look whether a server runs hold it for a moment."""

LOOK_SECONDS = 0.02
"""Pause between two looks at it."""


class Disk:
    """The file system. All methods raise OSError."""

    def __init__(self) -> None:
        """Use the file system of the machine."""
        self._logged = False

    def create(self, path: Path, mode: int) -> int:
        """Create a new file, open for appending."""
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, mode)

    def open(self, path: Path) -> int:
        """Open a file for appending."""
        return os.open(path, os.O_WRONLY | os.O_APPEND)

    def append(self, file: int, data: bytes) -> None:
        """Append all bytes to a file."""
        while data:
            data = data[os.write(file, data) :]

    def cut(self, file: int, length: int) -> None:
        """Truncate a file."""
        os.ftruncate(file, length)

    def close(self, file: int) -> None:
        """Close a file."""
        os.close(file)

    def rename(self, old: Path, new: Path) -> None:
        """Rename a file, replacing any file of the new name."""
        old.rename(new)

    def unlink(self, path: Path) -> None:
        """Delete a file."""
        path.unlink()

    def sync(self, path: Path) -> None:
        """Sync the bytes of a file. Takes milliseconds to seconds: not for the event loop."""
        self._sync(path, os.O_RDONLY)

    def sync_folder(self, path: Path) -> None:
        """Sync the names in a folder."""
        self._sync(path, os.O_RDONLY | os.O_DIRECTORY)

    def _sync(self, path: Path, flags: int) -> None:
        file = os.open(path, flags)
        try:
            self._flush(file)
        except OSError as error:
            if error.errno not in NO_SYNC:
                raise
            if not self._logged:
                self._logged = True
                log.warning("filesystem_sync_failed", path=str(path), error=str(error))
        finally:
            os.close(file)

    def _flush(self, file: int) -> None:
        os.fdatasync(file)


def boot() -> str:
    """Return the identifier of this boot of the machine; empty if it is unknown."""
    try:
        return BOOT.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""


class DataDirectoryInUse(OSError):
    """Another server uses the data directory."""


@contextmanager
def lock_data_directory(folder: Path) -> Iterator[None]:
    """Lock a data directory for this process; raises `DataDirectoryInUse`, or another OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("w") as lock:
        if not _locked(lock.fileno()):
            sentence = f"another server uses the data directory {folder}; give this one its own with --data"
            raise DataDirectoryInUse(sentence)
        yield


def is_in_use(folder: Path) -> bool:
    """Tell whether a running server has locked a data directory."""
    try:
        with (folder / LOCK).open() as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _locked(lock: int) -> bool:
    until = monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if monotonic() > until:
                return False
            sleep(LOOK_SECONDS)
        else:
            return True
