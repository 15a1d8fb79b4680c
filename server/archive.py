"""The records on disk: one file a match, written while it is played.

``running/17.txt`` grows by a line at a time; when the match is over it moves to ``records/17.txt``. Beside it,
``keys/17.txt`` has the hashes of the tokens with which its players come back, also when the server has died and
started again (`server.restart`). What cannot be read then goes to ``damaged/17.txt``.
"""

import fcntl
import hmac
import os
import re
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from heapq import nlargest
from pathlib import Path
from typing import NamedTuple

from server.settings import RECENT_MATCHES
from server.tokens import HASH, hashed

SUFFIX = ".txt"

UNFINISHED = ".new"
"""Suffix of files that get their name when they are complete."""

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL

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


class Journal:
    """The record of a running match, open for appending."""

    def __init__(self, archive: "Archive", match: int, file: int, length: int) -> None:
        """Take a file that is open for appending, and holds so many bytes."""
        self._archive, self._match = archive, match
        self._file, self._length = file, length

    def write(self, text: str) -> None:
        """Append text: when this returns, the operating system has it. Raises OSError, and then nothing is appended."""
        data = text.encode()
        try:
            _write(self._file, data)
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._file, self._length)  # half a line would spoil what comes behind it
            raise
        self._length += len(data)

    def finish(self) -> None:
        """Close the record and move it to the finished ones; its players may still come back for the result."""
        self.close()
        self._archive.finish(self._match)

    def abandon(self) -> None:
        """Close the record of a match that has ended otherwise than it says; nobody comes back to it. Never raises."""
        with suppress(OSError):
            self.close()
        self._archive.forget(self._match)

    def discard(self) -> None:
        """Close and remove the record of a match of which nobody was told. Never raises."""
        self.abandon()
        with suppress(OSError):
            self._archive.running(self._match).unlink()

    def close(self) -> None:
        """Close the file and leave it where it is. Raises OSError, and then it is closed all the same."""
        file, self._file = self._file, -1
        if file >= 0:
            os.close(file)


