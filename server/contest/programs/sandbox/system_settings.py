"""Shows a sandbox what programs need of /etc, in one mount: each mount of a sandbox costs it a third of a millisecond.

That is a copy, which is made anew when something has changed there. Where none can be made each file is shown by
itself.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

NAMES = (
    *("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ld-musl-x86_64.path", "localtime", "timezone"),
    *("hosts", "host.conf", "nsswitch.conf", "protocols", "services", "ssl/openssl.cnf", "ssl/certs", "fonts"),
    *("java", "java-*", "jvm*", "node*", "mono", "R", "ghc", "perl", "python*"),
)
"""Of /etc, what programs and libraries need, and everybody may read."""

ETC = Path("/etc")

_HELD: dict[Path, int] = {}
"""Copies that this process shows, each with a descriptor that holds a lock: nobody removes it as long as it runs."""


def shown(place: Path) -> tuple[str, ...]:
    """Return the words for bubblewrap that show them; the copy is made in this folder, made where it is missing."""
    found = sorted({path for name in NAMES for path in ETC.glob(name)})
    copy = place / f"etc-{_digest(found)}"
    if not _held(copy) and not (_made(found, copy) and _held(copy)):
        return _one_by_one(found)
    _remove_others(copy)
    return ("--ro-bind", str(copy), str(ETC))


def _digest(found: Iterable[Path]) -> str:
    """Return what tells these files and folders, as they are now, from others."""
    told = sha256()
    for path in found:
        for folder, folders, files in os.walk(path) if path.is_dir() else [(str(path.parent), [], [path.name])]:
            folders.sort()
            for name in sorted((*folders, *files)):
                one = Path(folder, name)
                with suppress(OSError):
                    told.update(
                        f"{one} {one.lstat().st_mtime_ns} {one.stat().st_mtime_ns} {one.stat().st_size}\n".encode()
                    )
    return told.hexdigest()[:16]


def _held(copy: Path) -> bool:
    """Keep others from removing a copy until this process ends; tell whether it is there."""
    if copy in _HELD and copy.is_dir():
        return True
    with suppress(OSError):
        held = os.open(copy, os.O_RDONLY)
        with suppress(OSError):  # where the file system has no locks, nobody removes anything
            fcntl.flock(held, fcntl.LOCK_SH)
        if copy.is_dir() and os.path.samestat(os.fstat(held), copy.stat()):
            _HELD[copy] = held
            return True
        os.close(held)
    return False


def _remove_others(copy: Path) -> None:
    """Remove copies of what /etc had before, as far as no process holds them."""
    for other in copy.parent.glob("etc-*"):
        if other == copy:
            continue
        with suppress(OSError):
            held = os.open(other, os.O_RDONLY)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(other, ignore_errors=True)
            finally:
                os.close(held)


def _made(found: Iterable[Path], copy: Path) -> bool:
    """Make the copy, whole or not at all; tell whether it is there."""
    try:
        copy.parent.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix="new-", dir=copy.parent))
    except OSError:
        return False
    try:
        for path in found:
            _copy(path, new / path.relative_to(ETC))
        new.rename(copy)
    except OSError:  # another process may have made it meanwhile
        shutil.rmtree(new, ignore_errors=True)
    return copy.is_dir()


def _one_by_one(found: Iterable[Path]) -> tuple[str, ...]:
    return tuple(word for path in found for word in ("--ro-bind", str(path), str(path)))


def _copy(path: Path, to: Path) -> None:
    """Copy a file or folder, but for what cannot be read, which no program could read either; raises OSError."""
    to.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        shutil.copytree(path, to, symlinks=True, copy_function=_copy_file)
    else:
        _copy_file(str(path), str(to))


def _copy_file(path: str, to: str) -> None:
    with suppress(PermissionError, FileNotFoundError):  # a link may lead nowhere
        shutil.copy(path, to)
