"""The data directory on the disk: its lock, and the file operations that records need.

Tests replace the file operations by a disk that fails or loses power. Only synced data survives a power cut: bytes of a
file by `Disk.sync`, its name by `Disk.sync_folder`. A kill of the process needs neither, since the operating system has
everything that was written.

A sync round brings all unsynced records to the disk together.
"""

import errno
import os
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import NamedTuple

from engine.system import lock as lock_file
from server.ops.logs import log

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


BINARY = getattr(os, "O_BINARY", 0)
"""Keeps Windows from writing other ends of lines."""

SYNC = getattr(os, "fdatasync", os.fsync)
"""Brings a file to the disk: Linux need not write the time of the last change."""


class Disk:
    """The file system. All methods raise OSError."""

    def __init__(self) -> None:
        """Use the file system of the machine."""
        self._logged = False
        self.syncs = True
        """Whether files are synced; a file system in memory, say, need not be."""

    def create(self, path: Path, mode: int) -> int:
        """Create a new file, open for appending."""
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | BINARY, mode)

    def open(self, path: Path) -> int:
        """Open a file for appending."""
        return os.open(path, os.O_WRONLY | os.O_APPEND | BINARY)

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
        old.replace(new)

    def unlink(self, path: Path) -> None:
        """Delete a file."""
        path.unlink()

    def sync(self, path: Path) -> None:
        """Sync the bytes of a file. Takes milliseconds to seconds: not for the event loop."""
        self._sync(path, os.O_RDWR)

    def sync_folder(self, path: Path) -> None:
        """Sync the names in a folder."""
        if hasattr(os, "O_DIRECTORY"):  # Windows does not sync folders
            self._sync(path, os.O_RDONLY | os.O_DIRECTORY)

    def replace(self, path: Path, data: bytes, new: Path) -> None:
        """Write a whole file at a path ``new``, then rename it: a crash leaves the old file or the new one."""
        with suppress(FileNotFoundError):
            self.unlink(new)
        file = self.create(new, 0o644)
        try:
            self.append(file, data)
        finally:
            self.close(file)
        self.sync(new)
        self.rename(new, path)
        self.sync_folder(path.parent)

    def _sync(self, path: Path, flags: int) -> None:
        if not self.syncs:
            return
        file = os.open(path, flags)
        try:
            SYNC(file)
        except OSError as error:
            if error.errno not in NO_SYNC:
                raise
            if not self._logged:
                self._logged = True
                log.warning("filesystem_sync_failed", path=str(path), error=str(error))
        finally:
            os.close(file)


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
        until = monotonic() + LOCK_SECONDS
        while True:
            try:
                lock_file(lock)
                break
            except BlockingIOError:
                if monotonic() > until:
                    raise DataDirectoryInUse(
                        f"another server uses the data directory {folder}; give this one its own with --data"
                    ) from None
            sleep(LOOK_SECONDS)
        yield


def is_in_use(folder: Path) -> bool:
    """Tell whether a running server has locked a data directory."""
    try:
        with (folder / LOCK).open() as lock:
            lock_file(lock, shared=True)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


SUFFIX = ".txt"

TRANSIENT = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EINTR, errno.EAGAIN})
"""Errors of opening a file that are no fault of the disk: retried in the next round."""

RETRY_SECONDS = 10.0
"""Time for which the sync of one record is retried."""


class DataFolders:
    """Paths in a data directory."""

    def __init__(self, folder: Path) -> None:
        """Take the data directory."""
        self.running, self.records, self.damaged, self.keys = (
            folder / name for name in ("running", "records", "damaged", "keys")
        )

    def journal(self, match: int) -> Path:
        """Return the path of the journal of a running match."""
        return self.running / f"{match}{SUFFIX}"

    def unfinished(self, match: int) -> Path:
        """Return the path of a journal or record that has no complete head yet."""
        return self.running / f"{match}.new"

    def record(self, match: int) -> Path:
        """Return the path of the record of a finished match."""
        return self.records / f"{match}{SUFFIX}"

    def key(self, match: int) -> Path:
        """Return the path of the token hashes of a match."""
        return self.keys / f"{match}{SUFFIX}"

    def quarantined(self, match: int) -> Path:
        """Return the path of an invalid journal."""
        return self.damaged / f"{match}{SUFFIX}"


