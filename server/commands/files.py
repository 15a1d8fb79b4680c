"""``arena-server backup``, ``restore`` and ``verify``: files that a server has made, saved, put back and verified."""

import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from engine.wire.words import number_of
from server.commands.options import DATA, FAILED, fail, faults_explained, show_verdict


def backup(folder: Path, *, data: Path = DATA) -> None:
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

    with faults_explained("cannot make the backup", BadBackup):
        files = back_up(data, folder, datetime.now(UTC), _matches, FILE)
    print(f"{folder}: {number_of(files, 'file')}")


def restore(folder: Path, *, data: Path = DATA) -> None:
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

    with faults_explained("cannot restore the backup", BadBackup):
        files = run(folder, data)
    print(f"{data}: {number_of(files, 'file')}; arena-server doctor --data {data} checks it")


def _matches(path: Path) -> set[int]:
    from server.contest.store.store import Store

    with closing(Store(path, copy=True)) as store:
        return store.known_matches()


def verify(file: Path, *, key: str = "") -> None:
    """Recompute an exported contest: records, clocks, results, tables and ratings.

    It says what is not true.

    Exit status 1 where something differs, 2 where the file is no export, or its signature is not true.

    Parameters
    ----------
    file
        The file, made by arena-server contest export.
    key
        The public key with which it has to be signed, as the organiser has published it.
    """
    from server.contest.export import MAX_BYTES, BadExport, verify_export
    from server.contest.report.formatting import printable

    with faults_explained("cannot verify the export", BadExport, status=2):
        with file.open("rb") as packed:
            data = packed.read(MAX_BYTES + 1)
        found = verify_export(data)
    if key and key != found.key:
        fail(f"{file} is signed with the key {found.key}, and not with {key}: somebody else has made it", FAILED)
    show_verdict(found.verdict)
    for version in found.entered:
        print(printable(version))
    by = f"signed with the key {found.key}"
    print(f"{by}{'' if key else '; --key compares it with the one that the organiser has published'}")
    print(f"{printable(found.contest)}: {found.verdict.sentence}")
    sys.exit(1 if found.verdict.differences else 0)
