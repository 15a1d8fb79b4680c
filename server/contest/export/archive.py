"""The zip archive of an export, and its signature: Ed25519 (RFC 8032), with a key that each data directory makes once.

The signature is of a manifest, which has the SHA-256 of each other file. The same files give the same bytes, and no
bytes can do harm when read. Nothing is ever unpacked to the disk. A bomb
cannot go off, since sizes are bounded as they are unpacked, and not by what the archive says of them.

A key is shown as its 32 bytes in base64. In files it is PEM, as OpenSSL reads it.
"""

import hashlib
import io
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from engine.match.signature import is_signed, public_key, shown
from server.config.keys import signing_key
from server.ops.typed_json import decode

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
"""Of the file."""

MAX_UNPACKED = 2**30
"""Of all files in it together."""

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
    listed = {**files, PUBLIC_KEY: public_pem(key)}
    described = {name: Described(len(text), hashlib.sha256(text).hexdigest()) for name, text in listed.items()}
    manifest = json_text(Manifest(FORMAT, contest, described))
    return pack({MANIFEST: manifest, SIGNATURE: key.sign(manifest), **listed})


def json_text(value: msgspec.Struct) -> bytes:
    """Return a file of an export."""
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"


def open_export(data: bytes) -> Opened:
    """Open an export; raises `BadExport` where it is none, or its signature is not true."""
    files = unpack(data)
    for name in (MANIFEST, SIGNATURE, PUBLIC_KEY, CONTEST, REPORT):
        if name not in files:
            raise BadExport(f"it is no exported contest: {name} is missing")
    try:
        key = public_key(files[PUBLIC_KEY])
    except ValueError as error:
        raise BadExport(f"{PUBLIC_KEY} is no public key of Ed25519: {error}") from None
    if not is_signed(key, files[MANIFEST], files[SIGNATURE]):
        raise BadExport(f"the signature is not true: {MANIFEST} is not what the key {shown(key)} has signed")
    manifest = decoded(files, MANIFEST, Manifest)
    if manifest.format != FORMAT:
        raise BadExport(f"it has the format {manifest.format}, and this version of arena-server knows {FORMAT}")
    listed = {*manifest.files, MANIFEST, SIGNATURE}
    if listed != files.keys():
        raise BadExport(f"{min(listed ^ files.keys())} stands in the manifest or in the archive, and not in both")
    # of the others every byte is used by whoever verifies, and each difference found has its own sentence
    changed = [name for name, one in manifest.files.items() if hashlib.sha256(files[name]).hexdigest() != one.sha256]
    sentences = (f"{name} is not the file that was signed: its SHA-256 differs" for name in changed)
    return Opened(files, manifest.contest, key, tuple(sentences))


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
                left -= len(files[name])
                if left < 0:
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
