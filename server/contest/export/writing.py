"""Makes the export of a contest from a data directory. Only reads, but for the signing key, which is made once."""

import hashlib
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import msgspec

from server.contest.export.container import CONTEST, MANIFEST, PUBLIC_KEY, REPORT, SIGNATURE, BadExport, pack
from server.contest.export.contents import (
    FORMAT,
    Contents,
    Described,
    Manifest,
    published,
    record_name,
)
from server.contest.export.signing import public_pem, signing_key
from server.contest.formats.plan import Present, plan
from server.contest.scoring.annulments import effective_results
from server.contest.store import definition_text
from server.contest.store.store import FILE, Store
from server.storage.record_store import find_record


def export(data: Path, contest: int) -> bytes:
    """Return the export of a contest that is over, the same bytes each time.

    Raises `BadExport` where it is not over, KeyError where there is none, `BadStore` and OSError.
    """
    contents = _contents(data, contest)
    past = contents.past()
    games = effective_results(past.definition, past.results)
    report = contents.report(
        past.definition, games, plan(past.definition, games, Present(frozenset(), (), past.seconds))
    )
    files = {
        CONTEST: json_text(contents),
        REPORT: json_text(report),
    }
    for match in sorted(result.match for result in past.results if result.match is not None):
        record = find_record(data, match)
        if record is not None:  # one that is missing is named when the export is verified
            files[record_name(match)] = record
    return signed(data, past.definition.name, files)


def signed(data: Path, contest: str, files: Mapping[str, bytes]) -> bytes:
    """Return an archive of files with a manifest, signed by the key of a data directory."""
    key = signing_key(data)
    listed = {**files, PUBLIC_KEY: public_pem(key)}
    described = {name: Described(len(text), hashlib.sha256(text).hexdigest()) for name, text in listed.items()}
    manifest = json_text(Manifest(FORMAT, contest, described))
    return pack({MANIFEST: manifest, SIGNATURE: key.sign(manifest), **listed})


def _contents(data: Path, contest: int) -> Contents:
    with closing(Store(data / FILE, copy=True)) as store:
        row, definition = store.contest(contest), published(store.definition(contest))
        if row.closed is None:
            raise BadExport(f"{row.name} is not over yet; a contest is exported when all its games are played")
        return Contents(
            definition=definition_text.encode(definition),
            opened=row.opened,
            closed=row.closed,
            stages=store.stages(contest),
            pauses=tuple(store.pauses(contest)),
            interventions=definition.interventions,
            results=tuple(store.results(contest)),
            records=dict(sorted(store.records(contest).items())),
        )


def json_text(value: msgspec.Struct) -> bytes:
    """Return a file of an export."""
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"
