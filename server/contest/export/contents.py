"""The contents of an exported contest, as plain data, and making the export from a data directory.

An export is for everybody. It has no tokens, not even hashes, and neither the commands nor the folders of programs: it
only says whether the server started them. Verification does not ask where programs were started. The export only reads
the data directory, except for the signing key, which is made once.
"""

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec.structs import replace

from server.contest.definition import Definition, Entrant
from server.contest.export.container import (
    CONTEST,
    MANIFEST,
    MAX_FILES,
    PUBLIC_KEY,
    REPORT,
    SIGNATURE,
    BadExport,
    pack,
    public_pem,
)
from server.contest.fixtures import GameResult
from server.contest.interventions import Intervention
from server.contest.plan import Plan, Present, plan
from server.contest.report.contents import make_report
from server.contest.report.formatting import all_pauses
from server.contest.report.progress import Moment
from server.contest.report.structure import Pause, Report
from server.contest.scoring.annulments import effective_results
from server.contest.store.schema import definition_text, read_definition
from server.contest.store.store import FILE, Store
from server.contest.store.verification import Past
from server.storage.record_store import SUFFIX, find_record
from server.storage.signing_key import signing_key

FORMAT = 1
"""Number of the format; it changes when older programs could misread the file."""

LEFT_OUT = ("(left out)",)
"""Stands for the command of a program."""

LINKS = "records/"
"""Where records stand in an export, and what links to them begin with."""


class Described(msgspec.Struct, frozen=True):
    """A file of the export, in its manifest."""

    bytes: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True):
    """What the signature is of."""

    format: int
    contest: str
    files: dict[str, Described]


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """A contest as ``contest.json`` has it."""

    definition: str
    """By `server.contest.store.schema`."""
    opened: datetime
    closed: datetime
    stages: dict[int, datetime]
    """When each stage began."""
    pauses: tuple[Pause, ...]
    interventions: tuple[Intervention, ...]
    results: tuple[GameResult, ...]
    """All in order, without the effects of interventions."""
    records: dict[int, str]
    """SHA-256 of the record of each match when its result was kept; empty where that is not known."""

    def past(self) -> Past:
        """Return the contest, to be verified; raises `BadExport`."""
        try:
            definition = replace(read_definition(self.definition), interventions=self.interventions)
        except msgspec.DecodeError as error:
            raise BadExport(str(error)) from None
        _check_size(definition)
        seconds = {number: (self.closed - began).total_seconds() for number, began in self.stages.items()}
        return Past(definition, self.results, self.records, seconds, closed=True)

    def report(self, definition: Definition, games: Sequence[GameResult], plan: Plan) -> Report:
        """Return the report of the contest at its end, for games with the effects of interventions."""
        pauses = all_pauses(self.pauses, definition.interventions)
        moment = Moment(self.closed, self.opened, self.closed, self.stages, pauses=pauses, cores=1)
        return make_report(definition, games, plan, moment, LINKS)


def record_name(match: int | None) -> str:
    """Return the name of the file that has the record of a match."""
    return f"{LINKS}{match}{SUFFIX}"


def published(definition: Definition) -> Definition:
    """Return a definition without what is nobody else's business."""
    entrants = tuple(Entrant(one.name, () if one.connects else LEFT_OUT) for one in definition.entrants)
    changed = tuple(
        done._replace(command=LEFT_OUT if done.command else (), folder="") for done in definition.interventions
    )
    return replace(definition, entrants=entrants, interventions=changed, folder="", visible=())


def _check_size(definition: Definition) -> None:
    """Refuse a contest that has more games than fit into an export: pairing them might never end."""
    n, variants = len(definition.entrants), len(definition.variants)
    games = n * variants * definition.qualification.pairs * 2 if definition.qualification is not None else 0
    for stage in definition.stages:
        games += stage.format.most_meetings(n) * stage.pairs * variants * 2
    if games > 4 * MAX_FILES or min(n, variants) < 1 or not all(v.openings or v.drawn for v in definition.variants):
        raise BadExport(f"the contest would have up to {games} games; {MAX_FILES} fit into an export")


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
            definition=definition_text(definition),
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
