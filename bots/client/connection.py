"""A blocking connection to a server, over TCP or over the pipes of this program: sends and receives messages."""

import io
import math
import os
import socket
import ssl
import sys
import time
from collections import deque
from collections.abc import Iterator
from itertools import chain, repeat
from typing import NamedTuple

from bots.client.errors import ArenaError, ConnectionLost, Refused, ServerFault, Unreachable
from bots.client.pipes import READ_BYTES, PipeReader
from engine.wire.ends import ClientEnd
from engine.wire.messages import VERSION, Arena, Bye, Error, Message, Ping, ProtocolError, Quit
from engine.wire.seat import PIPES

CONNECT_SECONDS = 10.0
"""Deadline for connecting and for the greeting."""

QUIET_SECONDS = 30.0
"""Silence after which the server is sent PING, and after as much again counts as dead."""

SUSPENDED = "suspended"
"""Reason of a BYE after which the match resumes when the server is back."""

OVER = "over"
"""Reason of a BYE after the last game of a contest."""

GOODBYE_SECONDS = 1.0
"""Time to wait for the server to close first: a connection that is closed with unread lines looks like a fault."""

NO_SERVER = "; ARENA_HOST and ARENA_PORT name another one, and arena-bot match mybot.py random plays without a server"
"""Advice to a client that has found no server."""

MAX_READS = 1000
"""Reads at a time, 64 MB at most: a server that sends without end does not keep its client from the clock."""


class Address(NamedTuple):
    """The address of a server: the arguments of `Connection`."""

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


class OwnPipes:
    """The standard input and output of this program, with the methods of a socket that a connection needs.

    Output of the program goes to stderr from then on, so that no printed line is taken for a line of the protocol.
    """

    def __init__(self) -> None:
        """Take both over."""
        self._seconds = 0.0
        sys.stdout.flush()
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(line_buffering=True)  # a line belongs to the move during which it is printed
        self._from, self._to = PipeReader(os.dup(0)), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)

    def settimeout(self, seconds: float, /) -> None:
        """Set the longest wait of `recv`, in seconds."""
        self._seconds = seconds

    def sendall(self, data: bytes, /) -> None:
        """Write all bytes."""
        while data:
            data = data[os.write(self._to, data) :]

    def recv(self, most: int, /) -> bytes:
        """Read what is there, `READ_BYTES` at most."""
        return self._from.read(self._seconds)

    def close(self) -> None:
        """Close both."""
        if self._to >= 0:
            self._from.close()
            os.close(self._to)
            self._to = -1


def open_stream(host: str, port: int, tls: ssl.SSLContext | None, seconds: float) -> socket.socket | OwnPipes:
    """Connect to an address, with TLS if it is given. Each step has a number of seconds.

    Raises `Unreachable`.
    """
    if host == PIPES:
        return OwnPipes()
    try:
        connected = socket.create_connection((host, port), timeout=seconds)
    except (OSError, UnicodeError) as error:  # UnicodeError: what is no name of a host
        why = getattr(error, "strerror", "") or str(error) or type(error).__name__
        raise Unreachable(f"no server at {host} port {port}: {why}{NO_SERVER}") from error
    try:
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connected if tls is None else tls.wrap_socket(connected, server_hostname=host)
    except OSError as error:  # also all that ssl raises
        connected.close()
        why = getattr(error, "verify_message", "") or getattr(error, "reason", "") or str(error)
        if why == "WRONG_VERSION_NUMBER":
            why = "the server there does not encrypt; connect without TLS (no --tls, no --tls-ca)"
        raise Unreachable(f"no encrypted connection to {host} port {port}: {why}") from error


