"""The lock of a data directory: one server uses it at a time."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

LOCK = "lock"
"""File that a server keeps locked while it uses a data directory; the lock ends with its process."""

LOCK_SECONDS = 0.5
"""Longest wait for the lock: commands that look whether a server runs hold it for a moment."""

LOOK_SECONDS = 0.02
"""Pause between two looks at it."""


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
