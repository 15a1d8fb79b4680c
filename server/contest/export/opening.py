"""Opens an exported contest: signature, manifest, and the hashes of its files."""

import hashlib
from collections.abc import Mapping, Set
from typing import NamedTuple, TypeVar

import msgspec

from server.contest.export import signing
from server.contest.export.container import (
    CONTEST,
    MANIFEST,
    PUBLIC_KEY,
    REPORT,
    SIGNATURE,
    BadExport,
    unpack,
)
from server.contest.export.contents import CERTIFICATES, FORMAT, LINKS, Manifest, certificate_name, record_name
from server.contest.store.verification import Verdict
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

    def certificate(self, match: int | None) -> bytes | None:
        """Return the certificate of an adjudicated match; None where there is none."""
        return self.files.get(certificate_name(match))

    def strays(self, matches: set[int | None], adjudicated: Set[int | None] = frozenset()) -> list[str]:
        """Return the names of records that belong to none of some matches, and certificates of none adjudicated."""
        known = {*map(record_name, matches), *map(certificate_name, adjudicated)}
        return sorted(name for name in self.files if name.startswith((LINKS, CERTIFICATES)) and name not in known)


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
        key = signing.shown(files[PUBLIC_KEY])
        true = signing.is_signed(files[PUBLIC_KEY], files[MANIFEST], files[SIGNATURE])
    except ValueError as error:
        raise BadExport(f"{PUBLIC_KEY} is no public key of Ed25519: {error}") from None
    if not true:
        raise BadExport(f"the signature is not true: {MANIFEST} is not what the key {key} has signed")
    return key
