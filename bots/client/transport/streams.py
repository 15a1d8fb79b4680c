"""Streams of bytes to a server: over TCP, encrypted, and on this program's own pipes."""

import io
import os
import select
import socket
import ssl
import sys

from bots.client.errors import Unreachable
from engine.wire.seat import PIPES


class OwnPipes:
    """The standard input and output of this program, with the methods of a socket that a connection needs.

    From then on what the program prints goes to stderr, for a line among those of the protocol would be taken for one.
    """

    def __init__(self) -> None:
        """Take both over."""
        self._seconds = 0.0
        sys.stdout.flush()
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(line_buffering=True)  # a line belongs to the move during which it is printed
        self._from, self._to = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)

    def settimeout(self, seconds: float, /) -> None:
        """Wait for so long at most to receive."""
        self._seconds = seconds

    def sendall(self, data: bytes, /) -> None:
        """Write all bytes."""
        while data:
            data = data[os.write(self._to, data) :]

    def recv(self, most: int, /) -> bytes:
        """Read what is there."""
        if not select.select([self._from], [], [], self._seconds)[0]:
            raise TimeoutError
        return os.read(self._from, most)

    def close(self) -> None:
        """Close both."""
        if self._from >= 0:
            os.close(self._from)
            os.close(self._to)
            self._from = self._to = -1


def open_stream(host: str, port: int, tls: ssl.SSLContext | None, seconds: float) -> socket.socket | OwnPipes:
    """Connect to an address, encrypted where that is wanted, within so many seconds for each step.

    Raises `Unreachable`.
    """
    if host == PIPES:
        return OwnPipes()
    try:
        connected = socket.create_connection((host, port), timeout=seconds)
    except (OSError, UnicodeError) as error:  # UnicodeError: what is no name of a host
        why = getattr(error, "strerror", "") or str(error) or type(error).__name__
        raise Unreachable(f"no server at {host} port {port}: {why}") from error
    try:
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connected if tls is None else tls.wrap_socket(connected, server_hostname=host)
    except OSError as error:  # also all that ssl raises
        connected.close()
        why = getattr(error, "verify_message", "") or getattr(error, "reason", "") or str(error)
        raise Unreachable(f"no encrypted connection to {host} port {port}: {why}") from error
    except BaseException:
        connected.close()
        raise
