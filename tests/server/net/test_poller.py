"""Sockets that are read without waking a task: what arrives is passed on in time, in order, and to whom it belongs."""

import os
import socket
from pathlib import Path

import pytest
import trio
import trio.testing

from engine.match import verification
from engine.wire import messages as m
from server.arena.session import serve_stream
from server.net.poller import Poller
from tests.server.harness import ArenaHarness, Client, ImmediateArrivals, open_arena, ready
from tests.waiting import WAIT_SECONDS


def stream_of(side: socket.socket) -> trio.SocketStream:
    return trio.SocketStream(trio.socket.from_stdlib_socket(side))


async def started(nursery: trio.Nursery) -> Poller:
    poller = Poller()
    nursery.start_soon(poller.run)
    await trio.testing.wait_all_tasks_blocked()
    assert poller.runs
    return poller


async def test_a_function_is_called_with_each_piece_until_it_wants_no_more() -> None:
    heard: list[bytes] = []
    near, far = socket.socketpair()

    def readable() -> bool:
        heard.append(os.read(far.fileno(), 100))
        return heard[-1] != b"enough"

    with near, far:
        async with trio.open_nursery() as nursery:
            poller = await started(nursery)
            nursery.start_soon(poller.watch, far.fileno(), readable)
            for data in (b"one", b"two", b"enough", b"too much"):
                near.send(data)
                await trio.testing.wait_all_tasks_blocked()
            assert heard == [b"one", b"two", b"enough"]
            poller.leave(far.fileno())
            assert os.read(far.fileno(), 100) == b"too much"
            nursery.cancel_scope.cancel()


async def test_who_leaves_in_a_pass_is_not_called_in_it() -> None:
    (near, far), (other_near, other_far) = socket.socketpair(), socket.socketpair()
    called: list[int] = []
    with near, far, other_near, other_far:
        async with trio.open_nursery() as nursery:
            poller = await started(nursery)

            def watch(descriptor: int, other: int) -> None:
                def readable() -> bool:
                    called.append(descriptor)
                    poller.leave(other)
                    return False

                nursery.start_soon(poller.watch, descriptor, readable)

            watch(far.fileno(), other_far.fileno())
            watch(other_far.fileno(), far.fileno())
            await trio.testing.wait_all_tasks_blocked()
            near.send(b"1")
            other_near.send(b"2")
            await trio.testing.wait_all_tasks_blocked()
            assert len(called) == 1
            nursery.cancel_scope.cancel()


async def test_an_error_reaches_who_watches_and_nobody_else() -> None:
    (near, far), (other_near, other_far) = socket.socketpair(), socket.socketpair()
    heard: list[bytes] = []

    def fail() -> bool:
        raise ValueError("a fault of this one")

    def readable() -> bool:
        heard.append(os.read(other_far.fileno(), 100))
        return True

    with near, far, other_near, other_far:
        async with trio.open_nursery() as nursery:
            poller = await started(nursery)
            nursery.start_soon(poller.watch, other_far.fileno(), readable)
            near.send(b"1")
            with pytest.raises(ValueError, match="of this one"):
                await poller.watch(far.fileno(), fail)
            other_near.send(b"2")
            await trio.testing.wait_all_tasks_blocked()
            assert heard == [b"2"]
            nursery.cancel_scope.cancel()


async def test_when_the_poller_ends_those_who_watch_go_on() -> None:
    near, far = socket.socketpair()
    with near, far:
        async with trio.open_nursery() as nursery:
            poller = await started(nursery)
            with trio.fail_after(WAIT_SECONDS):
                async with trio.open_nursery() as watching:
                    watching.start_soon(poller.watch, far.fileno(), lambda: True)
                    await trio.testing.wait_all_tasks_blocked()
                    nursery.cancel_scope.cancel()
        assert not poller.runs


async def connect(harness: ArenaHarness, nursery: trio.Nursery, name: str, host: str) -> Client:
    near, far = socket.socketpair()
    quota = harness.rate_limiter.admit(host)
    nursery.start_soon(serve_stream, stream_of(far), harness.arena, ImmediateArrivals(), quota)
    client = Client(stream_of(near))
    await client.ask(m.Login(name), m.Welcome)
    return client


async def open_game(ann: Client, bob: Client) -> None:
    """Let them begin a match, in which ann has played a3-b3."""
    await ann.ask(m.Seek("gipf", m.Text("params=3,3,9,9 budget=60000 colour=white")), m.Seeking)
    await bob.say(m.Seek("gipf"))
    for client in (ann, bob):
        await client.hear(m.Board)
    await ready(ann, bob)
    await ann.hear(m.Turn)
    await ann.say(m.Move(m.Text("a3-b3")))
    await bob.hear(m.Turn)


@pytest.mark.parametrize("host", ["127.0.0.1", "192.0.2.1"], ids=["trusted", "limited"])
async def test_players_are_answered_however_their_lines_arrive(host: str, tmp_path: Path) -> None:
    async with open_arena(tmp_path) as harness, trio.open_nursery() as nursery:
        nursery.start_soon(harness.arena.poller.run)
        ann, bob = await connect(harness, nursery, "ann", host), await connect(harness, nursery, "bob", host)
        await open_game(ann, bob)
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
        nursery.cancel_scope.cancel()


def tasks_that_read() -> int:
    waiting: int = getattr(trio.lowlevel.current_statistics().io_statistics, "tasks_waiting_read", 0)
    return waiting


async def test_a_player_who_hangs_up_in_a_match_is_missed_at_once(tmp_path: Path) -> None:
    async with open_arena(tmp_path) as harness, trio.open_nursery() as nursery:
        nursery.start_soon(harness.arena.poller.run)
        ann, bob = await connect(harness, nursery, "ann", "127.0.0.1"), await connect(harness, nursery, "bob", "::1")
        await trio.testing.wait_all_tasks_blocked()
        before = tasks_that_read()
        await open_game(ann, bob)
        await trio.testing.wait_all_tasks_blocked()
        assert tasks_that_read() == before - 2, "players in a match have no task that waits for them"
        await ann.stream.aclose()
        assert (await bob.hear(m.Opponent)).presence == "gone"
        await bob.stream.aclose()
        nursery.cancel_scope.cancel()
