"""The address of a server, with TLS settings."""

import ssl
from typing import NamedTuple

from bots.client.errors import ArenaError


class Address(NamedTuple):
    """The address of a server: the arguments of `bots.client.connection.Connection`."""

    host: str
    port: int
    tls: ssl.SSLContext | None = None
    """TLS settings; None for no encryption."""


def address(host: str, port: int, *, tls: bool = False, tls_ca: str = "") -> Address:
    """Return an address. With ``tls``, or a file of certificates to trust in ``tls_ca``, connections are encrypted.

    The server's certificate has to be valid for the host, and signed by an authority in ``tls_ca``, or of the system if
    that is empty. Raises `ArenaError` if the file cannot be used.
    """
    return Address(host, port, _context(tls_ca) if tls or tls_ca else None)


def _context(tls_ca: str) -> ssl.SSLContext:
    context = ssl.create_default_context() if not tls_ca else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if tls_ca:
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # the server's own certificate will do
        try:
            context.load_verify_locations(tls_ca)
        except OSError as error:
            why = getattr(error, "reason", "") or error.strerror or str(error)
            raise ArenaError(f"{tls_ca} holds no certificates that can be read, in PEM: {why}") from error
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
