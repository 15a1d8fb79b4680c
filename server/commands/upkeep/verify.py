"""``arena-server verify``: says whether an exported contest is true, on any machine and without a server."""

import sys
from pathlib import Path

from engine.commands.usage_errors import explain_fault
from server.commands import exits
from server.commands.options import fail


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
    from server.contest.export.checking import open_export, verify_contest
    from server.contest.export.container import MAX_BYTES, BadExport
    from server.contest.report.formatting import printable

    try:
        with file.open("rb") as packed:
            data = packed.read(MAX_BYTES + 1)
        found = verify_contest(open_export(data))
    except OSError as error:
        fail(explain_fault(error), 2)
    except BadExport as error:
        fail(f"{file}: {printable(str(error))}", 2)
    if key and key != found.key:
        fail(f"{file} is signed with the key {found.key}, and not with {key}: somebody else has made it", exits.FAILED)
    for difference in found.verdict.differences:
        print(printable(difference))
    for game in found.verdict.unproven:
        print(f"not to be verified: {printable(game)}")
    for version in found.entered:
        print(printable(version))
    by = f"signed with the key {found.key}"
    print(f"{by}{'' if key else '; --key compares it with the one that the organiser has published'}")
    print(f"{printable(found.contest)}: {found.verdict.sentence}")
    sys.exit(1 if found.verdict.differences else 0)
