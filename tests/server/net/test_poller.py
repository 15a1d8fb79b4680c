"""A pass over all connections: each peer is read, answered and told in order, and faults of one reach nobody else."""

import os
import socket
from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import Any

import pytest
import trio
import trio.testing

from server.net.connection import LOW_PRIORITY_AT_ONCE, Connection, Pipes, Poller, SocketWire


@pytest.fixture
async def poller() -> AsyncIterator[Poller]:
    poller = Poller()
    async with poller.running():
        yield poller


@pytest.fixture
def pairs() -> Iterator[list[tuple[socket.socket, socket.socket]]]:
    found = [socket.socketpair() for _ in range(2)]
    yield found
    for pair in found:
        for end in pair:
            end.close()


async def test_connections_are_flushed_then_clocks_start_then_spectators_are_flushed_a_few_at_a_time(
    poller: Poller, autojump_clock: trio.testing.MockClock
) -> None:
    flushed: list[str] = []
    spectators = [f"spectator {number}" for number in range(2 * LOW_PRIORITY_AT_ONCE + 1)]
    for spectator in spectators:
        poller.flush(partial(flushed.append, spectator), low_priority=True)
    poller.start_clocks(partial(flushed.append, "clocks"))
    poller.flush(partial(flushed.append, "player"))
    await trio.testing.wait_all_tasks_blocked()
    assert flushed.index("player") + 1 == flushed.index("clocks")
    assert len(flushed) == 2 + LOW_PRIORITY_AT_ONCE
    await trio.sleep(1)
    assert [name for name in flushed if name in spectators] == spectators


class FaultyWire(SocketWire):
    """A socket whose `send` has a fault."""

    def __init__(self, connected: socket.socket) -> None:
        super().__init__(connected)
        self.send = self._fail

    def _fail(self, _data: Any, _flags: int = 0) -> int:
        raise RuntimeError("a fault of this one")


@pytest.mark.slow
async def test_a_fault_in_sending_to_one_peer_affects_no_other_peer(
    poller: Poller, pairs: list[tuple[socket.socket, socket.socket]]
) -> None:
    (_, faulty), (near, far) = pairs
    broken, other = Connection(FaultyWire(faulty), poller), Connection(SocketWire(far), poller)
    for connection in (broken, other):
        connection.send(b"TURN\n")
    await trio.testing.wait_all_tasks_blocked()
    assert broken.broken and not other.broken and near.recv(100) == b"TURN\n"


async def test_a_function_that_fails_or_leaves_concerns_its_own_descriptor(
    poller: Poller, pairs: list[tuple[socket.socket, socket.socket]]
) -> None:
    (near, far), (other_near, other_far) = pairs
    heard: list[bytes] = []

    def fail() -> bool:
        raise ValueError("a fault of this one")

    def readable() -> bool:
        heard.append(os.read(other_far.fileno(), 100))
        return heard[-1] != b"enough"

    async with trio.open_nursery() as nursery:
        nursery.start_soon(poller.watch, other_far.fileno(), readable)
        near.send(b"1")
        with pytest.raises(ValueError, match="of this one"):
            await poller.watch(far.fileno(), fail)
        for data in (b"one", b"enough", b"too much"):
            other_near.send(data)
            await trio.testing.wait_all_tasks_blocked()
        assert heard == [b"one", b"enough"]


async def test_a_descriptor_that_another_one_has_left_is_not_called_in_the_same_pass(
    poller: Poller, pairs: list[tuple[socket.socket, socket.socket]]
) -> None:
    called: list[int] = []
    far = [pair[1].fileno() for pair in pairs]
    async with trio.open_nursery() as nursery:
        for descriptor, other in (far, far[::-1]):

            def readable(descriptor: int = descriptor, other: int = other) -> bool:
                called.append(descriptor)
                poller.leave(other)
                return False

            nursery.start_soon(poller.watch, descriptor, readable)
        await trio.testing.wait_all_tasks_blocked()
        for near, _ in pairs:
            near.send(b"1")
    assert len(called) == 1


async def test_a_connection_that_is_closed_writes_to_no_descriptor(
    poller: Poller, pairs: list[tuple[socket.socket, socket.socket]]
) -> None:
    """The number of its descriptor is that of the next connection by then."""
    near, far = pairs[0]
    connection = Connection(SocketWire(far), poller)
    connection.send(b"before\n")
    await trio.testing.wait_all_tasks_blocked()
    connection.send(b"left over\n")
    connection.close()
    connection.send(b"behind\n")
    await trio.testing.wait_all_tasks_blocked()
    assert near.recv(100) == b"before\n" and near.recv(100) == b""
    assert connection.broken and not await connection.receive(lambda _data: True)


async def test_pipes_of_a_program_are_read_and_written_until_they_are_closed(poller: Poller) -> None:
    (theirs, to), (from_, said) = os.pipe(), os.pipe()
    with open(to, "wb", 0) as writing, open(from_, "rb", 0) as reading:
        pipes = Pipes(writing, reading)
    connection = Connection(pipes, poller)
    connection.send(b"TURN\n")
    await trio.testing.wait_all_tasks_blocked()
    assert os.read(theirs, 100) == b"TURN\n"
    heard: list[bytes] = []
    os.write(said, b"MOVE\n")

    def hear(data: bytes) -> bool:
        heard.append(data)
        return False

    assert await connection.receive(hear)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(connection.receive, lambda _data: True)
        await trio.testing.wait_all_tasks_blocked()
        closed = pipes.target()
        pipes.leave()
    assert heard == [b"MOVE\n"] and connection.broken
    os.dup2(theirs, closed)  # another file has the number now
    connection.send(b"to nobody\n")
    await trio.testing.wait_all_tasks_blocked()
    for _ in range(2):  # as the programs of a game that is over before they are served
        connection = Connection(pipes, poller)
        connection.send(b"ARENA\n")
        await connection.write_queued()
        assert connection.broken
    for descriptor in (theirs, said, closed):
        os.close(descriptor)


async def test_a_program_that_was_left_before_it_was_looked_at_has_read_nothing() -> None:
    reads, writes = os.pipe()
    with os.fdopen(writes, "wb") as writing, os.fdopen(reads, "rb") as reading:
        pipes = Pipes(writing, reading)
    pipes.leave()
    assert not await pipes.has_read(lambda: True)
