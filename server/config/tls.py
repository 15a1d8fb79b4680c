"""TLS: the certificate and the key that a server shows to its clients."""

import ssl
from datetime import UTC, datetime
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
    """Return for how many whole days the certificate is valid; raises `BadCertificate` where it is not, or not yet."""
    from cryptography import x509

    context(identity)
    certificate, now = x509.load_pem_x509_certificate(identity.certificate.read_bytes()), datetime.now(UTC)
    if now < certificate.not_valid_before_utc:
        raise BadCertificate(f"{identity.certificate}: certificate is not yet valid")
    if now > certificate.not_valid_after_utc:
        raise BadCertificate(f"{identity.certificate}: certificate has expired")
    return (certificate.not_valid_after_utc - now).days
