"""What of the records a power cut would take away, and how it gets to the disk: for all matches together, in rounds."""

import errno
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import NamedTuple

from server.storage.disk import Disk

SUFFIX = ".txt"

PASSING = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EINTR, errno.EAGAIN})
"""Faults of opening a file that say nothing about the disk: tried again in the next round."""

PASSING_SECONDS = 10.0
"""How long a thread tries again that syncs one record."""


class Places:
    """Where the files of a data directory are."""

    def __init__(self, folder: Path) -> None:
        """Take the data directory."""
        self.running, self.records, self.damaged, self.keys = (
            folder / name for name in ("running", "records", "damaged", "keys")
        )

    def journal(self, match: int) -> Path:
        """Return where the journal of a running match is."""
        return self.running / f"{match}{SUFFIX}"

    def record(self, match: int) -> Path:
        """Return where the record of a match is that is over."""
        return self.records / f"{match}{SUFFIX}"

    def key(self, match: int) -> Path:
        """Return where the hashes of the tokens of a match are."""
        return self.keys / f"{match}{SUFFIX}"

    def aside(self, match: int) -> Path:
        """Return where the journal of a match is that cannot be trusted."""
        return self.damaged / f"{match}{SUFFIX}"


class Round(NamedTuple):
    """What was written since the last round, and is to be synced together."""

    written: frozenset[int]
    """Matches whose journals have grown."""
    begun: frozenset[int]
    """Matches that have begun, whose files have names that were not synced yet."""
    finished: tuple[int, ...]
    """Matches that are over, and whose records move when they are synced."""


class Synced(NamedTuple):
    """What has come of a round."""

    failed: dict[int, OSError]
    """Matches of which the disk has not kept what was written, and why."""
    kept_back: dict[int, OSError]
    """Matches that are synced, or can be in the next round, and whose records could not be moved yet."""


class Unsynced:
    """Keeps account of it. `sync` and `check` are for threads beside the event loop, the others for the loop."""

    def __init__(self, places: Places, disk: Disk) -> None:
        """Begin with nothing."""
        self.written: set[int] = set()
        """Matches whose journals have grown since the last round."""
        self.begun: set[int] = set()
        """Matches that have begun since the last round."""
        self.late: dict[int, None] = {}
        """Matches that are over, and whose records have not moved yet."""
        self._failed: dict[int, OSError] = {}
        self._places, self._disk = places, disk

    def round(self, *, over: bool = False) -> Round:
        """Return what is to be synced, perhaps nothing; it counts as done from now on.

        With ``over`` that is only what is over already.
        """
        written, begun = (kept & self.late.keys() if over else set(kept) for kept in (self.written, self.begun))
        self.written -= written
        self.begun -= begun
        return Round(frozenset(written), frozenset(begun), tuple(self.late))

    def put_back(self, work: Round) -> None:
        """Take it that nothing is known of what has come of a round."""
        self.written |= work.written
        self.begun |= work.begun

    def sync(self, work: Round) -> Synced:
        """Sync what was written, then move what is over; never raises OSError."""
        failed: dict[int, OSError] = {}
        back: dict[int, OSError] = {}
        places = self._places
        files = [(match, places.key(match)) for match in sorted(work.begun)]
        files += [(match, places.journal(match)) for match in sorted(work.written | work.begun)]
        for match, path in files:
            try:
                self._disk.sync(path)
            except FileNotFoundError:
                continue  # nobody comes back to it any more, or nobody was told of it
            except OSError as error:
                (back if error.errno in PASSING else failed)[match] = error
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
        return Synced(failed, back)

    def _sync_folders(self, folders: Iterable[Path], matches: Iterable[int], failed: dict[int, OSError]) -> None:
        for folder in folders:
            try:
                self._disk.sync_folder(folder)
            except OSError as error:
                failed |= dict.fromkeys(matches, error)

    def settle(self, match: int, path: Path) -> None:
        """Sync the record of a match that is over, at a place of it; raises OSError where that fails, or has failed."""
        until = monotonic() + PASSING_SECONDS
        while True:
            try:
                self._disk.sync(path)
                self._disk.sync_folder(path.parent)
                return self.check(match)
            except FileNotFoundError:
                raise
            except OSError as error:
                if error.errno not in PASSING or monotonic() > until:
                    self._failed.setdefault(match, error)
                    raise
            sleep(PASSING_SECONDS / 100)

    def check(self, match: int) -> None:
        """Raise the OSError for which a record is not on the disk, if there was one."""
        if match in self._failed:
            raise self._failed[match]

    def forget(self, match: int) -> None:
        """Take no more account of a match."""
        for kept in (self.written, self.begun):
            kept.discard(match)
        self.late.pop(match, None)

    def done(self, work: Round, synced: Synced) -> list[int]:
        """Take note of what has come of a round; return the matches that are over and moved."""
        self.written |= synced.kept_back.keys() & work.written
        self.begun |= synced.kept_back.keys() & work.begun
        moved = []
        for match in work.finished:
            if match in synced.kept_back:
                continue
            self.late.pop(match, None)
            if match in self._failed:  # what can be read now need not be what stands on the disk
                with suppress(OSError):
                    self._disk.rename(self._places.journal(match), self._places.aside(match))
            else:
                moved.append(match)
        return moved
