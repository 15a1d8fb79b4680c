"""An exported contest: one signed file, made from a data directory and verified without it.

The file is a zip archive with a signature: Ed25519 (RFC 8032), with a key that each data directory makes once. The
signature is of a manifest, which has the SHA-256 of each other file. The same files give the same bytes. No bytes do
harm when they are read: nothing is ever unpacked to the disk. Sizes are bounded as files are unpacked, and not by the
sizes that the archive names. A key is shown as its 32 bytes in base64. In files it is PEM, as OpenSSL reads it.

An export is for everybody. It has no tokens, not even hashes, and neither the commands nor the folders of programs: it
only says whether the server started them. The export only reads the data directory, except for the signing key.
"""

import hashlib
import io
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from msgspec.structs import replace

from engine.games.interface import Termination
from engine.match.signature import THIS_SERVER, is_signed, public_key, shown, signer
from server.config.keys import signing_key
from server.contest.definition import Definition, Entrant, definition_text, read_definition
from server.contest.fixtures import GameResult, Intervention, Kind, Schedule
from server.contest.formats.format import Batch
from server.contest.plan import Plan, Present, plan
from server.contest.report.contents import make_report
from server.contest.report.files import differences
from server.contest.report.formatting import all_pauses
from server.contest.report.progress import Moment
from server.contest.report.structure import Pause, Report, Verdict
from server.contest.scoring import effective_results
from server.contest.store.store import FILE, Store
from server.contest.verification import KeptContest, check, recompute
from server.ops.typed_json import decode
from server.storage.disk import SUFFIX
from server.storage.record_store import find_record

Decoded = TypeVar("Decoded")

FORMAT = 1
"""Number of the format; it changes when older programs could misread the file."""


def public_pem(key: Ed25519PrivateKey) -> bytes:
    """Return the public half of a key, as a file."""
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


MANIFEST, SIGNATURE, PUBLIC_KEY = "manifest.json", "manifest.sig", "public.pem"
CONTEST, REPORT = "contest.json", "report.json"

NAMES = re.compile(r"(manifest|contest|report)\.json|manifest\.sig|public\.pem|records/[1-9][0-9]{0,14}\.txt")
"""Files that may stand in it."""

MAX_FILES = 60_000
"""Without the 64-bit extension a zip archive has at most 65,535."""

MAX_BYTES = 256 * 2**20
"""Largest size of an export."""

MAX_UNPACKED = 2**30
"""Largest size of all its unpacked files together."""

DATE = (1980, 1, 1, 0, 0, 0)
"""The first that zip knows: the same contest gives the same bytes at any time."""

_END = struct.Struct("<4s8xL4xH")
"""Mark, bytes of the list of files, bytes of the comment: end of central directory record (APPNOTE.TXT, 4.3.16)."""


class BadExport(Exception):
    """A file is no exported contest, or must not be opened; ``str(error)`` is one sentence."""


class Described(msgspec.Struct, frozen=True):
    """A file of the export, in its manifest."""

    bytes: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True):
    """The text that is signed."""

    format: int
    contest: str
    files: dict[str, Described]


class Opened(NamedTuple):
    """The files of an export whose signature is true."""

    files: Mapping[str, bytes]
    contest: str
    """The name of the contest."""
    key: bytes
    """The public key that has signed it."""
    changed: tuple[str, ...]
    """A sentence for each file that is not the one that was signed."""


def signed(data: Path, contest: str, files: Mapping[str, bytes]) -> bytes:
    """Return an archive of files with a manifest, signed by the key of a data directory."""
    key = signing_key(data)
    files = {**files, PUBLIC_KEY: public_pem(key)}
    described = {name: Described(len(text), hashlib.sha256(text).hexdigest()) for name, text in files.items()}
    manifest = json_text(Manifest(FORMAT, contest, described))
    return pack({MANIFEST: manifest, SIGNATURE: key.sign(manifest), **files})


def json_text(value: msgspec.Struct) -> bytes:
    """Return a file of an export."""
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"


