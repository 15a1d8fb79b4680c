"""Signatures of exported contests: Ed25519 (RFC 8032), with a key that each data directory makes once.

A key is shown as its 32 bytes in base64. In files it is PEM, as OpenSSL reads it.
"""

import base64
import os
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
