"""WebSocket connections on a simulated clock: what keeps a session alive, and frames that are read slowly."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock, memory_stream_pair
from wsproto.connection import Connection, ConnectionType
from wsproto.events import CloseConnection, Ping, Pong, TextMessage

from server.arena.session import serve_connection
from server.net.web_socket import IDLE_FRAMES, IDLE_FRAMES_AT_ONCE, WebSocketConnection
from tests.server.harness import FOREVER, ArenaHarness, ImmediateArrivals, open_arena


class Peer:
    """A client that speaks WebSocket by a library."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream = stream
        self.connection = Connection(ConnectionType.CLIENT)
        self.heard: list[object] = []

    async def say(self, *events: TextMessage | Ping) -> None:
        await self.stream.send_all(b"".join(self.connection.send(event) for event in events))

    async def next(self) -> object:
        """Return the text of the next message, or the next other event; None at the end."""
        while not self.heard:
            with trio.fail_after(FOREVER):
                data = await self.stream.receive_some()
            if not data:
                return None
            self.connection.receive_data(bytes(data))
            self.heard += self.connection.events()
        event = self.heard.pop(0)
        return event.data if isinstance(event, TextMessage) else event


@asynccontextmanager
async def connected(folder: Path, host: str) -> AsyncIterator[tuple[ArenaHarness, Peer]]:
    """A peer at an address, which was greeted."""
    async with open_arena(folder) as harness, trio.open_nursery() as nursery:
        near, far = memory_stream_pair()
        connection = WebSocketConnection(far, harness.arena.send_queue)
        quota = harness.rate_limiter.admit(host)
        nursery.start_soon(serve_connection, connection, harness.arena, ImmediateArrivals(), quota)
        peer = Peer(near)
        assert str(await peer.next()).startswith("ARENA 1 ")
        yield harness, peer
        nursery.cancel_scope.cancel()


async def test_pings_keep_no_guest_alive(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with connected(tmp_path, "192.0.2.1") as (harness, peer):
        for _ in range(10):
            await trio.sleep(40)
            await peer.say(Ping(b"x"))
            assert await peer.next() == Pong(b"x")
        list(harness.rate_limiter.close_overdue())
        assert str(await peer.next()).startswith("BYE silent ")
        assert await peer.next() == CloseConnection(1000, "")
        assert await peer.next() is None


async def test_a_message_that_does_not_end_is_a_line_that_does_not_end(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with connected(tmp_path, "192.0.2.1") as (harness, peer):
        await peer.say(TextMessage("LOGIN ann"))
        assert await peer.next() == "WELCOME ann\n"
        await peer.say(TextMessage("PI", message_finished=False))
        await trio.sleep(61)
        list(harness.rate_limiter.close_overdue())
        assert str(await peer.next()).startswith("BYE unfinished ")


@pytest.mark.parametrize(
    "idle", [Ping(b""), TextMessage(""), TextMessage("\n"), TextMessage("", message_finished=False)]
)
async def test_frames_that_end_no_line_are_read_slowly(
    tmp_path: Path, autojump_clock: MockClock, idle: TextMessage | Ping
) -> None:
    more = 5 * IDLE_FRAMES
    async with connected(tmp_path, "127.0.0.1") as (_, peer):
        await peer.say(*([idle] * (IDLE_FRAMES_AT_ONCE + more)), TextMessage("PING x"))
        while await peer.next() != "PONG x\n":
            pass
        assert trio.current_time() >= more / IDLE_FRAMES - 0.1
        times = set()
        for _ in range(200):
            await peer.say(TextMessage("PING x"))
            assert await peer.next() == "PONG x\n"
            times.add(trio.current_time())
        assert len(times) == 1, "lines are as fast as ever"
        await trio.sleep(100)
        before = trio.current_time()
        await peer.say(*([TextMessage("PING x")] * 3_000))
        for _ in range(3_000):
            assert await peer.next() == "PONG x\n"
        assert trio.current_time() == before, "also where many come at once"
