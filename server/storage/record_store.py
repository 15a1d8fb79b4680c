"""The records on disk: one file a match, written while it is played.

``running/17.txt`` grows by a line at a time; when the match is over it moves to ``records/17.txt``. Beside it,
``keys/17.txt`` has the hashes of the tokens with which its players come back, also when the server has died and
started again (`server.arena.resume`). What cannot be read then goes to ``damaged/17.txt``.

The operating system has a line when it was written, and after a kill of the process it is there. For a power cut it has
to be synced: a `Round` does that for all matches at once, and only what it has synced moves to ``records/``.
"""

import errno
import fcntl
import hashlib
import hmac
import os
import re
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from heapq import nlargest
from pathlib import Path
from typing import NamedTuple

from server.config.settings import RECENT_MATCHES
from server.config.tokens import HASH, hashed
from server.storage.disk import Disk
from server.storage.match_numbers import MatchNumbers
from server.storage.unsynced import SUFFIX, Places, Round, Synced, Unsynced

__all__ = ["LOCK", "SUFFIX", "UNFINISHED", "Claimed", "Keys", "MatchJournal", "RecordStore", "claimed"]

UNFINISHED = ".new"
"""Suffix of files that get their name when they are complete."""

LOCK = "lock"
"""File that a server holds locked while it uses a data directory; the lock ends with the process, however it ends."""


class Keys(NamedTuple):
    """SHA-256 of both players' tokens, in hexadecimal: the tokens themselves are nowhere on the server."""

    first: str
    second: str

    @classmethod
    def of(cls, first: str, second: str) -> "Keys":
        """Hash two tokens."""
        return cls(hashed(first), hashed(second))

    def side_of(self, token: str) -> int | None:
        """Return the side that a token belongs to, None for none, in a time that tells nothing."""
        given = hashed(token)
        fits = [hmac.compare_digest(key, given) for key in self]
        return fits.index(True) if any(fits) else None


class MatchJournal:
    """The record of a running match, open for appending."""

    def __init__(self, record_store: "RecordStore", match: int, file: int, length: int) -> None:
        """Take a file that is open for appending, and holds so many bytes."""
        self._record_store, self._match = record_store, match
        self._file, self._length = file, length
        self._torn = False

    def write(self, text: str) -> None:
        """Append text: when this returns, the operating system has it. Raises OSError, and then nothing is appended."""
        if self._torn:
            raise OSError(errno.EIO, "half a line stands at the end of the record, and cannot be taken away")
        data = text.encode()
        try:
            self._record_store.disk.append(self._file, data)
        except OSError:
            self._torn = True
            with suppress(OSError):
                self._record_store.disk.cut(self._file, self._length)  # half a line would spoil what comes behind it
                self._torn = False
            raise
        self._length += len(data)
        self._record_store.unsynced.written.add(self._match)

    def finish(self) -> None:
        """Close the record, which moves to the finished ones; its players may still come back for the result."""
        self.close()
        self._record_store.finish(self._match)

    def abandon(self) -> None:
        """Close the record of a match that has ended otherwise than it says; nobody comes back to it. Never raises."""
        with suppress(OSError):
            self.close()
        self._record_store.forget(self._match)

    def discard(self) -> None:
        """Close and remove the record of a match of which nobody was told. Never raises."""
        self.abandon()
        with suppress(OSError):
            self._record_store.disk.unlink(self._record_store.running(self._match))

    def close(self) -> None:
        """Close the file and leave it where it is. Raises OSError, and then it is closed all the same."""
        file, self._file = self._file, -1
        if file >= 0:
            self._record_store.disk.close(file)