class Connection:
    """One connection, after the server's greeting. Always call `close`."""

    def __init__(self, host: str, port: int, tls: ssl.SSLContext | None = None) -> None:
        """Connect and read the greeting; raises `Unreachable`, or `Refused` by a server that is full.

        The arguments are an `Address`: the host `PIPES` is this program's own standard
        input and output, ``tls`` has the TLS settings, None for no encryption.
        """
        self._end = ClientEnd()
        self._inbox: deque[Message] = deque()
        self._lost: ConnectionLost | None = None
        self._quiet_at = time.monotonic() + QUIET_SECONDS
        self._ping_sent = False
        self._stream = open_stream(host, port, tls, CONNECT_SECONDS)
        try:
            self._read_greeting("on standard input" if host == PIPES else f"at {host} port {port}")
        except BaseException:
            self._stream.close()
            raise

    def _read_greeting(self, place: str) -> None:
        try:
            greeting = self.receive(CONNECT_SECONDS)
        except (ConnectionLost, ServerFault) as error:
            raise Unreachable(f"what answers {place} does not greet as an arena does: {error}") from error
        if not isinstance(greeting, Arena):
            raise Unreachable(f"what answers {place} does not greet as an arena does")
        if greeting.version != VERSION:
            ours = f"the server speaks version {greeting.version} of the protocol, this client version {VERSION}"
            raise Unreachable(ours)

    def close(self) -> None:
        """Send QUIT if possible, wait shortly for the answer, and close. May be called again."""
        deadline = time.monotonic() + GOODBYE_SECONDS
        try:
            self.send(Quit())
            while self._lost is None and time.monotonic() < deadline:
                self._read(GOODBYE_SECONDS)
        except (ConnectionLost, ServerFault):
            pass
        finally:
            self._stream.close()

    def send(self, message: Message) -> None:
        """Send a message; raises `ConnectionLost`, but only when all received messages have been read."""
        if self._lost is not None and not self._inbox:
            raise self._lost
        try:
            self._stream.settimeout(QUIET_SECONDS)
            self._stream.sendall(self._end.send(message))
        except OSError as error:
            self._read_all()
            self._lost = self._lost or ConnectionLost(f"the connection broke: {error}")
            if not self._inbox:
                raise self._lost from error

    def receive(self, seconds: float = math.inf) -> Message | None:
        """Return the next message; None if none arrives in time.

        Raises `ConnectionLost`, also when a silent server gives no sign of life or suspends the match, and `Refused` on
        any other BYE.
        """
        deadline = time.monotonic() + seconds
        while not self._inbox:
            if self._lost is not None:
                raise self._lost
            if self._read(max(0.0, min(deadline, self._quiet_at) - time.monotonic())):
                continue
            now = time.monotonic()
            if now >= self._quiet_at:
                self._check_alive(now)
            elif now >= deadline:
                return None
        message = self._inbox.popleft()
        if isinstance(message, Bye) and message.reason == SUSPENDED:
            self._lost = ConnectionLost(message.sentence)
            raise self._lost
        if isinstance(message, Bye):
            raise Refused(message.reason, message.sentence)
        return message

    def answer(self, kind: type) -> Message:
        """Return the next message of a kind; raises `Refused` on ERROR, and `ConnectionLost`."""
        while True:
            message = self.receive(CONNECT_SECONDS)
            if message is None:
                raise ConnectionLost("the server does not answer")
            if isinstance(message, kind):
                return message
            if isinstance(message, Error):
                raise Refused(message.code, message.sentence)

    def _check_alive(self, now: float) -> None:
        """Send PING to a silent server; if that was done already, the connection is lost."""
        if self._ping_sent:
            self._lost = ConnectionLost(f"the server gave no sign of life for {2 * QUIET_SECONDS:g} seconds")
        else:
            self._ping_sent, self._quiet_at = True, now + QUIET_SECONDS
            self.send(Ping())

    @property
    def is_lost(self) -> bool:
        """Whether nothing more can be read."""
        return self._lost is not None

    def has(self, kind: type) -> bool:
        """Tell whether a message of a kind has arrived and is not read yet."""
        self._read_all()
        return any(isinstance(message, kind) for message in self._inbox)

    def _read_all(self) -> None:
        """Read what has arrived, up to `MAX_READS` pieces."""
        for _ in range(MAX_READS):
            if self._lost is not None or not self._read(0.0):
                return

    def _read(self, seconds: float) -> bool:
        """Read available bytes, waiting for a time; return whether there were any.

        The end of the connection counts too; `receive` raises it after the messages before it.
        """
        try:
            self._stream.settimeout(seconds)
            data = self._stream.recv(READ_BYTES)
        except (TimeoutError, BlockingIOError, ssl.SSLWantReadError):
            return False
        except OSError as error:
            self._lost = ConnectionLost(f"the connection broke: {error}")
            return True
        if not data:
            self._lost = ConnectionLost("the server closed the connection")
            return True
        self._ping_sent, self._quiet_at = False, time.monotonic() + QUIET_SECONDS
        try:
            self._inbox.extend(self._end.receive(data))
        except ProtocolError as error:
            raise ServerFault(f"the server broke the protocol: {error}") from error
        return True


PAUSES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Seconds before each attempt to reconnect; the last value repeats."""


def reconnect_pauses(seconds: float) -> Iterator[None]:
    """Yield after each pause before an attempt to reconnect, as long as a total time is not exceeded."""
    end = time.monotonic() + seconds
    for pause in chain(PAUSES, repeat(PAUSES[-1])):
        if time.monotonic() + pause > end:
            return
        time.sleep(pause)
        yield
