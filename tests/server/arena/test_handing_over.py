"""Where bytes take their way through TLS, clocks start when they have been handed over, not a pass before."""

import os
from pathlib import Path

import trio
import trio.testing
from trio.testing import MockClock, memory_stream_pair

from engine.match import verification
from engine.wire import messages as m
from server.arena.session import serve_stream
from server.contest.programs.pipes import Pipes
from server.net.connection import Connection
from server.net.send_queue import SendQueue
from tests.server.harness import ArenaHarness, Client, ImmediateArrivals, open_arena, ready

PAUSE = 0.5
"""Seconds that a slow stream takes to hand over what it is given."""


async def connect_slowly(harness: ArenaHarness, nursery: trio.Nursery, name: str) -> Client:
    """Log in over a stream that takes its time from then on."""
    near, far = memory_stream_pair()
    nursery.start_soon(serve_stream, far, harness.arena, ImmediateArrivals(), harness.rate_limiter.admit("127.0.0.1"))
    client = Client(near)
    await client.ask(m.Login(name), m.Welcome)

    pump = far.send_stream.send_all_hook
    assert pump is not None

    async def slow() -> None:
        await pump()
        await trio.sleep(PAUSE)

    far.send_stream.send_all_hook = slow
    return client


async def test_a_turn_is_stamped_when_the_stream_has_it(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path) as harness, trio.open_nursery() as nursery:
        ann, bob = await connect_slowly(harness, nursery, "ann"), await harness.connect("bob")
        await ann.ask(m.Seek("gipf", m.Text("params=3,3,9,9 budget=5000 colour=white")), m.Seeking)
        await bob.ask(m.Seek("gipf"), m.Board)
        await ann.hear(m.Board)
        await trio.sleep(2 * PAUSE)  # all that is on its way to ann has been handed over
        await ready(bob, ann)
        await ann.hear(m.Turn)
        await trio.sleep(PAUSE + 0.2)
        before = left_of(harness)
        await ann.say(m.Move(m.Text("a3-b3")))
        moved = await bob.hear(m.Moved)
        assert moved.first == before // 1000 - 200, "the way through the stream is charged to nobody"
        nursery.cancel_scope.cancel()


def left_of(harness: ArenaHarness) -> int:
    return harness.arena.matches[1].state.clock.left[0]


async def test_a_clock_runs_also_where_nothing_can_be_handed_over(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path) as harness, trio.open_nursery() as nursery:
        ann, bob = await connect_slowly(harness, nursery, "ann"), await harness.connect("bob")
        await ann.ask(m.Seek("gipf", m.Text("params=3,3,9,9 budget=5000 colour=white")), m.Seeking)
        await bob.say(m.Seek("gipf"))
        await ready(bob, ann)
        await ann.stream.aclose()
        assert (await bob.hear(m.Result)).reason == "time"
        nursery.cancel_scope.cancel()


async def test_what_is_to_be_called_is_called_once_also_when_it_is_too_late(autojump_clock: MockClock) -> None:
    called: list[str] = []
    send_queue = SendQueue()
    _, far = memory_stream_pair()
    connection = Connection(far, send_queue)
    connection.send(b"before\n")
    connection.call_when_sent(lambda: called.append("handed"))
    await trio.testing.wait_all_tasks_blocked()
    assert not called
    async with trio.open_nursery() as nursery:
        nursery.start_soon(connection.write_queued)
        send_queue.before_io_wait(0)
        await trio.testing.wait_all_tasks_blocked()
        assert called == ["handed"]
        connection.send(b"never\n")
        connection.call_when_sent(lambda: called.append("broken"))
        connection.close()
    connection.call_when_sent(lambda: called.append("over"))
    await trio.testing.wait_all_tasks_blocked()
    assert called == ["handed", "broken", "over"]


async def test_time_stands_until_the_slower_stream_has_been_told_of_the_match(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """Who is told at once may be ready, or gone, before its opponent knows: stamps of one record never run back."""
    async with open_arena(tmp_path) as harness, trio.open_nursery() as nursery:
        ann, bob = await connect_slowly(harness, nursery, "ann"), await harness.connect("bob")
        await ann.ask(m.Seek("gipf", m.Text("params=2,3,5,5 budget=400 colour=white")), m.Seeking)
        await trio.sleep(2 * PAUSE)
        await bob.ask(m.Seek("gipf"), m.Board)
        await trio.sleep(0.3)
        await bob.say(m.Ready())  # the budget would be over before ann is told
        await ann.hear(m.Board)
        await trio.sleep(PAUSE)
        await ann.ask(m.Ready(), m.Turn)
        await ann.say(m.Move(m.Text("a1-b2")))
        assert (await bob.hear(m.Result)).reason == "dead_lock"
        summary = verification.verify(harness.record())
        assert summary.initialised[0] == (1, (400_000, 400_000), summary.initialised[0].charge)
        nursery.cancel_scope.cancel()


async def test_the_pipes_of_a_program_are_written_at_the_end_of_the_pass_and_never_when_they_are_closed() -> None:
    send_queue = SendQueue()
    (theirs, to), (from_, said) = os.pipe(), os.pipe()
    with open(to, "wb", 0) as writing, open(from_, "rb", 0) as reading:
        pipes = Pipes(writing, reading)
    connection = Connection(pipes, send_queue)
    assert connection.direct
    connection.send(b"TURN\n")
    send_queue.before_io_wait(0)
    assert os.read(theirs, 100) == b"TURN\n", "nobody had to be woken up for it"
    os.write(said, b"MOVE\n")
    assert await connection.receive() == b"MOVE\n"
    async with trio.open_nursery() as nursery:
        heard: list[bytes | None] = []

        async def hear() -> None:
            heard.append(await connection.receive())

        nursery.start_soon(hear)
        await trio.testing.wait_all_tasks_blocked()
        closed = pipes.target()
        await pipes.leave()
    assert heard == [None]
    os.dup2(theirs, closed)  # another file has the number now
    assert (pipes.source(), pipes.target()) == (-1, -1)
    connection.send(b"to nobody\n")
    send_queue.before_io_wait(0)
    assert connection.broken
    for descriptor in (theirs, said, closed):
        os.close(descriptor)
