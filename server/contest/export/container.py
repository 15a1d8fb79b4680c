"""The zip archive of an export, and its signature: Ed25519 (RFC 8032), with a key that each data directory makes once.

The same files give the same bytes, and no bytes can do harm when read. Nothing is ever unpacked to the disk. A bomb
cannot go off, since sizes are bounded as they are unpacked, and not by what the archive says of them.

A key is shown as its 32 bytes in base64. In files it is PEM, as OpenSSL reads it.
"""

import base64
import io
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

FILE = "signing-key.pem"
"""Name of the private key in the data directory; nobody but the server's user may read it."""


def signing_key(data: Path) -> Ed25519PrivateKey:
    """Return the key of a data directory, which is made where there is none; raises OSError."""
    path = data / FILE
    if not path.exists():
        made = Ed25519PrivateKey.generate()
        with NamedTemporaryFile("wb", dir=data, prefix=f".{FILE}.") as file:  # that only its owner may read
            file.write(made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
            file.flush()
            os.fsync(file.fileno())
            with suppress(FileExistsError):  # another process was faster
                os.link(file.name, path)
    try:
        key = load_pem_private_key(path.read_bytes(), None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise OSError(f"{path} is no private key of Ed25519 in PEM without a password; take it from a backup")
    return key


def public_pem(key: Ed25519PrivateKey) -> bytes:
    """Return the public half of a key, as a file."""
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def shown(pem: bytes) -> str:
    """Return a public key as people compare it; raises ValueError where it is none of Ed25519."""
    return base64.b64encode(_public(pem).public_bytes_raw()).decode()


def is_signed(pem: bytes, message: bytes, signature: bytes) -> bool:
    """Tell whether the signature of a message is of that key; raises ValueError where it is none of Ed25519."""
    try:
        _public(pem).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def _public(pem: bytes) -> Ed25519PublicKey:
    try:
        key = load_pem_public_key(pem)
    except UnsupportedAlgorithm as error:
        raise ValueError(str(error)) from None
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError("it is a key of another kind than Ed25519")
    return key


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

_END = struct.Struct("<4s4H2LH")
"""End of central directory record (PKWARE, APPNOTE.TXT, 4.3.16)."""


class BadExport(Exception):
    """A file is no exported contest, or must not be opened; ``str(error)`` is one sentence."""


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
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            files: dict[str, bytes] = {}
            left = MAX_UNPACKED
            for entry in packed.infolist():
                if not NAMES.fullmatch(entry.filename) or entry.orig_filename != entry.filename:
                    raise BadExport(f"it has a file {entry.filename!r}, and no export has one of that name")
                if entry.filename in files:
                    raise BadExport(f"it has {entry.filename} twice")
                if entry.flag_bits & 1 or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise BadExport(f"{entry.filename} is encrypted or packed in a way that no export is")
                with packed.open(entry) as file:
                    files[entry.filename] = file.read(left + 1)
                left -= len(files[entry.filename])
                if left < 0:
                    raise BadExport(f"unpacked it takes more than {MAX_UNPACKED} bytes")
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, struct.error) as e:
        raise BadExport(f"the archive is damaged: {e}") from None
    return files


def _check_end(data: bytes) -> None:
    """Check that the archive ends as an export does, before the list of its files is read."""
    if len(data) > MAX_BYTES:
        raise BadExport(f"it has more than {MAX_BYTES} bytes")
    if len(data) < _END.size or not data.startswith(b"PK\x03\x04"):
        raise BadExport("it is no zip archive")
    mark, _, _, _, count, size, _, comment = _END.unpack(data[-_END.size :])
    if mark != b"PK\x05\x06" or comment or data[-_END.size - 20 :].startswith(b"PK\x06\x07"):
        raise BadExport("it is no zip archive as exports are: its end is missing, or something was added to it")
    if count > MAX_FILES or size > MAX_FILES * 100:
        raise BadExport(f"it has {count} files, or a list of them that is too long; there are {MAX_FILES} at most")
