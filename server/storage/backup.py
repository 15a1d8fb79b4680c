"""Backups of a data directory, also while a server uses it, and data directories from backups.

A backup has the state that a kill of the server would have left when its databases were copied. A server starts from it
as after a kill. Databases are copied first (SQLite's backup API), then journals, then the rest. Nothing is missed: a
record is on the disk before its result is in a database, and journals move from ``running/`` to ``records/``. Games of
contests that began after the copy of the database are left out, since it does not know them.
"""

import json
import os
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path

from engine.wire.words import number_of
from server.storage.database import check_whole, copy_database, guarded
from server.storage.disk import LOCK, SUFFIX
from server.storage.record_store import NUMBERS, UNFINISHED

COMPLETE = "backup.json"
"""Is written last: a folder without it is no whole backup."""

DATABASES = "*.sqlite3"

GROWING = "running"
"""The folder of files that are written to; others are replaced as a whole, and can be linked."""

MATCH_FOLDERS = (GROWING, "records", "keys", "damaged")

Begun = Callable[[Path], set[int]]
"""Returns the matches that a database of contests knows; given its path."""


class BadBackup(Exception):
    """A backup cannot be made, or is none; ``str(error)`` is one sentence."""


def back_up(data: Path, to: Path, now: datetime, begun: Begun, contests: str) -> int:
    """Make a backup of a data directory, as a new folder; return the number of files.

    Raises `BadBackup`, `BadStore` and OSError.

    Records are links to the same files where the file system can do that, and copies elsewhere. ``contests`` is the
    name of the database of contests. Nothing is left of a backup that fails.
    """
    if to.exists():
        raise BadBackup(f"{to} exists already; name a new folder, for example with the date in its name")
    if not data.is_dir():
        raise BadBackup(f"there is no data directory {data}; name it with --data")
    if to.absolute().is_relative_to(data.absolute()):
        raise BadBackup(f"{to} lies within the data directory {data}; a backup belongs elsewhere")
    with _new_folder(to) as unfinished:
        _fill(data, unfinished, begun, contests)
        files = len(_files(unfinished))
        head = json.dumps({"made": now.isoformat(), "files": files})
        (unfinished / COMPLETE).write_text(f"{head}\n", encoding="ascii")
    return files


def restore(backup: Path, data: Path) -> int:
    """Make a data directory from a backup; return the number of files.

    Nothing is written to the backup. Raises `BadBackup`, `BadStore` and OSError.
    """
    try:
        files = int(json.loads((backup / COMPLETE).read_bytes())["files"])
    except (OSError, ValueError, LookupError, TypeError):
        raise BadBackup(f"{backup} is no whole backup: there is no {COMPLETE} in it that can be read") from None
    if data.exists() and any(data.iterdir()):
        raise BadBackup(f"{data} is not empty; move it away, or restore to another folder with --data")
    if (there := len(_files(backup)) - 1) != files:
        raise BadBackup(f"{backup} had {number_of(files, 'file')}, and has {there}; take another backup")
    for path in backup.glob(DATABASES):
        with guarded(path), closing(sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True)) as database:
            check_whole(database, path)
    with _new_folder(data.absolute()) as unfinished:
        shutil.copytree(backup, unfinished, symlinks=True, dirs_exist_ok=True)
        (unfinished / COMPLETE).unlink()
    return files


@contextmanager
def _new_folder(to: Path) -> Iterator[Path]:
    """Give a folder to fill, which takes its name, perhaps of an empty folder, when it is on the disk; else it goes."""
    unfinished = to.with_name(f"{to.name}{UNFINISHED}")
    unfinished.mkdir(0o700, parents=True)
    try:
        yield unfinished
        os.sync()  # thousands of small files at once
        unfinished.rename(to)
    except BaseException:
        shutil.rmtree(unfinished)
        raise


def _fill(data: Path, to: Path, begun: Begun, contests: str) -> None:
    for path in sorted(data.glob(DATABASES)):
        with closing(sqlite3.connect(to / path.name)) as copy:
            copy_database(path, copy)
        shutil.copymode(path, to / path.name)
    folders = sorted((path for path in data.iterdir() if path.is_dir()), key=lambda path: path.name != GROWING)
    for folder in folders:
        (to / folder.name).mkdir()
        shutil.copymode(folder, to / folder.name)
        for path in _contents(folder):
            if path.is_symlink() or not path.name.endswith(UNFINISHED):
                _copy(path, to / path.relative_to(data), linked=folder.name == "records")
    for path in data.iterdir():
        if path.is_file() and path.name not in (LOCK, NUMBERS) and ".sqlite3" not in path.name:
            _copy(path, to / path.name, linked=False)
    _skip_numbers(data / NUMBERS, to / NUMBERS)
    for match in begun(data / contests) - begun(to / contests) if (to / contests).exists() else ():
        for folder_name in MATCH_FOLDERS:
            (to / folder_name / f"{match}{SUFFIX}").unlink(missing_ok=True)
    for path in (to / "records").glob(f"*{SUFFIX}"):
        (to / GROWING / path.name).unlink(missing_ok=True)  # it ended meanwhile


def _copy(path: Path, to: Path, *, linked: bool) -> None:
    to.parent.mkdir(0o700, parents=True, exist_ok=True)
    with suppress(FileNotFoundError):  # it has moved, as a journal to the records, or its time is over
        if path.is_symlink():  # what it leads to may lie anywhere, and is not looked at
            to.symlink_to(path.readlink())
            return
        if linked:
            with suppress(OSError):  # another file system, or one without links
                os.link(path, to)
                return
        shutil.copy2(path, to)


def _skip_numbers(path: Path, to: Path) -> None:
    """Copy the highest reserved number, and not the boot: the next server begins behind it (`MatchNumbers`)."""
    with suppress(FileNotFoundError):
        found = re.match("[0-9]{1,15}", path.read_text(encoding="ascii"))
        to.write_text(f"{found.group() if found else 0} \n", encoding="ascii")


def _contents(folder: Path) -> Iterator[Path]:
    """Yield the files, and the symbolic links, which a build of a bot may have made: to files, folders, or nothing."""
    for place, folders, names in os.walk(folder):
        paths = (Path(place) / name for name in (*folders, *names))
        yield from (path for path in paths if path.is_symlink() or path.is_file())


def _files(folder: Path) -> list[Path]:
    return [path for path in _contents(folder) if not path.is_symlink()]