class SyncRound(NamedTuple):
    """A sync round: what was written since the last one."""

    written: set[int]
    """Matches whose journals have grown."""
    begun: set[int]
    """New matches, whose file names are unsynced."""
    expired: set[int]
    """Matches whose keys are not needed any more. To delete a file can take as long as the disk syncs others."""
    finished: tuple[int, ...] = ()
    """Finished matches, whose records move when they are synced."""


class Synced(NamedTuple):
    """The result of a round."""

    failed: dict[int, OSError]
    """Matches whose records could not be synced, with the errors."""
    kept_back: dict[int, OSError]
    """Matches whose records could not be opened or moved, and are retried in the next round."""


class Unsynced:
    """The set of unsynced records. `sync` and `check` are for other threads, all else is for the event loop."""

    def __init__(self, places: DataFolders, disk: Disk) -> None:
        """Start empty."""
        self.next = SyncRound(set(), set(), set())
        """The work of the next round."""
        self.late: dict[int, None] = {}
        """Finished matches whose records have not moved yet."""
        self._failed: dict[int, OSError] = {}
        self._folders, self._disk = places, disk

    def round(self) -> SyncRound:
        """Take what is to be synced in a round; it may be empty."""
        work = self.next._replace(finished=tuple(self.late))
        self.next = SyncRound(set(), set(), set())
        return work

    def sync(self, work: SyncRound) -> Synced:
        """Sync the contents of a round, then move finished records; never raises OSError."""
        failed: dict[int, OSError] = {}
        back: dict[int, OSError] = {}
        places = self._folders

        def sync(matches: Collection[int], sync: Callable[[Path], None], *paths: Path) -> None:
            for path in paths if matches else ():
                try:
                    sync(path)
                except FileNotFoundError:
                    continue  # its keys are expired, or it was never announced
                except OSError as error:
                    (back if error.errno in TRANSIENT else failed).update(dict.fromkeys(matches, error))

        for match in sorted(work.begun):
            sync((match,), self._disk.sync, places.key(match))
        for match in sorted(work.written | work.begun):
            sync((match,), self._disk.sync, places.journal(match))
        sync(work.begun, self._disk.sync_folder, places.running, places.keys)
        self._failed |= failed
        moved = []
        for match in work.finished:
            if match not in self._failed and match not in back:
                try:
                    self._disk.rename(places.journal(match), places.record(match))
                except FileNotFoundError:
                    pass  # moved before, perhaps by a round that could not sync the folders
                except OSError as error:
                    back[match] = error
                    continue
                moved.append(match)
        sync(moved, self._disk.sync_folder, places.records, places.running)
        self._failed |= failed
        for match in sorted(work.expired):
            with suppress(OSError):
                self._disk.unlink(places.key(match))
        return Synced(failed, back)

    def sync_record(self, match: int, path: Path) -> None:
        """Sync the record of a finished match at a path, and move it to ``records/``.

        Raises OSError if the sync fails, or has failed before. A record that cannot be moved is moved by a later round.
        """
        until = monotonic() + RETRY_SECONDS
        while True:
            try:
                self._disk.sync(path)
                self.check(match)
                for folder in self._moved_folders(match, path):
                    self._disk.sync_folder(folder)
                return self.check(match)
            except FileNotFoundError:
                raise
            except OSError as error:
                if error.errno not in TRANSIENT or monotonic() > until:
                    self._failed.setdefault(match, error)
                    raise
            sleep(RETRY_SECONDS / 100)

    def _moved_folders(self, match: int, path: Path) -> tuple[Path, ...]:
        """Move a synced record to ``records/`` if possible; return the folders whose names are to be synced."""
        if path == self._folders.record(match):
            return (path.parent,)
        try:
            self._disk.rename(path, self._folders.record(match))
        except OSError:  # a round may have moved it just now
            return (path.parent,)
        return self._folders.records, self._folders.running

    def check(self, match: int) -> None:
        """Raise the OSError of a record that could not be synced, if there is one."""
        if match in self._failed:
            raise self._failed[match]

    def done(self, work: SyncRound, synced: Synced) -> list[int]:
        """Apply the result of a round; return the matches whose records were moved."""
        self.next.written.update(synced.kept_back.keys() & work.written)
        self.next.begun.update(synced.kept_back.keys() & work.begun)
        moved = []
        for match in work.finished:
            if match in synced.kept_back:
                continue
            self.late.pop(match, None)
            if match in self._failed:  # what is read now may differ from what is on the disk
                with suppress(OSError):
                    self._disk.rename(self._folders.journal(match), self._folders.quarantined(match))
            else:
                moved.append(match)
        return moved
