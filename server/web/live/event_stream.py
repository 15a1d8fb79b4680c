"""Server-sent events to many browsers: each event is encoded once, and sent to all without waiting.

A channel is what a page listens to; a mailbox is a browser that does. One task, the `Broadcaster`, tells all channels
that have changed, and then rests, so that telling takes no more than a small part of the server's time however many
browsers there are: with more of them, more moves come in one event.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeAlias

import structlog
import trio
from starlette.types import Receive, Scope, Send

from server.net.timing import microseconds
from server.web.http.errors import Refused
from server.web.http.listener import STREAM, BoundedStream
from server.web.http.request import cancel_when_gone

log = structlog.get_logger()

MIN_REST = 0.04
"""Seconds between two rounds of telling: 25 pictures a second look like motion."""

REST_FACTOR = 59
"""Rests are so many times as long as the telling before: it takes a sixtieth of the time at most."""

AT_A_TIME = 32
"""Mailboxes that are filled before others of the server's tasks get their turn."""

MAILBOX_BYTES = 256 * 1024
"""Most that waits for a browser. One that has more to read is let go of; it comes back, and is told all anew."""

BEAT_SECONDS = 5.0
"""How often a browser hears that the connection is alive: as long as it does, the clocks that it shows run on."""

RETRY = b"retry: 2000\n\n"
"""The first event: after so many milliseconds a browser that has lost the connection comes back."""

HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-store, no-transform"),
    (b"x-accel-buffering", b"no"),
]
"""nginx would else keep events until its buffer is full, and proxies that compress would wait for more."""


def framed(data: str | bytes, name: str = "") -> bytes:
    """Return data as a server-sent event, with a name where it is not the only kind of its stream."""
    lines = (data.encode() if isinstance(data, str) else data).splitlines()
    head = f"event: {name}\n".encode() if name else b""
    return head + b"".join(b"data: " + line + b"\n" for line in lines) + b"\n"


def beat() -> bytes:
    """Return the event that says that the connection is alive, with the milliseconds of the server's clock."""
    return framed(str(microseconds() // 1000), "beat")


def chunk(data: bytes) -> bytes:
    """Return bytes as a chunk of an HTTP/1.1 body."""
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


class Mailbox:
    """The events that wait to be sent to one browser."""

    def __init__(self, stream: BoundedStream) -> None:
        """Take over the stream of a connection whose response has begun."""
        self.lost = False
        self._stream = stream
        self._waiting = bytearray()
        self._wake = trio.Event()
        self._running = trio.CancelScope()

    def put(self, event: bytes) -> None:
        """Send an event, already framed; never waits."""
        if self.lost:
            return
        sent = 0 if self._waiting else self._stream.send_now(event)
        self._waiting += event[sent:]
        if len(self._waiting) > MAILBOX_BYTES:
            self.close()
        elif self._waiting:
            self._wake.set()

    def close(self) -> None:
        """Let `run` return; nothing more is sent."""
        self.lost = True
        self._waiting.clear()
        self._running.cancel()

    async def run(self) -> None:
        """Send what the kernel did not take at once, and beats, until closed or the browser is gone."""
        with self._running, suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            while True:
                with trio.move_on_after(BEAT_SECONDS) as quiet:
                    await self._wake.wait()
                self._wake = trio.Event()
                if quiet.cancelled_caught:
                    self.put(chunk(beat()))
                while self._waiting and self._stream.open:
                    part = bytes(self._waiting)
                    await self._stream.send_all(part)
                    del self._waiting[: len(part)]
                if not self._stream.open:
                    self.close()


class Channel:
    """The listeners of one source of events, which a subclass is."""

    def __init__(self, broadcaster: "Broadcaster") -> None:
        """Begin without listeners."""
        self.listeners: dict[Mailbox, None] = {}
        self._broadcaster = broadcaster

    def event(self) -> bytes | None:
        """Return the events since the last call; None if there is none."""
        raise NotImplementedError

    def snapshot(self) -> bytes:
        """Return the present state, as events, for a browser that has just connected."""
        raise NotImplementedError

    def changed(self) -> None:
        """Note a change, which is published soon. May be called anywhere in the loop's thread."""
        if self.listeners:
            self._broadcaster.tell(self)

    async def publish(self) -> float:
        """Send the listeners what is new; return the seconds that this took of the event loop."""
        clock = self._broadcaster.clock
        began = clock()
        event = self.event()
        spent = clock() - began
        if event is None:
            return spent
        listeners = list(self.listeners)
        data = chunk(event)
        for first in range(0, len(listeners), AT_A_TIME):
            began = clock()
            for mailbox in listeners[first : first + AT_A_TIME]:
                mailbox.put(data)
            spent += clock() - began
            await trio.lowlevel.checkpoint()
        return spent

    async def listen(self, mailbox: Mailbox) -> None:
        """Send a browser the present state, then all changes, until it is gone."""
        if not self.listeners:
            self.event()  # what nobody has heard counts as told
        mailbox.put(chunk(self.snapshot()))
        self.listeners[mailbox] = None
        try:
            await mailbox.run()
        finally:
            del self.listeners[mailbox]


class Broadcaster:
    """Publishes the channels that have changed, one after the other."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """``clock`` counts seconds of work."""
        self.clock = clock
        self._changed: dict[Channel, None] = {}
        self._wake = trio.Event()

    def tell(self, channel: Channel) -> None:
        """Let a channel be published soon."""
        if not self._changed:
            self._wake.set()
        self._changed[channel] = None

    async def run(self) -> None:
        """Publish until cancelled."""
        while True:
            await self._wake.wait()
            self._wake = trio.Event()
            changed, self._changed = self._changed, {}
            spent = 0.0
            for channel in changed:
                try:
                    spent += await channel.publish()
                except Exception as error:
                    log.error("event_stream_failed", exc_info=error)
            await trio.sleep(max(MIN_REST, REST_FACTOR * spent))


Listen: TypeAlias = Callable[[Mailbox], Awaitable[None]]
"""Sends a browser events until it is gone."""


class Live:
    """An endpoint that sends events until the browser goes."""

    def __init__(self, find: Callable[[Scope], Listen]) -> None:
        """Take a function that finds what a request wants to listen to, or raises `Refused`."""
        self._find = find

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Begin the response, and leave the rest of it to a mailbox, which writes past the protocol."""
        if scope["method"] != "GET" or scope["http_version"] != "1.1":
            raise Refused(405, "what is live is told to a GET of HTTP/1.1")
        listen = self._find(scope)
        await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        await send({"type": "http.response.body", "body": RETRY + beat(), "more_body": True})
        async with trio.open_nursery() as nursery:
            nursery.start_soon(cancel_when_gone, receive, nursery.cancel_scope)
            await listen(Mailbox(scope["state"][STREAM]))
            nursery.cancel_scope.cancel()
