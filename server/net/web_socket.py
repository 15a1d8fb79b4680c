"""One WebSocket connection: as a TCP connection, with each piece that is sent as a message of its own."""

from collections.abc import Callable
from contextlib import suppress

import trio

from engine.wire.web_socket import WebSocketEnd, text_frame
from server.config.limits import Rate
from server.config.settings import RECEIVE_BYTES
from server.net.connection import CLOSE_SECONDS, ByteStream, Connection
from server.net.event_loop import microseconds
from server.net.send_queue import SendQueue

IDLE_FRAMES, IDLE_FRAMES_AT_ONCE = 50, 500
"""Frames a second that end no line, as PING and parts of messages, and those beyond that rate: who sends more of them
is read more slowly."""

LAST_READS = 16
"""How often to read what a peer sends before it answers the Close frame."""


class WebSocketConnection(Connection):
    """A connection to one peer whose handshake is done."""

    def __init__(self, stream: ByteStream, send_queue: SendQueue) -> None:
        """Take the stream of a TCP connection."""
        super().__init__(stream, send_queue)
        self._end = WebSocketEnd()
        self._more = self._idle = False
        self._idle_frames = Rate()

    @property
    def frames(self) -> bytes | None:
        """Return what was read beyond whole frames."""
        return self._end.unread

    @property
    def between(self) -> bool:
        """Tell whether no message has been read in part: no other process could go on with it."""
        return self._end.unread is not None

    def go_on(self, frames: bytes | None = None) -> None:
        """Let `receive` read again, with bytes first that were read elsewhere and are not whole frames yet."""
        super().go_on()
        self._end = WebSocketEnd()
        self._end.feed(frames or b"")
        self._more = bool(frames)

    async def receive(self, take: Callable[[bytes], bool] | None = None) -> bytes | None:
        """Wait for bytes of lines; return none for a frame that has none, and None when the connection is closed."""
        if self._idle:
            self._idle = False
            await self._rest()
        if self._end.closed:
            return None
        if self._paused:
            return b""
        if not self._more:
            data = await super().receive()
            if not data:
                return data
            self._end.feed(data)
        lines, reply, self._more, self._idle, closed = self._end.read()
        if reply:
            super().send(reply)
        return None if closed and not lines else lines

    async def _rest(self) -> None:
        now = microseconds()
        self._idle_frames.use(now, 1, IDLE_FRAMES)
        await trio.sleep(self._idle_frames.owed(now, IDLE_FRAMES, IDLE_FRAMES_AT_ONCE) / 1_000_000)

    def send(self, data: bytes, *, low_priority: bool = False) -> None:
        """Queue whole lines to send as a message; beyond the bound, drop the peer."""
        super().send(text_frame(data), low_priority=low_priority)

    def end(self) -> None:
        """Send a Close frame behind everything, then let `write_queued` return."""
        if not (self._end.closed or self._released):
            super().send(self._end.close())
        super().end()

    async def aclose(self) -> None:
        """Close the connection and its stream, when the peer has answered the Close frame, or a moment has passed.

        A socket that is closed while the peer still sends is reset, and what the peer was sent last is lost.
        """
        if not (self.broken or self._released) and isinstance(self._stream, trio.SocketStream):
            with trio.move_on_after(CLOSE_SECONDS, shield=True), suppress(OSError, trio.BrokenResourceError):
                await self._stream.send_eof()
                for _ in range(LAST_READS):
                    if not await self._stream.receive_some(RECEIVE_BYTES):
                        break
        await super().aclose()
