"""The address of a server, with TLS settings."""

import ssl
from typing import NamedTuple
from urllib.parse import urlsplit

from bots.client.errors import ArenaError
from engine.wire.messages import PORT, WEB_SOCKET_PATH

WEB_SOCKETS = {"ws": 80, "wss": 443}
"""Schemes of addresses of WebSockets, with their usual ports."""


class Address(NamedTuple):
    """The address of a server: the arguments of `bots.client.connection.Connection`."""

    host: str
    port: int
    tls: ssl.SSLContext | None = None
    """TLS settings; None for no encryption."""
    path: str = ""
    """Path of a WebSocket; empty for TCP."""


def address(host: str, port: int, *, tls: bool = False, tls_ca: str = "") -> Address:
    """Return an address. With ``tls``, or a file of certificates to trust in ``tls_ca``, connections are encrypted.

    The host may be the address of a WebSocket, as ``wss://arena.example.org/ws``, which has the port, too. The server's
    certificate has to be valid for the host, and signed by an authority in ``tls_ca``, or of the system if that is
    empty. Raises `ArenaError` if the address is wrong, or the file cannot be used.
    """
    if "://" in host:
        return _of_web_socket(host, port, tls, tls_ca)
    return Address(host, port, _context(tls_ca) if tls or tls_ca else None)


def _of_web_socket(url: str, port: int, tls: bool, tls_ca: str) -> Address:
    try:
        parts = urlsplit(url)
        host, own_port = parts.hostname, parts.port
    except ValueError as error:
        raise ArenaError(f"{url!r} is no address of a WebSocket: {error}") from error
    if parts.scheme not in WEB_SOCKETS or not host or parts.username is not None or parts.fragment:
        raise ArenaError(f"a WebSocket has an address as ws://127.0.0.1:8080 or wss://arena.example.org; not {url!r}")
    if parts.scheme == "ws" and (tls or tls_ca):
        raise ArenaError(f"{url!r} is not encrypted; an encrypted WebSocket begins with wss://")
    if port not in (PORT, own_port):
        raise ArenaError(f"the port of a WebSocket stands in its address, as in {parts.scheme}://{host}:{port}")
    path = (parts.path if parts.path not in ("", "/") else WEB_SOCKET_PATH) + (f"?{parts.query}" if parts.query else "")
    context = _context(tls_ca) if parts.scheme == "wss" else None
    return Address(host, own_port or WEB_SOCKETS[parts.scheme], context, path)


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
