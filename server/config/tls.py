"""TLS: the certificate and the key that a server shows to its clients."""

import ssl
import time
from pathlib import Path
from typing import NamedTuple


class BadCertificate(ValueError):
    """A certificate or key that no server can be run with; the sentence names the file."""


class Identity(NamedTuple):
    """The files of a server's certificate, with the chain behind it, and of its key, both in PEM."""

    certificate: Path
    key: Path


def context(identity: Identity) -> ssl.SSLContext:
    """Return how to encrypt as this server: TLS 1.2 and later. Raises `BadCertificate`."""
    for path in identity:
        try:
            path.read_bytes()
        except OSError as error:
            raise BadCertificate(f"{path} cannot be read: {error.strerror}") from None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(*identity, password=_no_password)
    except ssl.SSLError as error:
        raise BadCertificate(
            f"{identity.certificate} and {identity.key} are not a certificate and its key without a password, in PEM:"
            f" {error.reason or error}"
        ) from None
    return context


def _no_password() -> str:
    """Stand in for a person: a server that asks at its terminal would never start."""
    return ""


def days_left(identity: Identity) -> int:
    """Return for how many whole days the certificate is valid; raises `BadCertificate` where it is not, or not yet.

    A client that trusts just this certificate shakes hands with the server, in memory: the same code judges it that
    will do so in earnest.
    """
    server, client = context(identity), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    client.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    client.load_verify_locations(identity.certificate)
    up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
    near, far = client.wrap_bio(down, up), server.wrap_bio(up, down, server_side=True)
    try:
        for end in (near, far, near, far):
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
    except ssl.SSLCertVerificationError as error:
        raise BadCertificate(f"{identity.certificate}: {error.verify_message}") from None
    except ssl.SSLError as error:
        raise BadCertificate(f"{identity.certificate} cannot be used: {error.reason or error}") from None
    found = near.getpeercert()
    assert found is not None
    end_of_validity = ssl.cert_time_to_seconds(str(found["notAfter"]))
    return int((end_of_validity - time.time()) // 86_400)
