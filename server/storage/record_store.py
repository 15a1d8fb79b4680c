"""The record store: one file a match, written while it is played.

``running/17.txt`` grows by a line at a time; when the match is over it moves to ``records/17.txt``.
``keys/17.txt`` has the hashes of the tokens for RESUME, which also works after a restart of the server
(`server.arena.journals`). A damaged journal is moved to ``damaged/17.txt`` then.

A line survives a kill of the process when it was written, and a power cut when it was synced. A `SyncRound` syncs all
matches together, and only synced records move to ``records/``.

Each match number is used once, even after a power cut that loses the records of the last matches: the file ``numbers``
has the highest number that may be in use, and the boot of the machine (`server.storage.disk.boot`) at which it was
written.
"""

import errno
import hashlib
import hmac
import math
import os
import re
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from engine.match.signature import WORD, signature_line
from server.config.settings import RECENT_MATCHES
from server.config.tokens import HASH, hashed
from server.storage.disk import SUFFIX, DataFolders, Disk, Synced, SyncRound, Unsynced, boot

UNFINISHED = ".new"
"""Suffix of incomplete files, which are renamed when they are complete."""

NUMBERS = "numbers"
"""Name of the file of reserved match numbers in the data directory."""

BLOCK = 100_000
"""Match numbers reserved at a time: so many are left out after a power cut. The event loop waits for the disk once for
each block."""


class Keys(NamedTuple):
    """SHA-256 of both players' tokens, in hexadecimal; the server does not store the tokens."""

    first: str
    second: str

    @classmethod
    def of(cls, first: str, second: str) -> "Keys":
        """Hash two tokens."""
        return cls(hashed(first), hashed(second))

    def side_of(self, token: str) -> int | None:
        """Return the side of a token, or None, in constant time."""
        given = hashed(token)
        fits = [hmac.compare_digest(key, given) for key in self]
        return fits.index(True) if any(fits) else None


class MatchJournal:
    """The record of a running match, open for appending."""

    def __init__(self, keeper: "RecordStore", match: int, file: int, length: int) -> None:
        """Take a file that is open for appending, and its length in bytes."""
        self._keeper, self._match = keeper, match
        self._file, self._length = file, length

    def write(self, text: str) -> None:
        """Append text, which survives a kill of the process. Raises OSError, and then nothing is appended."""
        data = text.encode()
        try:
            self._keeper.disk.append(self._file, data)
        except OSError:
            self._keeper.disk.cut(self._file, self._length)  # half a line would corrupt the next one
            raise
        self._length += len(data)
        self._keeper.unsynced.next.written.add(self._match)

    def finish(self) -> None:
        """Sign and close the journal, and move it to the records; players may still resume for the result.

        Raises OSError, and then the journal is closed, and moves with a later one.
        """
        try:
            self.write(self._keeper.signature(self._keeper.journal(self._match)))
        finally:
            self.close()
            self._keeper.finish(self._match)

    def abandon(self) -> None:
        """Close the journal of a match that ended otherwise than it says, and forget its keys. Never raises."""
        with suppress(OSError):
            self.close()
        self._keeper.forget(self._match)

    def discard(self) -> None:
        """Close and delete the journal of a match that was not announced. Never raises."""
        self.abandon()
        with suppress(OSError):
            self._keeper.disk.unlink(self._keeper.folders.journal(self._match))

    def close(self) -> None:
        """Close the file. Raises OSError, and then it is closed all the same."""
        file, self._file = self._file, -1
        if file >= 0:
            self._keeper.disk.close(file)


class MatchNumbers:
    """Allocates match numbers in ascending order."""

    def __init__(self, folder: Path, last: int, disk: Disk) -> None:
        """Continue after ``last``, the highest number with a file, or after a block that may have been lost."""
        self._path, self._disk = folder / NUMBERS, disk
        self._reserved = math.inf
        """The highest reserved number; all numbers count as reserved until `reserve` is called."""
        self._last = last
        with suppress(OSError, UnicodeDecodeError):
            found = re.fullmatch(r"([0-9]{1,15}) (\S*)\n", self._path.read_text(encoding="ascii"))
            if found and (found[2] != boot() or not found[2]):
                self._last = max(last, int(found[1]))

    def next(self) -> int:
        """Return an unused number; raises OSError if the disk does not reserve a block that is needed."""
        if self._last >= self._reserved:
            self.reserve()
        self._last += 1
        return self._last

    def skip(self, number: int) -> None:
        """Never return numbers up to this one."""
        self._last = max(self._last, number)

    def reserve(self) -> None:
        """Reserve a block after the last number on the disk; raises OSError."""
        self._write(self._last + BLOCK)
        self._reserved = self._last + BLOCK

    def release_reserved(self) -> None:
        """Release reserved numbers. Raises OSError."""
        self._write(self._last)
        self._reserved = self._last

    def _write(self, most: int) -> None:
        self._disk.replace(self._path, f"{most} {boot()}\n".encode(), self._path.with_suffix(UNFINISHED))


