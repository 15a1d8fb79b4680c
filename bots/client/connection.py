"""A blocking connection to a server, or to whoever has started this program on pipes: sends and receives messages."""

import math
import ssl
import time
from collections import deque
from types import TracebackType

from bots.client.errors import ConnectionLost, Refused, ServerFault, Unreachable
from bots.client.transport.streams import open_stream
from engine.wire.codes import ProtocolError
from engine.wire.ends import ClientEnd
from engine.wire.messages import VERSION, Arena, Bye, Error, Message, Ping, Quit
from engine.wire.seat import PIPES

CONNECT_SECONDS = 10.0
"""Deadline for connecting and for the greeting."""

QUIET_SECONDS = 30.0
"""Silence after which the server is sent PING, and after as much again counts as dead."""

SUSPENDED = "suspended"
"""Reason of a BYE after which the match resumes when the server is back."""

GOODBYE_SECONDS = 1.0
"""Time to wait for the server to close first: a connection that is closed with unread lines looks like a fault."""

READ_BYTES = 65536

MAX_READS = 1000
"""Reads at a time, 64 MB at most: a server that sends without end does not keep its client from the clock."""


class Connection:
    """One connection, after the server's greeting. Close it, or use it in a ``with`` block."""

    def __init__(self, host: str, port: int, tls: ssl.SSLContext | None = None) -> None:
        """Connect and read the greeting; raises `Unreachable`, or `Refused` by a server that is full.

        The arguments are an address (`bots.client.transport.address`): the host `PIPES` is this program's own standard
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

    def __enter__(self) -> "Connection":
        """Return the connection."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Send QUIT and close the connection."""
        self.close()

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


class ReconnectBackoff:
    """The pauses after one lost connection, up to a total time."""

    def __init__(self, seconds: float) -> None:
        """Start the total time now."""
        self._give_up_at = time.monotonic() + seconds
        self._attempts = 0

    def pause(self) -> bool:
        """Sleep until the next attempt; return False instead if the total time would be exceeded."""
        seconds = PAUSES[min(self._attempts, len(PAUSES) - 1)]
        if time.monotonic() + seconds > self._give_up_at:
            return False
        self._attempts += 1
        time.sleep(seconds)
        return True
