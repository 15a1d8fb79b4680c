"""Keys of a server: its certificate and key for TLS, and the key that signs records and exports (Ed25519, RFC 8032)."""

import os
import ssl
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


class BadKey(ValueError):
    """A certificate or key that no server can be run with; the sentence names the file."""


class CertificateFiles(NamedTuple):
    """The files of a server's certificate, with the chain behind it, and of its key, both in PEM."""

    certificate: Path
    key: Path


def context(identity: CertificateFiles) -> ssl.SSLContext:
    """Return how to encrypt as this server: TLS 1.2 and later. Raises `BadKey`."""
    for path in identity:
        try:
            path.read_bytes()
        except OSError as error:
            raise BadKey(f"{path} cannot be read: {error.strerror}") from None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(*identity, password=lambda: "")  # a server that asks at its terminal would never start
    except ssl.SSLError as error:
        raise BadKey(
            f"{identity.certificate} and {identity.key} are not a certificate and its key without a password, in PEM:"
            f" {error.reason or error}"
        ) from None
    return context


SIGNING_KEY = "signing-key.pem"
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

    path = data / SIGNING_KEY
    if not path.exists():
        made = Ed25519PrivateKey.generate()
        with NamedTemporaryFile("wb", dir=data, prefix=f".{SIGNING_KEY}.") as file:  # that only its owner may read
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