class RecordStore:
    """The records of a data directory."""

    def __init__(
        self,
        folder: Path,
        recent: int = RECENT_MATCHES,
        *,
        synced: bool = False,
        disk: Disk | None = None,
        sign: Callable[[bytes], bytes] | None = None,
    ) -> None:
        """Make the folders that are missing; raises OSError where that is not possible, or one cannot be written to.

        The keys of the ``recent`` latest finished matches are kept. A ``synced`` store moves records when they are on
        the disk, and needs regular rounds of `unsynced`, and calls of `done`; else records move when matches are over.
        Finished records are signed by ``sign``, if it is given. Incomplete files of a dead server are deleted.
        """
        self.disk = disk or Disk()
        self.disk.syncs = synced
        self._sign = sign
        self.folders = DataFolders(folder)
        self.unsynced = Unsynced(self.folders, self.disk)
        running, keys = self.folders.running, self.folders.keys
        places = (running, self.folders.records, self.folders.damaged, keys)
        for place in places:
            place.mkdir(mode=0o700 if place is keys else 0o777, parents=True, exist_ok=True)
            if not os.access(place, os.R_OK | os.W_OK | os.X_OK):
                raise PermissionError(f"{place} has to be a directory in which this program may read and write")
        self.numbers = MatchNumbers(
            folder, max((n for place in places for n in _match_numbers(place)), default=0), self.disk
        )
        self._ended = deque(sorted(set(_match_numbers(keys)) - set(_match_numbers(running)), key=self._last_written))
        """Matches whose keys are kept, in the order in which they ended."""
        self._recent = recent
        for path in running.glob(f"*{UNFINISHED}"):
            path.unlink()  # the server died while it wrote them, before MATCH was sent
        for place in (*places, folder):
            self.disk.sync_folder(place)

    def begin(self, match: int, keys: Keys, head: str) -> MatchJournal:
        """Create the journal of a match with its head; raises OSError, and then there is none."""
        self._write_keys(match, keys)
        new, journal = self.folders.unfinished(match), None
        try:
            journal = MatchJournal(self, match, self.disk.create(new, 0o644), 0)
            journal.write(head)
            self.disk.rename(new, self.folders.journal(match))  # a journal always has a complete head
        except OSError:
            if journal is not None:
                journal.abandon()
            self.forget(match)
            with suppress(OSError):
                self.disk.unlink(new)
            raise
        self.unsynced.next.begun.add(match)
        return journal

    def _write_keys(self, match: int, keys: Keys) -> None:
        file = self.disk.create(self.folders.key(match), 0o600)
        try:
            self.disk.append(file, "".join(f"{key}\n" for key in keys).encode())
        except OSError:
            self.forget(match)
            raise
        finally:
            self.disk.close(file)

    def reopen_journal(self, match: int, length: int) -> MatchJournal:
        """Reopen the journal of a match, truncated to a length. Raises OSError."""
        file = self.disk.open(self.folders.journal(match))
        try:
            self.disk.cut(file, length)
        except OSError:
            self.disk.close(file)
            raise
        self.unsynced.next.begun.add(match)
        return MatchJournal(self, match, file, length)

    def signature(self, record: bytes) -> str:
        """Return the missing last line of a record: its signature, or nothing if it has one or the store signs none."""
        if self._sign is None or record.rpartition(b"\n")[0].rpartition(b"\n")[2].startswith(f"{WORD} ".encode()):
            return ""
        return signature_line(self._sign(record))

    @property
    def last_ended(self) -> int | None:
        """Return the match that has ended last, of those with keys; None for none."""
        return self._ended[-1] if self._ended else None

    def unfinished_matches(self) -> list[int]:
        """Return the matches that were running when the last server died, in order."""
        return sorted(_match_numbers(self.folders.running))

    def journal(self, match: int) -> bytes:
        """Read the journal of a match. Raises OSError."""
        return self.folders.journal(match).read_bytes()

    def keys(self, match: int) -> Keys | None:
        """Read the keys of a match; None if they are expired or unreadable."""
        try:
            words = self.folders.key(match).read_text(encoding="ascii").split()
        except (OSError, UnicodeDecodeError):
            return None
        return Keys(*words) if len(words) == 2 and all(re.fullmatch(HASH, word) for word in words) else None

    def finish(self, match: int) -> None:
        """Move a journal to the records with the next round, which is now where nothing is synced."""
        self.unsynced.late[match] = None
        if not self.disk.syncs:
            work = self.unsynced.round()
            self.done(work, self.unsynced.sync(work))

    def quarantine(self, match: int, instead: str) -> Path:
        """Move an invalid journal to ``damaged/``, and return its new path. Raises OSError.

        ``instead`` becomes the record of the match, unless it is empty, or there is a record already.
        """
        if instead and not self.folders.record(match).exists():
            self.import_record(match, instead)
        quarantined = self.folders.quarantined(match)
        self.disk.rename(self.folders.journal(match), quarantined)
        self._expire_keys(match)
        return quarantined

    def import_record(self, match: int, text: str) -> None:
        """Save the record of a match that was played elsewhere. Thread-safe.

        Raises OSError, and then there is none.
        """
        data = text.encode()
        data += self.signature(data).encode()
        self.disk.replace(self.folders.record(match), data, self.folders.unfinished(match))

    def read(self, match: int) -> str | None:
        """Read the record of a finished match; None if there is none. Raises OSError if it is unreadable."""
        for path in self._possible_paths(match):
            try:
                return path.read_bytes().decode()  # a carriage return is part of it
            except FileNotFoundError:
                continue
            except UnicodeDecodeError as error:
                raise OSError(f"{path} is no UTF-8: {error}") from None
        return None

    def _possible_paths(self, match: int) -> Iterator[Path]:
        """Yield the paths where a record may be, before or after its move."""
        if match in self.unsynced.late:
            yield self.folders.journal(match)
        yield self.folders.record(match)

    def remove_journal(self, match: int) -> None:
        """Delete the journal of a match that has a record. Raises OSError."""
        self.disk.unlink(self.folders.journal(match))
        self._expire_keys(match)

    def forget(self, match: int) -> None:
        """Delete the keys of a match, which cannot be resumed any more."""
        with suppress(OSError):
            self.disk.unlink(self.folders.key(match))

    # Syncing. `sync_record` and `sync` are for other threads, all else is for the event loop.

    def sync_record(self, match: int) -> str:
        """Sync the record of a finished match, move it to the records, and return its SHA-256 in hexadecimal.

        Raises OSError if it cannot be synced, FileNotFoundError if there is none. One that is synced and cannot be
        moved is moved by a later round.
        """
        for path in self._possible_paths(match):
            try:
                sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
                self.unsynced.sync_record(match, path)
                return sha256
            except FileNotFoundError:
                continue
        self.unsynced.check(match)
        raise FileNotFoundError(errno.ENOENT, f"there is no record of match {match}")

    def done(self, work: SyncRound, synced: Synced) -> None:
        """Apply the result of a round."""
        for match in self.unsynced.done(work, synced):
            self._expire_keys(match)

    def _expire_keys(self, match: int) -> None:
        self._ended.append(match)
        while len(self._ended) > self._recent:
            self.unsynced.next.expired.add(self._ended.popleft())

    def _last_written(self, match: int) -> tuple[int, int]:
        """Return when the record of a match got its last line, as it ended, with its number; for sorting."""
        try:
            return self.folders.record(match).stat().st_mtime_ns, match
        except OSError:
            return 0, match


def find_record(data: Path, match: int) -> bytes | None:
    """Return the record of a match from any folder of a data directory; None if there is no readable record."""
    for place in ("records", "running", "records", "damaged"):  # it may move from running to records meanwhile
        path = data / place / f"{match}{SUFFIX}"
        with suppress(OSError):
            if path.is_file():  # nobody would write into a pipe
                return path.read_bytes()
    return None


def _match_numbers(place: Path) -> Iterator[int]:
    """Yield the numbers of matches that have a file in a folder."""
    names = (re.fullmatch(r"([1-9][0-9]{0,14})" + re.escape(SUFFIX), path.name) for path in place.iterdir())
    return (int(found[1]) for found in names if found)