def open_export(data: bytes) -> Opened:
    """Open an export; raises `BadExport` where it is none, or its signature is not true."""
    files = unpack(data)
    if missing := [name for name in (MANIFEST, SIGNATURE, PUBLIC_KEY, CONTEST, REPORT) if name not in files]:
        raise BadExport(f"it is no exported contest: {missing[0]} is missing")
    try:
        key = public_key(files[PUBLIC_KEY])
    except ValueError as error:
        raise BadExport(f"{PUBLIC_KEY} is no public key of Ed25519: {error}") from None
    if not is_signed(key, files[MANIFEST], files[SIGNATURE]):
        raise BadExport(f"the signature is not true: {MANIFEST} is not what the key {shown(key)} has signed")
    manifest = decoded(files, MANIFEST, Manifest)
    if manifest.format != FORMAT:
        raise BadExport(f"it has the format {manifest.format}, and this version of arena-server knows {FORMAT}")
    if unlisted := {*manifest.files, MANIFEST, SIGNATURE} ^ files.keys():
        raise BadExport(f"{min(unlisted)} stands in the manifest or in the archive, and not in both")
    # of the others every byte is used by whoever verifies, and each difference found has its own sentence
    changed = tuple(
        f"{name} is not the file that was signed: its SHA-256 differs"
        for name, one in manifest.files.items()
        if hashlib.sha256(files[name]).hexdigest() != one.sha256
    )
    return Opened(files, manifest.contest, key, changed)


def decoded(files: Mapping[str, bytes], name: str, kind: type[Decoded]) -> Decoded:
    """Return the content of a file; raises `BadExport` where it cannot be read."""
    try:
        return decode(files[name], type=kind)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise BadExport(f"{name} cannot be read: {error}") from None


def pack(files: Mapping[str, bytes]) -> bytes:
    """Return the archive of some files, in their order; raises `BadExport` if there are too many."""
    if len(files) > MAX_FILES:
        raise BadExport(f"there are {len(files)} files, and at most {MAX_FILES} fit into one archive")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, DATE)
            entry.create_system, entry.external_attr = 3, 0o100644 << 16  # as on Unix, wherever it is made
            packed.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)
    if out.tell() > MAX_BYTES:
        raise BadExport(f"the archive would take {out.tell()} bytes, and at most {MAX_BYTES} can be read again")
    return out.getvalue()


def unpack(data: bytes) -> dict[str, bytes]:
    """Return the files of an archive; raises `BadExport` where it is none, or has what an export never has."""
    _check_end(data)
    files: dict[str, bytes] = {}
    left = MAX_UNPACKED
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            for entry in packed.infolist():
                name = entry.filename
                usual = entry.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) and not entry.flag_bits & 1
                if not usual or name in files or entry.orig_filename != name or not NAMES.fullmatch(name):
                    raise BadExport(f"it has a file {name!r}, and no export has such a one, or has it twice")
                with packed.open(entry) as file:
                    files[name] = file.read(left + 1)
                if (left := left - len(files[name])) < 0:
                    raise BadExport(f"unpacked it takes more than {MAX_UNPACKED} bytes")
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, struct.error) as e:
        raise BadExport(f"the archive is damaged: {e}") from None
    return files


def _check_end(data: bytes) -> None:
    """Check that the archive ends as an export does, which bounds the list of its files before that is read."""
    if len(data) > MAX_BYTES:
        raise BadExport(f"it has more than {MAX_BYTES} bytes")
    mark, list_bytes, comment_bytes = _END.unpack(data[-_END.size :].rjust(_END.size, b"\0"))
    is_large = data[-_END.size - 20 :].startswith(b"PK\x06\x07") or list_bytes > MAX_FILES * 100
    if not data.startswith(b"PK\x03\x04") or mark != b"PK\x05\x06" or comment_bytes or is_large:
        raise BadExport("it is no zip archive as exports are: its end is missing, or something was added to it")


LEFT_OUT = ("(left out)",)
"""Stands for the command of a program."""

LINKS = "records/"
"""Where records stand in an export, and what links to them begin with."""


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """A contest as ``contest.json`` has it."""

    definition: str
    """By `server.contest.definition.definition_text`."""
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

    def past(self) -> KeptContest:
        """Return the contest, to be verified; raises `BadExport`."""
        try:
            definition = replace(read_definition(self.definition), interventions=self.interventions)
        except msgspec.DecodeError as error:
            raise BadExport(str(error)) from None
        _check_size(definition)
        seconds = {number: (self.closed - began).total_seconds() for number, began in self.stages.items()}
        return KeptContest(definition, self.results, self.records, seconds, closed=True)

    def report(self, definition: Definition, games: Sequence[GameResult], plan: Plan) -> Report:
        """Return the report of the contest at its end, for games with the effects of interventions."""
        pauses = all_pauses(self.pauses, definition.interventions)
        moment = Moment(self.closed, self.opened, self.closed, self.stages, pauses=pauses, cores=1)
        return make_report(definition, games, plan, moment, LINKS)