class RecordStore:
    """All records of a data directory."""

    def __init__(
        self, folder: Path, recent: int = RECENT_MATCHES, *, synced: bool = False, disk: Disk | None = None
    ) -> None:
        """Make the folders that are missing; raises OSError where that is not possible, or one cannot be written to.

        The keys of so many matches that have ended are kept. Where it is ``synced`` by somebody who calls `round`,
        `sync` and `done` again and again, records move when they are on the disk; else as soon as matches are over.
        """
        self.disk = disk or Disk()
        self._places = Places(folder)
        self.unsynced = Unsynced(self._places, self.disk)
        running, keys = self._places.running, self._places.keys
        places = (running, self._places.records, self._places.damaged, keys)
        for place in places:
            place.mkdir(mode=0o700 if place is keys else 0o777, parents=True, exist_ok=True)
            if not os.access(place, os.R_OK | os.W_OK | os.X_OK):
                raise PermissionError(f"{place} has to be a directory in which this program may read and write")
        self._numbers = MatchNumbers(
            folder, max((n for place in places for n in _numbers(place)), default=0), self.disk
        )
        self._ended = deque(sorted(set(_numbers(keys)) - set(_numbers(running)), key=self._last_written))
        """Matches whose keys are kept, in the order in which they ended."""
        self._recent = recent
        self._synced = synced
        for path in running.glob(f"*{UNFINISHED}"):
            path.unlink()  # the server died while it wrote them: nobody was told
        if synced:
            for place in (*places, folder):
                self.disk.sync_folder(place)

    def next_number(self) -> int:
        """Return a number that no match had yet; raises OSError where none could be reserved for too long."""
        return self._numbers.next()

    def skip(self, match: int) -> None:
        """Give the numbers up to this one to no match any more."""
        self._numbers.skip(match)

    def begin(self, match: int, keys: Keys, head: str) -> MatchJournal:
        """Begin the record of a match with its head; raises OSError, and then there is none."""
        self._keep(match, keys)
        new, journal = self._new(match), None
        try:
            journal = MatchJournal(self, match, self.disk.create(new, 0o644), 0)
            journal.write(head)
            self.disk.rename(new, self.running(match))  # whenever the server dies, a journal has a whole head
        except OSError:
            if journal is not None:
                journal.abandon()
            self.forget(match)
            with suppress(OSError):
                self.disk.unlink(new)
            raise
        self.unsynced.begun.add(match)
        return journal

    def _keep(self, match: int, keys: Keys) -> None:
        file = self.disk.create(self._places.key(match), 0o600)
        try:
            self.disk.append(file, "".join(f"{key}\n" for key in keys).encode())
        except OSError:
            self.forget(match)
            raise
        finally:
            self.disk.close(file)

    def go_on(self, match: int, length: int) -> MatchJournal:
        """Open the journal of a match again; what stands there beyond so many bytes is cut off. Raises OSError."""
        file = self.disk.open(self.running(match))
        try:
            self.disk.cut(file, length)
        except OSError:
            self.disk.close(file)
            raise
        self.unsynced.begun.add(match)
        return MatchJournal(self, match, file, length)

    def leftovers(self) -> list[int]:
        """Return the matches that were running when the last server died, in order."""
        return sorted(_numbers(self._places.running))

    def journal(self, match: int) -> bytes:
        """Return what the journal of a match holds. Raises OSError."""
        return self.running(match).read_bytes()

    def keys(self, match: int) -> Keys | None:
        """Return the keys of a match, None where they are not kept any more or cannot be read."""
        try:
            words = self._places.key(match).read_text(encoding="ascii").split()
        except (OSError, UnicodeDecodeError):
            return None
        return Keys(*words) if len(words) == 2 and all(re.fullmatch(HASH, word) for word in words) else None

    def finish(self, match: int) -> None:
        """Move a journal to the records, and those that could not be moved before; where it is synced, later.

        Raises OSError for this one, which is moved later then.
        """
        late = self.unsynced.late
        before = list(late)
        late[match] = None
        if self._synced:
            return
        self._put_away(match)
        for other in before:
            with suppress(OSError):
                self._put_away(other)

    def _put_away(self, match: int) -> None:
        self.disk.rename(self.running(match), self._places.record(match))
        self.unsynced.forget(match)
        self._has_ended(match)

    def quarantine(self, match: int, instead: str) -> Path:
        """Move a journal that cannot be trusted to the damaged ones, and return where it is. Raises OSError.

        ``instead`` becomes the record of the match, unless it is empty, or there is one already.
        """
        if instead and not self._places.record(match).exists():
            self.import_record(match, instead)
        aside = self._places.aside(match)
        self.disk.rename(self.running(match), aside)
        self._has_ended(match)
        return aside

    def import_record(self, match: int, text: str) -> None:
        """Keep the record of a match that was played elsewhere. Raises OSError, and then there is none."""
        new = self._new(match)
        with suppress(FileNotFoundError):
            self.disk.unlink(new)
        file = self.disk.create(new, 0o644)
        try:
            self.disk.append(file, text.encode())
        finally:
            self.disk.close(file)
        if self._synced:
            self.disk.sync(new)
        self.disk.rename(new, self._places.record(match))
        if self._synced:
            self.disk.sync_folder(self._places.records)

    def read(self, match: int) -> str | None:
        """Return the record of a finished match, None where there is none. Raises OSError where it cannot be read."""
        for path in self._where(match):
            try:
                return path.read_text(encoding="utf-8")
            except FileNotFoundError:
                continue
            except UnicodeDecodeError as error:
                raise OSError(f"{path} is no UTF-8: {error}") from None
        return None

    def _where(self, match: int) -> Iterator[Path]:
        """Name the places where a record is, in whatever moment of its move somebody asks."""
        if match in self.unsynced.late:
            yield self.running(match)
        yield self._places.record(match)

    def recorded(self, match: int) -> bytes | None:
        """Return what stands in ``records/`` of a match, None where there is nothing. Raises OSError."""
        try:
            return self._places.record(match).read_bytes()
        except FileNotFoundError:
            return None

    def drop(self, match: int) -> None:
        """Remove the journal of a match whose record is there already. Raises OSError."""
        self.disk.unlink(self.running(match))
        self._has_ended(match)

    def forget(self, match: int) -> None:
        """Let nobody come back to a match any more."""
        with suppress(OSError):
            self.disk.unlink(self._places.key(match))

    # Syncing. `settle` and `sync` are for threads beside the event loop, the others for the loop itself.

    def settle(self, match: int) -> str:
        """Return when the record of a match that is over is on the disk, with its SHA-256 in hexadecimal.

        Raises OSError where it cannot be kept, FileNotFoundError where there is none.
        """
        for path in self._where(match):
            try:
                if self._synced:
                    self.unsynced.settle(match, path)
                return hashlib.sha256(path.read_bytes()).hexdigest()
            except FileNotFoundError:
                continue
        self.unsynced.check(match)
        raise FileNotFoundError(errno.ENOENT, f"there is no record of match {match}")

    def round(self, *, over: bool = False) -> Round:
        """Return what is to be synced, all or what is ``over``, perhaps nothing; it counts as done from now on."""
        return self.unsynced.round(over=over)

    def put_back(self, work: Round) -> None:
        """Take it that nothing is known of what has come of a round."""
        self.unsynced.put_back(work)

    def sync(self, work: Round) -> Synced:
        """Sync what was written, and move what is over."""
        return self.unsynced.sync(work)

    def done(self, work: Round, synced: Synced) -> None:
        """Take note of what was synced."""
        for match in self.unsynced.done(work, synced):
            self._has_ended(match)

    def reserve(self, *, first: bool = False) -> None:
        """Reserve numbers on the disk, where it is time; raises OSError. For any thread.

        From the ``first`` time on no others are given.
        """
        if first or self._numbers.due:
            self._numbers.reserve()

    def close_numbers(self) -> None:
        """Keep the last number, since no match begins any more; raises OSError."""
        self._numbers.settle()

    def running(self, match: int) -> Path:
        """Return where the journal of a running match is."""
        return self._places.journal(match)

    def _new(self, match: int) -> Path:
        return self._places.running / f"{match}{UNFINISHED}"

    def _has_ended(self, match: int) -> None:
        self._ended.append(match)
        while len(self._ended) > self._recent:
            self.forget(self._ended.popleft())

    def _last_written(self, match: int) -> tuple[int, int]:
        """Return when the record of a match got its last line, as it ended, with its number; for sorting."""
        try:
            return self._places.record(match).stat().st_mtime_ns, match
        except OSError:
            return 0, match

    @staticmethod
    def newest(folder: Path, count: int) -> list[Path]:
        """Return at most so many records of a data directory, those with the highest numbers first. Raises OSError."""
        place = folder / "records"
        return [place / f"{number}{SUFFIX}" for number in nlargest(count, _numbers(place))]


class Claimed(OSError):
    """Another server uses the data directory."""


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Hold a data directory for this process alone; raises `Claimed` where another server has it, or OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sentence = f"another server uses the data directory {folder}; give this one its own with --data"
            raise Claimed(sentence) from None
        yield


def _numbers(place: Path) -> Iterator[int]:
    """Name the matches of which there is a file."""
    for path in place.iterdir():
        found = re.fullmatch(r"([1-9][0-9]{0,14})" + re.escape(SUFFIX), path.name)
        if found:
            yield int(found.group(1))