class Archive:
    """All records of a data directory."""

    def __init__(self, folder: Path, recent: int = RECENT_MATCHES) -> None:
        """Make the folders that are missing; raises OSError where that is not possible, or one cannot be written to.

        The keys of so many matches that have ended are kept.
        """
        self._running, self._records, self._damaged, self._keys = (
            folder / name for name in ("running", "records", "damaged", "keys")
        )
        places = (self._running, self._records, self._damaged, self._keys)
        for place in places:
            place.mkdir(mode=0o700 if place is self._keys else 0o777, parents=True, exist_ok=True)
            if not os.access(place, os.R_OK | os.W_OK | os.X_OK):
                raise PermissionError(f"{place} has to be a directory in which this program may read and write")
        self._last = max((number for place in places for number in _numbers(place)), default=0)
        self._ended = deque(sorted(set(_numbers(self._keys)) - set(_numbers(self._running))))
        self._recent = recent
        self._late: list[int] = []  # finished, but not moved to the records yet
        for path in self._running.glob(f"*{UNFINISHED}"):
            path.unlink()  # the server died while it wrote them: nobody was told

    def next_number(self) -> int:
        """Return a number that no match had yet."""
        self._last += 1
        return self._last

    def skip(self, match: int) -> None:
        """Give the numbers up to this one to no match any more."""
        self._last = max(self._last, match)

    def begin(self, match: int, keys: Keys, head: str) -> Journal:
        """Begin the record of a match with its head; raises OSError, and then there is none."""
        self._keep(match, keys)
        new, journal = self._new(match), None
        try:
            journal = Journal(self, match, os.open(new, _NEW | os.O_APPEND, 0o644), 0)
            journal.write(head)
            new.rename(self.running(match))  # whenever the server dies, a journal has a whole head
        except OSError:
            if journal is not None:
                journal.abandon()
            self.forget(match)
            with suppress(OSError):
                new.unlink()
            raise
        return journal

    def _keep(self, match: int, keys: Keys) -> None:
        file = os.open(self._key(match), _NEW, 0o600)
        try:
            _write(file, "".join(f"{key}\n" for key in keys).encode())
        except OSError:
            self.forget(match)
            raise
        finally:
            os.close(file)

    def go_on(self, match: int, length: int) -> Journal:
        """Open the journal of a match again; what stands there beyond so many bytes is cut off. Raises OSError."""
        file = os.open(self.running(match), os.O_WRONLY | os.O_APPEND)
        try:
            os.ftruncate(file, length)
        except OSError:
            os.close(file)
            raise
        return Journal(self, match, file, length)

    def leftovers(self) -> list[int]:
        """Return the matches that were running when the last server died, in order."""
        return sorted(_numbers(self._running))

    def journal(self, match: int) -> bytes:
        """Return what the journal of a match holds. Raises OSError."""
        return self.running(match).read_bytes()

    def keys(self, match: int) -> Keys | None:
        """Return the keys of a match, None where they are not kept any more or cannot be read."""
        try:
            words = self._key(match).read_text(encoding="ascii").split()
        except (OSError, UnicodeDecodeError):
            return None
        return Keys(*words) if len(words) == 2 and all(re.fullmatch(HASH, word) for word in words) else None

    def finish(self, match: int) -> None:
        """Move a journal to the records, and those that could not be moved before. Raises OSError for this one."""
        late, self._late = self._late, []
        try:
            self.running(match).rename(self._record(match))
        except OSError:
            self._late = [*late, match]
            raise
        self._has_ended(match)
        for before in late:
            with suppress(OSError):
                self.finish(before)

    def set_aside(self, match: int, instead: str) -> Path:
        """Move a journal that cannot be trusted to the damaged ones, and return where it is. Raises OSError.

        ``instead`` becomes the record of the match, unless it is empty, or there is one already.
        """
        if instead and not self._record(match).exists():
            new = self._new(match)
            new.write_text(instead, encoding="utf-8")
            new.rename(self._record(match))
        aside = self._damaged / f"{match}{SUFFIX}"
        self.running(match).rename(aside)
        self._has_ended(match)
        return aside

    def take_in(self, match: int, text: str) -> None:
        """Keep the record of a match that was played elsewhere. Raises OSError, and then there is none."""
        new = self._new(match)
        new.write_text(text, encoding="utf-8")
        new.rename(self._record(match))

    def read(self, match: int) -> str | None:
        """Return the record of a finished match, None where there is none. Raises OSError where it cannot be read."""
        path = self.place(match)
        try:
            return path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except UnicodeDecodeError as error:
            raise OSError(f"{path} is no UTF-8: {error}") from None

    def forget(self, match: int) -> None:
        """Let nobody come back to a match any more."""
        with suppress(OSError):
            self._key(match).unlink()

    def place(self, match: int) -> Path:
        """Return where the record of a finished match is, if there is one."""
        return self.running(match) if match in self._late else self._record(match)

    def running(self, match: int) -> Path:
        """Return where the journal of a running match is."""
        return self._running / f"{match}{SUFFIX}"

    def _new(self, match: int) -> Path:
        return self._running / f"{match}{UNFINISHED}"

    def _record(self, match: int) -> Path:
        return self._records / f"{match}{SUFFIX}"

    def _key(self, match: int) -> Path:
        return self._keys / f"{match}{SUFFIX}"

    def _has_ended(self, match: int) -> None:
        self._ended.append(match)
        while len(self._ended) > self._recent:
            self.forget(self._ended.popleft())

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


def _write(file: int, data: bytes) -> None:
    """Write all of it; raises OSError."""
    done = 0
    while done < len(data):
        done += os.write(file, data[done:])


def _numbers(place: Path) -> Iterator[int]:
    """Name the matches of which there is a file."""
    for path in place.iterdir():
        found = re.fullmatch(r"([1-9][0-9]{0,14})" + re.escape(SUFFIX), path.name)
        if found:
            yield int(found.group(1))
