"""An arena with pairs of sockets in place of a network, and clients that speak the protocol to it."""

import io
import shutil
import socket
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, redirect_stderr, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import structlog
import trio
import trio.testing

from engine.games.catalogue import GAMES
from engine.wire import messages as m
from engine.wire.ends import IN_MATCH, ClientEnd
from server.arena.arena import Arena
from server.arena.journals import resume_matches
from server.arena.session import serve_stream
from server.config.settings import Settings
from server.contest.hosts.contest_players import ContestPlayers
from server.match.match import Match
from server.net.admission import RateLimiter
from server.net.connection import SocketWire
from server.net.timing import microseconds
from server.ops import logs
from server.storage.record_store import RecordStore
from tests.waiting import WAIT_SECONDS

MessageType = TypeVar("MessageType")


FOREVER = 1_000_000
"""Seconds, on a simulated clock, after which a test that waits for a message has failed."""


@contextmanager
def logged(**options: bool) -> Iterator[io.StringIO]:
    """Catch what the server writes into its log, as `server.ops.logs.configure` has it with these options."""
    written = io.StringIO()
    with redirect_stderr(written):
        logs.configure(**options)
        try:
            yield written
        finally:
            structlog.reset_defaults()


async def at_once(work: Callable[..., Any], *what: Any) -> Any:
    """Do what the server does in a thread: a simulated clock would not wait for one."""
    await trio.lowlevel.checkpoint()
    return work(*what)


def stream_pair() -> tuple[trio.SocketStream, SocketWire]:
    """Return the two ends of a connection: that of a client, and that of the arena."""
    near, far = socket.socketpair()
    return trio.SocketStream(trio.socket.from_stdlib_socket(near)), SocketWire(far)


