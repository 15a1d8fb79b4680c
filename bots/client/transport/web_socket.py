"""A WebSocket as a stream of bytes: each piece that is sent is a message of its own."""

import socket

from wsproto import WSConnection
from wsproto.connection import ConnectionType
from wsproto.events import AcceptConnection, RejectConnection, Request, TextMessage
from wsproto.utilities import RemoteProtocolError

from bots.client.errors import Unreachable
from engine.wire.web_socket import WebSocketEnd

READ_BYTES = 65536

REPLY_SECONDS = 10.0
"""Longest time to send the answer to a PING."""


class WebSocketStream:
    """A WebSocket over a connected socket, which it closes."""

    def __init__(self, stream: socket.socket, host: str, port: int, path: str) -> None:
        """Shake hands; raises `Unreachable`. The caller closes the socket then."""
        self._stream = stream
        self._seconds = 0.0
        self._connection = WSConnection(ConnectionType.CLIENT)
        self._end = WebSocketEnd(self._connection)
        self._place = f"{host} port {port}, {path}"
        name = f"[{host}]" if ":" in host else host
        try:
            self._shake_hands(f"{name}:{port}", path)
        except (OSError, RemoteProtocolError) as error:
            raise Unreachable(f"no WebSocket at {self._place}: {error}") from error

    def _shake_hands(self, host: str, path: str) -> None:
        self._stream.sendall(self._connection.send(Request(host=host, target=path)))
        while True:
            data = self._stream.recv(READ_BYTES)
            if not data:
                raise Unreachable(f"no WebSocket at {self._place}: the connection was closed")
            self._connection.receive_data(data)
            for event in self._connection.events():
                if isinstance(event, AcceptConnection):
                    return  # what came with it is read as lines
                if isinstance(event, RejectConnection):
                    raise Unreachable(f"no WebSocket at {self._place}: the answer is status {event.status_code}")

    def settimeout(self, seconds: float, /) -> None:
        """Wait for so long at most to send or to receive."""
        self._seconds = seconds
        self._stream.settimeout(seconds)

    def sendall(self, data: bytes, /) -> None:
        """Send whole lines as a message; raises OSError."""
        self._stream.sendall(self._connection.send(TextMessage(data=data.decode())))

    def recv(self, most: int, /) -> bytes:
        """Wait for lines, none at the end; raises TimeoutError, and other OSError."""
        while True:
            lines, reply, more, _, closed = self._end.read()
            if reply:
                self._send_whole(reply)
            if lines:
                return lines
            if closed:
                return b""
            if not more:
                data = self._stream.recv(most)
                if not data:
                    return b""
                self._end.feed(data)

    def _send_whole(self, frame: bytes) -> None:
        """Send a frame that is not to be cut off, whatever the timeout is."""
        self._stream.settimeout(max(self._seconds, REPLY_SECONDS))
        try:
            self._stream.sendall(frame)
        finally:
            self._stream.settimeout(self._seconds)

    def close(self) -> None:
        """Close it. May be called again."""
        self._stream.close()
