"""``arena-server backup`` and ``arena-server restore``: a data directory, saved while the server runs, and back."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from engine.commands.usage_errors import explain_fault
from engine.wire.words import number_of
from server.commands import exits
from server.commands.options import fail
from server.storage.database import BadStore

if TYPE_CHECKING:
    from server.storage.backup import Saved


def backup(folder: Path, *, data: Path = Path("arena-data")) -> None:
    """Save a data directory, also while a server uses it: contests, accounts, records, and matches that are running.

    Parameters
    ----------
    folder
        The backup, a folder that is not there yet. It has secrets, as the data directory has.
    data
        The data directory.
    """
    from server.contest.store.store import FILE
    from server.storage.backup import BadBackup, back_up

    try:
        saved = back_up(data, folder, datetime.now(UTC), _matches, FILE)
    except (BadBackup, BadStore, OSError) as error:
        fail(f"cannot make the backup: {explain_fault(error)}", exits.FAILED)
    print(f"{folder}: {_size(saved)}")


def restore(folder: Path, *, data: Path = Path("arena-data")) -> None:
    """Make a data directory from a backup; the server that is started on it goes on as after a crash at that moment.

    Parameters
    ----------
    folder
        The backup, which stays as it is.
    data
        The data directory, which is not there yet or is empty.
    """
    from server.storage.backup import BadBackup
    from server.storage.backup import restore as run

    try:
        saved = run(folder, data)
    except (BadBackup, BadStore, OSError) as error:
        fail(f"cannot restore the backup: {explain_fault(error)}", exits.FAILED)
    print(f"{data}: {_size(saved)}; arena-server doctor --data {data} checks it")


def _size(saved: "Saved") -> str:
    return f"{number_of(saved.files, 'file')}, {saved.bytes / 1e6:.1f} MB"


def _matches(path: Path) -> set[int]:
    from server.contest.store.store import Store

    with closing(Store(path, copy=True)) as store:
        return store.known_matches()
