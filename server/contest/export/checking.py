"""Verifies an exported contest: signature, files, records, results, pairings, tables, ratings. Needs nothing else."""

import hashlib
from collections.abc import Mapping
from typing import NamedTuple, TypeVar

import msgspec

from engine.games.outcome import Termination
from engine.match.signature import THIS_SERVER, is_signed, public_key, shown, signer
from server.contest.export.container import (
    CONTEST,
    MANIFEST,
    PUBLIC_KEY,
    REPORT,
    SIGNATURE,
    BadExport,
    unpack,
)
from server.contest.export.contents import FORMAT, LINKS, Contents, Manifest, record_name
from server.contest.fixtures import GameResult
from server.contest.interventions import Kind
from server.contest.report.files import differences
from server.contest.report.structure import Report
from server.contest.store.verification import Checked, Evidence, Past, Verdict, check, recompute, unproven
from server.ops.typed_json import decode

Decoded = TypeVar("Decoded")


class CheckedExport(NamedTuple):
    """The result of verifying an export."""

    contest: str
    """The name of the contest."""
    key: str
    """The public key that has signed it."""
    verdict: Verdict
    entered: tuple[str, ...]
    """A sentence for each version of a bot that was entered: its number, and the SHA-256 of the file that was sent."""


class Opened(NamedTuple):
    """The files of an export whose signature is true."""

    files: Mapping[str, bytes]
    manifest: Manifest
    key: str
    """The public key that has signed it."""
    changed: list[str]
    """A sentence for each file that is not the one that was signed."""

    def record(self, match: int) -> tuple[str, str] | None:
        """Return the record of a match and its SHA-256; None where it is missing."""
        found = self.files.get(record_name(match))
        return None if found is None else (found.decode(errors="replace"), hashlib.sha256(found).hexdigest())

    def strays(self, matches: set[int | None]) -> list[str]:
        """Return the names of records that belong to none of some matches."""
        known = set(map(record_name, matches))
        return sorted(name for name in self.files if name.startswith(LINKS) and name not in known)


def open_export(data: bytes) -> Opened:
    """Open an export; raises `BadExport` where it is none, or its signature is not true."""
    files = unpack(data)
    for name in (MANIFEST, SIGNATURE, PUBLIC_KEY, CONTEST, REPORT):
        if name not in files:
            raise BadExport(f"it is no exported contest: {name} is missing")
    key = _check_signature(files)
    manifest = decoded(files, MANIFEST, Manifest)
    if manifest.format != FORMAT:
        raise BadExport(f"it has the format {manifest.format}, and this version of arena-server knows {FORMAT}")
    listed = {*manifest.files, MANIFEST, SIGNATURE}
    if listed != files.keys():
        raise BadExport(f"{min(listed ^ files.keys())} stands in the manifest or in the archive, and not in both")
    # of the others every byte is used by whoever verifies, and each difference found has its own sentence
    changed = [
        f"{name} is not the file that was signed: its SHA-256 differs"
        for name, described in manifest.files.items()
        if hashlib.sha256(files[name]).hexdigest() != described.sha256
    ]
    return Opened(files, manifest, key, changed)


def decoded(files: Mapping[str, bytes], name: str, kind: type[Decoded]) -> Decoded:
    """Return what a file says; raises `BadExport` where it cannot be read."""
    try:
        return decode(files[name], type=kind)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise BadExport(f"{name} cannot be read: {error}") from None


def _check_signature(files: Mapping[str, bytes]) -> str:
    try:
        raw = public_key(files[PUBLIC_KEY])
    except ValueError as error:
        raise BadExport(f"{PUBLIC_KEY} is no public key of Ed25519: {error}") from None
    key = shown(raw)
    if not is_signed(raw, files[MANIFEST], files[SIGNATURE]):
        raise BadExport(f"the signature is not true: {MANIFEST} is not what the key {key} has signed")
    return key


def verify_export(data: bytes) -> CheckedExport:
    """Verify an exported contest; raises `BadExport` where it is none or its signature is not true.

    Takes about ten milliseconds a game.
    """
    return verify_contest(open_export(data))


def verify_contest(opened: Opened) -> CheckedExport:
    """Verify a contest whose export was opened; as `verify_export`."""
    contents = decoded(opened.files, CONTEST, Contents)
    past = contents.past()
    try:
        entered = tuple(done.sentence for done in contents.interventions if done.kind is Kind.VERSION)
        verdict = _verdict(opened, contents, past)
        return CheckedExport(opened.manifest.contest, opened.key, verdict, entered)
    except (IndexError, AssertionError, KeyError, OverflowError, ValueError) as error:
        raise BadExport(f"{CONTEST} contradicts itself, so that nothing can be recomputed: {error!r}") from None


def _verdict(opened: Opened, contents: Contents, past: Past) -> Verdict:
    found = list(opened.changed)
    checked: dict[int | None, Checked] = {}
    for result in past.played:
        checked[result.match] = check(
            past.definition, _evidence(opened, result, contents.records.get(result.match or 0, ""))
        )
    raw = public_key(opened.files[PUBLIC_KEY])
    found += [
        f"match {result.match}: the record is not signed by the key of the export"
        for result in past.played
        if (record := opened.files.get(record_name(result.match or 0))) is not None
        and signer(raw, record) != THIS_SERVER
    ]
    standing, shown, stands, wrong = recompute(past, checked)
    found += wrong
    found += [f"{name} is of no game of the contest" for name in opened.strays({one.match for one in past.played})]
    its = decoded(opened.files, REPORT, Report)
    mine = contents.report(past.definition, shown, stands)
    found += differences(msgspec.to_builtins(mine), msgspec.to_builtins(its))
    alone = unproven(past.results)
    adjudicated = [
        f"match {result.match}, {' against '.join(result.fixture.players)}: {result.detail}; the record has no proof"
        for result in past.played
        if result.termination == Termination.ADJUDICATED
    ]
    return Verdict(standing, len(alone), tuple(found), (*alone, *adjudicated))


def _evidence(opened: Opened, result: GameResult, kept: str) -> Evidence:
    assert result.match is not None
    record = opened.record(result.match)
    return Evidence(result, None) if record is None else Evidence(result, *record, kept)
