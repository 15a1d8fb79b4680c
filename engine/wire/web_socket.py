"""Lines of the protocol in the messages of a WebSocket (RFC 6455), at both ends; no I/O.

A text message holds whole lines, and its end is the end of its last line. There are no extensions: what is compressed
could be a thousand times as long as it looks.
"""

from typing import NamedTuple

from wsproto import WSConnection
from wsproto.connection import Connection, ConnectionType
from wsproto.events import BytesMessage, CloseConnection, Event, Ping, Pong, TextMessage
from wsproto.frame_protocol import CloseReason

MAX_FRAMES = 32
"""Frames that are read at a time: then others get their turn."""

_FINAL_TEXT = 0x81
_SIZE, _MASK_BYTES = 0x7F, 4
_SHORT, _TWO_BYTES, _EIGHT_BYTES = 125, 126, 127


class Part(NamedTuple):
    """What was read."""

    lines: bytes
    """Bytes of lines, perhaps none."""
    reply: bytes
    """A frame that has to be sent back, perhaps none."""
    more: bool
    """Whether more may be read of what has arrived."""
    idle: bool
    """Whether the last frame ended no line, or only a blank one."""
    closed: bool
    """Whether nothing more will be read."""


class WebSocketEnd:
    """One end of a WebSocket whose handshake is done: frames in, lines out, and the frames that have to be answered."""

    def __init__(self, connection: Connection | WSConnection | None = None) -> None:
        """Be the server's end, or that of a client, whose connection is given."""
        self.closed = False
        """Whether a Close frame has been received, or made."""
        self._connection = Connection(ConnectionType.SERVER) if connection is None else connection
        self._in_line = self._in_message = False
        self._fed = bytearray() if connection is None else None
        """What a server's end was fed, but for the frames that were read to their ends."""

    def feed(self, data: bytes) -> None:
        """Take bytes that have arrived; `read` them."""
        if not self.closed:
            if self._fed is not None:
                self._fed += data
            self._connection.receive_data(data)

    @property
    def unread(self) -> bytes | None:
        """Return what another server's end has to be fed to go on; None within a message, and where this is closed."""
        return None if self._in_message or self.closed or self._fed is None else bytes(self._fed)

    def read(self) -> Part:
        """Return lines up to the next frame that ends none, or only a blank one, or `MAX_FRAMES`.

        What breaks the rules of WebSockets closes it: the reply is a Close frame that says why.
        """
        lines, frames = bytearray(), 0
        if self.closed:
            return Part(b"", b"", False, False, True)
        for event in self._connection.events():
            frames += 1
            reply, idle = b"", True
            if self._fed is not None and _ends_frame(event):
                del self._fed[: _frame_length(self._fed)]
            if isinstance(event, TextMessage):
                self._in_message = not event.message_finished
                lines += self._text(event)
                idle = not event.message_finished or not event.data or event.data.isspace()
                if not idle and frames < MAX_FRAMES:
                    continue
            elif isinstance(event, Ping):
                reply = self._connection.send(event.response())
            elif isinstance(event, BytesMessage):
                reply = self.close(CloseReason.UNSUPPORTED_DATA, "lines are text messages, not binary ones")
            elif isinstance(event, CloseConnection):
                reply = self.close(event.code, event.reason)
            return Part(bytes(lines), bytes(reply), not self.closed, idle, self.closed)
        return Part(bytes(lines), b"", False, False, False)

    def close(self, code: int = CloseReason.NORMAL_CLOSURE, reason: str | None = None) -> bytes:
        """Return a Close frame; nothing where it was closed before."""
        if self.closed:
            return b""
        self.closed = True
        return bytes(self._connection.send(CloseConnection(code=code, reason=reason)))

    def _text(self, event: TextMessage) -> bytes:
        text = event.data
        if text:
            self._in_line = not text.endswith("\n")
        if event.message_finished and self._in_line:
            self._in_line = False
            text += "\n"
        return text.encode()


def _ends_frame(event: Event) -> bool:
    return event.frame_finished if isinstance(event, TextMessage) else isinstance(event, Ping | Pong)


def _frame_length(data: bytearray) -> int:
    """Return the length of the first frame, which is masked as all of clients are."""
    size = data[1] & _SIZE
    if size <= _SHORT:
        return 2 + _MASK_BYTES + size
    more = 2 if size == _TWO_BYTES else 8
    return 2 + more + _MASK_BYTES + int.from_bytes(data[2 : 2 + more], "big")


def text_frame(data: bytes) -> bytes:
    """Return text as a message of a server, in one frame."""
    size = len(data)
    if size <= _SHORT:
        return bytes((_FINAL_TEXT, size)) + data
    if size < 1 << 16:
        return bytes((_FINAL_TEXT, _TWO_BYTES)) + size.to_bytes(2, "big") + data
    return bytes((_FINAL_TEXT, _EIGHT_BYTES)) + size.to_bytes(8, "big") + data
