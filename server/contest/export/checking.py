"""Verifies an exported contest: signature, files, records, results, pairings, tables, ratings. Needs nothing else."""

import hashlib
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeVar

import msgspec

from engine.games.outcome import Termination
from server.contest.export import signing
from server.contest.export.container import CONTEST, MANIFEST, PUBLIC_KEY, REPORT, SIGNATURE, BadExport, unpack
from server.contest.export.contents import FORMAT, LINKS, Contents, Manifest, differences
from server.contest.export.proving import prove_adjudication
from server.contest.fixtures import Finished
from server.contest.interventions import Kind
from server.contest.report.structure import Report
from server.contest.store.verification import Checked, Evidence, Past, Verdict, check, recompute, unproven
from server.storage.record_store import SUFFIX

Decoded = TypeVar("Decoded")

Told = Callable[[int, int], None]
"""Is told how many games have been checked, of how many."""


class CheckedExport(NamedTuple):
    """The result of verifying an export."""

    contest: str
    key: str
    """The public key that has signed it."""
    verdict: Verdict
    entered: tuple[str, ...]
    """A sentence for each version of a bot that was entered: its number, and the SHA-256 of the file that was sent."""


def verify_export(data: bytes, told: Told = lambda done, count: None, prove_seconds: float = 0.0) -> CheckedExport:
    """Verify an exported contest; raises `BadExport` where it is none or its signature is not true.

    Takes about ten milliseconds a game. ``prove_seconds``: how long an adjudicated game is
    solved anew at most; 0: not at all.
    """
    files = unpack(data)
    key = _check_signature(files)
    manifest = _decoded(files, MANIFEST, Manifest)
    if manifest.format != FORMAT:
        raise BadExport(f"it has the format {manifest.format}, and this version of arena-server knows {FORMAT}")
    listed = {*manifest.files, MANIFEST, SIGNATURE}
    if listed != files.keys():
        raise BadExport(f"{min(listed ^ files.keys())} stands in the manifest or in the archive, and not in both")
    # of the others every byte is used below, and each difference found has its own sentence
    found = [
        f"{name} is not the file that was signed: its SHA-256 differs"
        for name, described in manifest.files.items()
        if hashlib.sha256(files[name]).hexdigest() != described.sha256
    ]
    contents = _decoded(files, CONTEST, Contents)
    past = contents.past()
    try:
        entered = tuple(done.sentence for done in contents.interventions if done.kind is Kind.VERSION)
        return CheckedExport(
            manifest.contest, key, _verdict(files, contents, past, found, told, prove_seconds), entered
        )
    except (IndexError, AssertionError, KeyError, OverflowError, ValueError) as error:
        raise BadExport(f"{CONTEST} contradicts itself, so that nothing can be recomputed: {error!r}") from None


def _verdict(
    files: Mapping[str, bytes], contents: Contents, past: Past, found: list[str], told: Told, prove_seconds: float
) -> Verdict:
    checked: dict[int | None, Checked] = {}
    for done, result in enumerate(past.played):
        told(done, len(past.played))
        checked[result.match] = check(past.definition, _evidence(files, result, contents.records))
    standing, shown, stands, wrong = recompute(past, checked)
    found += wrong
    found += [f"{name} is of no game of the contest" for name in _strays(files, past)]
    mine = msgspec.to_builtins(contents.report(past.definition, shown, stands))
    found += differences(mine, msgspec.to_builtins(_decoded(files, REPORT, Report)))
    alone = unproven(past.results)
    rest = list(alone)
    for result in past.played:
        if result.termination == Termination.ADJUDICATED:
            adjudicated = _adjudicated(files, past, result, prove_seconds)
            found += adjudicated.differences
            rest += adjudicated.unproven
    return Verdict(standing, len(alone), tuple(found), tuple(rest))


def _check_signature(files: Mapping[str, bytes]) -> str:
    for name in (MANIFEST, SIGNATURE, PUBLIC_KEY, CONTEST, REPORT):
        if name not in files:
            raise BadExport(f"it is no exported contest: {name} is missing")
    try:
        key = signing.shown(files[PUBLIC_KEY])
        true = signing.is_signed(files[PUBLIC_KEY], files[MANIFEST], files[SIGNATURE])
    except ValueError as error:
        raise BadExport(f"{PUBLIC_KEY} is no public key of Ed25519: {error}") from None
    if not true:
        raise BadExport(f"the signature is not true: {MANIFEST} is not what the key {key} has signed")
    return key


def _evidence(files: Mapping[str, bytes], result: Finished, kept: Mapping[int, str]) -> Evidence:
    assert result.match is not None
    record = files.get(f"{LINKS}{result.match}{SUFFIX}")
    if record is None:
        return Evidence(result, None)
    sha256 = hashlib.sha256(record).hexdigest()
    return Evidence(result, record.decode(errors="replace"), sha256, kept.get(result.match, ""))


def _strays(files: Mapping[str, bytes], past: Past) -> list[str]:
    known = {f"{LINKS}{result.match}{SUFFIX}" for result in past.played}
    return sorted(name for name in files if name.startswith(LINKS) and name not in known)


def _adjudicated(files: Mapping[str, bytes], past: Past, result: Finished, seconds: float) -> Verdict:
    text = _evidence(files, result, past.kept).text
    if seconds and text is not None:
        return prove_adjudication(past.definition, result, text, seconds)
    players = " against ".join(result.fixture.players)
    kept = f"match {result.match}, {players}: adjudicated, and its proof was not kept; --prove finds it anew"
    return Verdict(0, 0, (), (kept,))


def _decoded(files: Mapping[str, bytes], name: str, kind: type[Decoded]) -> Decoded:
    try:
        return msgspec.json.decode(files[name], type=kind)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise BadExport(f"{name} cannot be read: {error}") from None