def record_name(match: int | None) -> str:
    """Return the name of the file that has the record of a match."""
    return f"{LINKS}{match}{SUFFIX}"


def published(definition: Definition) -> Definition:
    """Return a definition without private data: commands and folders of programs."""
    entrants = tuple(Entrant(one.name, () if one.connects else LEFT_OUT) for one in definition.entrants)
    changed = tuple(
        done._replace(command=LEFT_OUT if done.command else (), folder="") for done in definition.interventions
    )
    return replace(definition, entrants=entrants, interventions=changed, folder="", visible=())


def _check_size(definition: Definition) -> None:
    """Refuse a contest that has more games than fit into an export: pairing them might never end."""
    n, variants, rules = len(definition.entrants), len(definition.variants), definition.qualification
    games = 0 if rules is None else 2 * n * variants * rules.pairs
    for stage in definition.stages:
        if not stage.format.is_open:  # the games of others follow from their results
            batches = stage.format.batches(n, n, 2 * variants * stage.pairs, Schedule(()), Batch(0, 0))
            games += sum(batch.games for batch in batches)
    is_drawn = not all(variant.openings and variant.drawn is None for variant in definition.variants)
    if games > 4 * MAX_FILES or min(n, variants) < 1 or is_drawn:
        raise BadExport(f"the contest would have up to {games} games; {MAX_FILES} fit into an export")


def export(data: Path, contest: int) -> bytes:
    """Return the export of a contest that is over, the same bytes each time.

    Raises `BadExport` where it is not over, KeyError where there is none, `BadStore` and OSError.
    """
    contents = _contents(data, contest)
    past = contents.past()
    games = effective_results(past.definition, past.results)
    found = plan(past.definition, games, Present(frozenset(), (), past.seconds))
    files = {CONTEST: json_text(contents), REPORT: json_text(contents.report(past.definition, games, found))}
    for match in sorted(result.match for result in past.results if result.match is not None):
        if (record := find_record(data, match)) is not None:  # one that is missing is named when the export is verified
            files[record_name(match)] = record
    return signed(data, past.definition.name, files)


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


class VerifiedExport(NamedTuple):
    """The result of verifying an export."""

    contest: str
    """The name of the contest."""
    key: str
    """The public key that has signed it."""
    verdict: Verdict
    entered: tuple[str, ...]
    """A sentence for each version of a bot that was entered: its number, and the SHA-256 of the file that was sent."""


def verify_export(data: bytes) -> VerifiedExport:
    """Verify an exported contest: signature, files, records, results, pairings, tables, ratings.

    Raises `BadExport` where it is none or its signature is not true. Takes about ten milliseconds a game.
    """
    opened = open_export(data)
    contents = decoded(opened.files, CONTEST, Contents)
    past = contents.past()
    try:
        verdict = _verdict(opened, contents, past)
    except (IndexError, AssertionError, KeyError, OverflowError, ValueError) as error:
        raise BadExport(f"{CONTEST} contradicts itself, so that nothing can be recomputed: {error!r}") from None
    entered = tuple(done.describe() for done in contents.interventions if done.kind is Kind.VERSION)
    return VerifiedExport(opened.contest, shown(opened.key), verdict, entered)


def _verdict(opened: Opened, contents: Contents, past: KeptContest) -> Verdict:
    """Verify the records and the report of an export."""
    records = {result.match: opened.files.get(record_name(result.match)) for result in past.played}
    unsigned = [match for match, text in records.items() if text and signer(opened.key, text) != THIS_SERVER]
    found = recompute(
        past, [check(past.definition, result, records[result.match], past.digest(result)) for result in past.played]
    )
    strays = {name for name in opened.files if name.startswith(LINKS)}.difference(map(record_name, records))
    made = msgspec.to_builtins(contents.report(past.definition, found.games, found.plan))
    written = decoded(opened.files, REPORT, dict[str, Any])  # the program that wrote it may know fewer fields
    adjudicated = [
        f"match {result.match}, {' against '.join(result.fixture.players)}: {result.detail}; the record has no proof"
        for result in past.played
        if result.termination == Termination.ADJUDICATED
    ]
    return found.verdict._replace(
        differences=(
            *opened.changed,
            *(f"match {match}: the record is not signed by the key of the export" for match in unsigned),
            *found.verdict.differences,
            *(f"{name} is of no game of the contest" for name in sorted(strays)),
            *differences({name: value for name, value in made.items() if name in written}, written),
        ),
        unproven=(*found.verdict.unproven, *adjudicated),
    )
