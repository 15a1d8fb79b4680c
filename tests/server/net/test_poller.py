"""A pass over all connections: each peer is read, answered and told in order, and faults of one reach nobody else."""

import os
import socket
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from engine.match import verification
from engine.wire import messages as m
from server.net.connection import LOW_PRIORITY_AT_ONCE, Connection, Pipes, Poller, SocketWire
from tests.server.harness import hear_all, open_arena, ready


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
    assert ["player", "clocks"] in (flushed[:2], flushed[LOW_PRIORITY_AT_ONCE:][:2])
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


@pytest.mark.parametrize("host", ["127.0.0.1", "192.0.2.1"], ids=["trusted", "limited"])
async def test_players_are_answered_however_their_lines_arrive(host: str, tmp_path: Path) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.connect("ann", host=host), await harness.connect("bob", host=host)
        await ann.ask(m.Seek("gipf", m.Text("params=3,3,9,9 budget=60000 colour=white")), m.Seeking)
        await bob.say(m.Seek("gipf"))
        await hear_all(m.Board, ann, bob)
        await ready(ann, bob)
        await ann.hear(m.Turn)
        await ann.say(m.Move(m.Text("a3-b3")))
        await bob.hear(m.Turn)
        await bob.stream.send_all(b"NOTE score=3\nMOVE g3-f3\nPING two\n")
        assert (await bob.hear(m.Pong)).text == "two"
        await ann.hear(m.Turn)
        await ann.stream.send_all(b"move a1")
        await ann.stream.send_all(b"-b2\r\n\n")
        await bob.hear(m.Turn)
        await bob.stream.send_all(b"MOVE\n")
        assert (await bob.hear(m.Error)).code == "bad_arguments"
        await bob.stream.send_all(b"MOVE d1-d2\nMOVE d1-d2\n")
        assert (await bob.hear(m.Error)).code == "not_your_turn"
        await ann.hear(m.Turn)
        await ann.stream.send_all(b"MOVE a1-a1\nPING three\n")
        assert (await bob.hear(m.Result)).reason == "bad_move"
        assert (await ann.hear(m.Pong)).text == "three"
        assert verification.verify(harness.record()).history.plies == 4
        await ann.stream.aclose()
        await bob.ask(m.Quit(), m.Bye)
        await bob.stream.aclose()
        await trio.testing.wait_all_tasks_blocked()
        assert not harness.arena.connected_sessions()


async def test_a_program_that_was_left_before_it_was_looked_at_has_read_nothing() -> None:
    reads, writes = os.pipe()
    with os.fdopen(writes, "wb") as writing, os.fdopen(reads, "rb") as reading:
        pipes = Pipes(writing, reading)
    pipes.leave()
    assert not await pipes.has_read(lambda: True)