class Client:
    """One peer of the arena."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream
        self.end = ClientEnd()
        self.heard: list[Any] = []
        self.match = 0
        self.token = ""

    async def say(self, *messages: m.Message) -> None:
        """Say something, and let the arena answer before anything else is said."""
        for message in messages:
            await self.stream.send_all(self.end.send(message))
        await trio.testing.wait_all_tasks_blocked()

    async def next(self) -> Any:
        """Return the next message; None when the server has closed."""
        while not self.heard:
            with trio.fail_after(FOREVER):
                data = await self.stream.receive_some()
            if not data:
                return None
            self.heard += self.end.receive(bytes(data))
        message = self.heard.pop(0)
        if isinstance(message, m.Match):
            self.match, self.token = message.match, message.token
        return message

    async def hear(self, kind: type[MessageType]) -> MessageType:
        """Return the next message of a kind, passing over others."""
        while True:
            message = await self.next()
            assert message is not None, f"closed before {kind.__name__}"
            if isinstance(message, kind):
                return message

    async def ask(self, message: m.Message, kind: type[MessageType]) -> MessageType:
        """Say something, and return the next message of a kind."""
        await self.say(message)
        return await self.hear(kind)

    async def answer(self, message: m.Message) -> Any:
        """Say something, and return the next message."""
        await self.say(message)
        return await self.next()

    async def nothing(self) -> None:
        """Show that nothing more has been sent."""
        with trio.move_on_after(0.001):
            message = await self.next()
            raise AssertionError(f"{message} was not expected")


class ArenaHarness:
    """An arena under test, to which clients connect."""

    def __init__(self, arena: Arena, folder: Path, nursery: trio.Nursery) -> None:
        self.arena = arena
        self.folder = folder
        self.worked = 0
        """Microseconds that the event loop has worked, as far as limits know."""
        self.rate_limiter = RateLimiter(
            arena.settings.limits, arena.settings.most_sessions, microseconds, lambda: self.worked
        )
        self._nursery = nursery
        self._sockets = ExitStack()

    def close(self) -> None:
        """Close the connections of all clients."""
        self._sockets.close()

    async def connect(self, name: str = "", token: str = "", host: str = "127.0.0.1") -> Client:
        """Connect from an address; raises `server.net.admission.TooMany`."""
        near, far = stream_pair()
        self._sockets.callback(near.socket.close)
        quota = self.rate_limiter.admit(host)

        async def serve() -> None:
            await serve_stream(far, self.arena, quota)
            self.rate_limiter.leave(quota)

        self._nursery.start_soon(serve)
        client = Client(near)
        await client.hear(m.Arena)
        if name:
            await client.say(m.Login(name, token))
            await client.hear(m.Welcome)
        return client

    async def pair(
        self,
        options: str = "params=3,3,9,9 budget=1000",
        game: str = "gipf",
        names: tuple[str, str] = ("ann", "bob"),
    ) -> tuple[Client, Client]:
        """Return two clients for whom a match was announced; the first begins."""
        first, second = await self.connect(names[0]), await self.connect(names[1])
        await first.say(m.Seek(game, m.Text(f"{options} colour={GAMES[game].sides[0]}")))
        await second.say(m.Seek(game, m.Text(options)))
        for client in (first, second):
            await client.hear(m.Board)
        return first, second

    async def begin(self, options: str = "params=3,3,9,9 budget=1000", game: str = "gipf") -> tuple[Client, Client]:
        """Return two clients in a match in play; the first begins."""
        first, second = await self.pair(options, game)
        await ready(first, second)
        return first, second

    async def guest(self, message: m.Message, *kinds: type) -> Client:
        """Connect without a name, and say something; with a kind, wait for a message of this kind."""
        client = await self.connect()
        await client.say(message)
        for kind in kinds:
            await client.hear(kind)
        return client

    def die(self, name: str = "after") -> Path:
        """Return a copy of the data directory as it is now, as a server finds it that starts after this one died."""
        after = self.folder.parent / f"{self.folder.name}-{name}"
        while True:
            with suppress(OSError):  # a thread renames a file
                before = files_of(self.folder)
                shutil.copytree(self.folder, after)
                if files_of(self.folder) == before:
                    return after
            shutil.rmtree(after, ignore_errors=True)
            time.sleep(0.005)  # threads that write now end; nothing else begins meanwhile

    def match(self, number: int = 1) -> Match:
        """Return a running match."""
        found = self.arena.matches.get(number)
        assert found is not None
        return found

    def record(self, match: int = 1) -> str:
        return (self.folder / "records" / f"{match}.txt").read_text(encoding="utf-8")


def files_of(folder: Path) -> dict[Path, tuple[int, int]]:
    """Return the files of a folder with their last changes and sizes."""
    found = {path: path.stat() for path in folder.rglob("*")}
    return {path: (one.st_mtime_ns, one.st_size) for path, one in found.items()}


@asynccontextmanager
async def open_arena(
    folder: Path,
    *,
    change: Callable[[Settings], Settings] = lambda settings: settings,
    later: timedelta = timedelta(0),
    record_store: Callable[[Path], RecordStore] = RecordStore,
    results: Collection[int] = (),
) -> AsyncIterator[ArenaHarness]:
    """Run an arena over a data directory, and resume its matches as if the time ``later`` had passed.

    ``results`` are the matches whose results contests have.
    """
    settings = change(Settings(data=folder))
    kept = record_store(folder)
    arena = Arena(settings, kept, microseconds, "gipf-arena/test", ContestPlayers())
    arena.run_in_thread = at_once
    resume_matches(arena, kept, lambda: datetime.now(UTC) + later, results)
    async with arena.running(), trio.open_nursery() as nursery:
        harness = ArenaHarness(arena, folder, nursery)
        try:
            yield harness
        finally:
            harness.close()
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def playing(
    folder: Path, options: str = "params=3,3,9,9 budget=1000", game: str = "gipf", **arena: Any
) -> AsyncIterator[tuple[ArenaHarness, Client, Client]]:
    """Run an arena in which two clients are in play; the first begins. Further options are those of `open_arena`."""
    async with open_arena(folder, **arena) as harness:
        yield harness, *await harness.begin(options, game)


async def until(true: Callable[[], object]) -> None:
    """Wait until something is true."""
    with trio.fail_after(WAIT_SECONDS):
        while not true():
            await trio.sleep(0.005)


async def ready(*clients: Client) -> None:
    """Let clients say READY when their match is announced, and wait until play has begun."""
    for client in clients:
        while client.end.state not in IN_MATCH:
            await client.hear(m.Board)
        await client.say(m.Ready())
    for client in clients:
        await client.hear(m.Start)


async def say_all(message: m.Message, *clients: Client) -> None:
    """Let each client say the same, one after the other."""
    for client in clients:
        await client.say(message)


async def hear_all(kind: type, *clients: Client) -> None:
    """Wait until each client has been sent a message of a kind."""
    for client in clients:
        await client.hear(kind)


async def play(mover: Client, other: Client, move: str) -> None:
    """Play a move that does not end the game."""
    await mover.say(m.Move(m.Text(move)))
    await mover.hear(m.Moved)
    await other.hear(m.Moved)
