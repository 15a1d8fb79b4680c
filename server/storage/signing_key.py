"""The key that signs records and exports: Ed25519 (RFC 8032), made once for each data directory."""

import os
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

FILE = "signing-key.pem"
"""Name of the private key in the data directory; nobody but the server's user may read it."""


def signing_key(data: Path) -> "Ed25519PrivateKey":
    """Return the key of a data directory, which is made where there is none; raises OSError."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        NoEncryption,
        PrivateFormat,
        load_pem_private_key,
    )

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


def public_half(data: Path) -> bytes:
    """Return the 32 bytes of the public key of a data directory; raises OSError."""
    return signing_key(data).public_key().public_bytes_raw()
