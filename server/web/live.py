"""Server-sent events to many browsers: each event is encoded once, and sent to all without waiting.

A page listens to a channel. A mailbox holds the events for one browser. One task, the `Broadcaster`, publishes all
channels that have changed, and then rests. So publishing takes no more than a small part of the server's time. With
more browsers, more moves come in one event.

The blocks of the lobby and of contests are rendered once a second, and sent where they have changed.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any, TypeAlias

import trio
from starlette.types import Receive, Scope, Send

from server.arena.arena import Arena
from server.contest.report.structure import ContestState
from server.contest.report.templating import render_block
from server.net.timing import microseconds
from server.ops.logs import log
from server.web import answers  # noqa: F401 (templates use its filters)
from server.web.http.listener import STREAM, BoundedStream
from server.web.http.request import Refused, cancel_when_gone
from server.web.views.contests import ReportIndex, contest_of_today
from server.web.views.lobby import BOARDS, ListedMatch, Tiles, games_of, newest, overview, round_of

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


LOBBY, PROJECTOR = "pages/lobby.html", "pages/night.html"
"""Templates with blocks that are sent."""

CONTEST_BLOCKS = ("announcements", "head", "featured", "boards", "placed", "next", "last")
LOBBY_BLOCKS = (*CONTEST_BLOCKS[:-1], "others", "results", "people", "contests")

CONTESTS = 3
"""Contests that stand in the lobby."""

LOOK_SECONDS = 1.0
"""How often pages are looked at."""

AGAIN_SECONDS = 10.0
"""Pause after results of earlier servers could not be read."""

ReadNewest: TypeAlias = Callable[[], Awaitable[tuple[ListedMatch, ...]]]
"""Reads the last games of earlier servers; raises `Refused`."""

Values: TypeAlias = dict[str, Any]


class LivePage(Channel):
    """The blocks of a page that change."""

    def __init__(
        self,
        broadcaster: Broadcaster,
        template: str,
        blocks: tuple[str, ...],
        look: Callable[[], Awaitable[Values]],
    ) -> None:
        """Take the template, the blocks that are sent, and the function that returns their values."""
        super().__init__(broadcaster)
        self.browsers = 0
        """Number of browsers, also those that wait for the first look."""
        self._template = template
        self._look = look
        self._values: Values = {}
        self._looked = -LOOK_SECONDS
        self._looking = trio.Lock()
        self._blocks = dict.fromkeys(blocks, b"")
        self._sent = self._blocks

    async def values(self) -> Values:
        """Return what fills in the page, as it was a second ago at most."""
        async with self._looking:
            if trio.current_time() >= self._looked + LOOK_SECONDS:
                self._values = await self._look()
                self._looked = trio.current_time()
        return self._values

    async def refresh(self) -> None:
        """Render the blocks. Others get their turn after each: a long table takes a millisecond."""
        values = await self.values()
        blocks = {}
        for block in self._blocks:
            blocks[block] = framed(render_block(self._template, block, values), block)
            await trio.lowlevel.checkpoint()
        self._blocks = blocks
        self.changed()

    async def listen(self, mailbox: Mailbox) -> None:
        """Send a browser the blocks until it is gone."""
        self.browsers += 1
        try:
            if self.browsers == 1:
                await self.refresh()
            await super().listen(mailbox)
        finally:
            self.browsers -= 1

    def event(self) -> bytes | None:
        """Return the blocks that have changed."""
        last, self._sent = self._sent, self._blocks
        return b"".join(event for block, event in self._blocks.items() if event != last[block]) or None

    def snapshot(self) -> bytes:
        """Return all blocks."""
        return b"".join(self._blocks.values())


class LivePages:
    """The pages of an arena that stay fresh: the lobby, and the contests that browsers look at."""

    def __init__(self, arena: Arena, broadcaster: Broadcaster, read_newest: ReadNewest) -> None:
        """Begin with the lobby alone; ``read_newest`` reads the last games of earlier servers."""
        self.reports = ReportIndex(arena.settings.data, arena.run_in_thread)
        self.lobby = LivePage(broadcaster, LOBBY, LOBBY_BLOCKS, self._look_at_lobby)
        self._arena = arena
        self._broadcaster = broadcaster
        self._contests: dict[int, LivePage] = {}
        self._read_newest = read_newest
        self._wanted = trio.Event()
        self._earlier: tuple[ListedMatch, ...] | None = None
        """Results of earlier servers, the newest first; None as long as they are not read."""
        self._tiles = Tiles()

    def contest(self, number: int) -> LivePage:
        """Return the page of a contest, which may have no report yet."""
        look = partial(self._look_at_contest, number, Tiles())
        return self._contests.get(number) or LivePage(self._broadcaster, PROJECTOR, CONTEST_BLOCKS, look)

    async def listen(self, contest: int, mailbox: Mailbox) -> None:
        """Send a browser the page of a contest until it is gone."""
        page = self._contests[contest] = self.contest(contest)
        try:
            await page.listen(mailbox)
        finally:
            if not page.browsers:
                self._contests.pop(contest, None)

    async def run(self) -> None:
        """Refresh once a second the pages that browsers look at, until cancelled."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._read_earlier)
            while True:
                await trio.sleep(LOOK_SECONDS)
                for page in (self.lobby, *self._contests.values()):
                    if page.browsers:
                        try:
                            await page.refresh()
                        except Exception as error:  # there are other pages
                            log.error("page_refresh_failed", exc_info=error)

    async def _look_at_lobby(self) -> Values:
        self._wanted.set()
        try:
            contests = await self.reports.entries()
        except OSError as error:
            log.warning("contests_read_failed", error=repr(str(error)))
            contests = []
        today = contest_of_today(contests, datetime.now(UTC))
        running_first = sorted(contests, key=lambda entry: entry.closed is not None)
        others = tuple(entry for entry in running_first if entry is not today)[:CONTESTS]
        lobby = overview(self._arena, self._earlier, others)
        contest = await self._look_at_contest(None if today is None else today.contest, self._tiles)
        return {"lobby": lobby, **contest}

    async def _look_at_contest(self, number: int | None, tiles: Tiles) -> Values:
        """Return the values of a contest; without one, or as long as it has no report, the newest matches."""
        found = None if number is None else await self.reports.contest(number)
        report = None if found is None else found.report
        if number is None:
            games = list(islice(newest(self._arena), 2 * BOARDS))
        else:
            games = [] if report is None else games_of(report, self._arena.matches.values())
        last = self._arena.last_finished if number is None else None
        if report is not None and report.state is ContestState.PAUSED:  # its last board stays
            last = max(games_of(report, self._arena.recent), key=lambda match: match.number, default=None)
        tiles.choose(games, BOARDS, trio.current_time(), last)
        return {
            "number": number,
            "entry": None if found is None else found.entry,
            "report": report,
            "tiles": await _drawn(tiles, lambda match: 0 if report is None else round_of(report, match.players)),
            # the server's clock in milliseconds
            "now": microseconds() // 1000,
            "announcements": self._arena.announcements,
        }

    async def _read_earlier(self) -> None:
        """Read the results of earlier servers when somebody first looks; try again where that fails."""
        await self._wanted.wait()
        while self._earlier is None:
            try:
                self._earlier = await self._read_newest()
            except Refused as error:
                log.warning("past_results_read_failed", fault=str(error))
                await trio.sleep(AGAIN_SECONDS)


async def _drawn(tiles: Tiles, round_of: Callable[[ListedMatch], int]) -> list[tuple[dict[str, object], int]]:
    """Return tiles with the rounds of their games. Others get their turn after each: a board takes a millisecond."""
    found = []
    for tile in tiles.tiles():
        found.append((tile, round_of(tile["match"])))
        await trio.lowlevel.checkpoint()
    return found
