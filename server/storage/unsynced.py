"""The set of unsynced records, and sync rounds that bring all of them to the disk together."""

import errno
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import NamedTuple

from server.storage.disk import Disk

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

    def record(self, match: int) -> Path:
        """Return the path of the record of a finished match."""
        return self.records / f"{match}{SUFFIX}"

    def key(self, match: int) -> Path:
        """Return the path of the token hashes of a match."""
        return self.keys / f"{match}{SUFFIX}"

    def quarantined(self, match: int) -> Path:
        """Return the path of an invalid journal."""
        return self.damaged / f"{match}{SUFFIX}"


class Round(NamedTuple):
    """A sync round: what was written since the last one."""

    written: frozenset[int]
    """Matches whose journals have grown."""
    begun: frozenset[int]
    """New matches, whose file names are unsynced."""
    finished: tuple[int, ...]
    """GameResult matches, whose records move when they are synced."""
    expired: frozenset[int] = frozenset()
    """Matches whose keys are deleted."""


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
        self.written: set[int] = set()
        """Matches whose journals have grown since the last round."""
        self.begun: set[int] = set()
        """Matches that have begun since the last round."""
        self.late: dict[int, None] = {}
        """GameResult matches whose records have not moved yet."""
        self.expired: set[int] = set()
        """Matches whose keys are not needed any more. To delete a file can take as long as the disk syncs others."""
        self._failed: dict[int, OSError] = {}
        self._folders, self._disk = places, disk

    def round(self) -> Round:
        """Take what is to be synced in a round; it may be empty."""
        work = Round(frozenset(self.written), frozenset(self.begun), tuple(self.late), frozenset(self.expired))
        self.written.clear()
        self.begun.clear()
        self.expired.clear()
        return work

    def restore_round(self, work: Round) -> None:
        """Mark the contents of a cancelled round as unsynced again."""
        self.written |= work.written
        self.begun |= work.begun
        self.expired |= work.expired

    def sync(self, work: Round) -> Synced:
        """Sync the contents of a round, then move finished records; never raises OSError."""
        failed: dict[int, OSError] = {}
        back: dict[int, OSError] = {}
        places = self._folders
        files = [(match, places.key(match)) for match in sorted(work.begun)]
        files += [(match, places.journal(match)) for match in sorted(work.written | work.begun)]
        for match, path in files:
            try:
                self._disk.sync(path)
            except FileNotFoundError:
                continue  # its keys are expired, or it was never announced
            except OSError as error:
                (back if error.errno in TRANSIENT else failed)[match] = error
        if work.begun:
            self._sync_folders((places.running, places.keys), work.begun, failed)
        self._failed |= failed
        moved = []
        for match in work.finished:
            if match not in self._failed and match not in back:
                try:
                    self._disk.rename(places.journal(match), places.record(match))
                    moved.append(match)
                except FileNotFoundError:
                    continue
                except OSError as error:
                    back[match] = error
        if moved:
            self._sync_folders((places.records, places.running), moved, failed)
            self._failed |= failed
        for match in sorted(work.expired):
            with suppress(OSError):
                self._disk.unlink(places.key(match))
        return Synced(failed, back)

    def _sync_folders(self, folders: Iterable[Path], matches: Iterable[int], failed: dict[int, OSError]) -> None:
        for folder in folders:
            try:
                self._disk.sync_folder(folder)
            except OSError as error:
                failed |= dict.fromkeys(matches, error)

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

    def forget(self, match: int) -> None:
        """Remove a match."""
        for kept in (self.written, self.begun):
            kept.discard(match)
        self.late.pop(match, None)

    def done(self, work: Round, synced: Synced) -> list[int]:
        """Apply the result of a round; return the matches whose records were moved."""
        self.written |= synced.kept_back.keys() & work.written
        self.begun |= synced.kept_back.keys() & work.begun
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
