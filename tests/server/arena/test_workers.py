"""A server whose matches are in other processes: for whoever connects it is one server, also when a process dies."""

import os
import signal
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from engine import record
from engine.wire import messages as m
from engine.wire.states import State
from server.arena.workers.pool import SILENT_SECONDS, Pool, Worker
from server.config.limits import Limits
from server.net.event_loop import microseconds
from server.net.lending.process_channel import ProcessChannel, channel_pair
from server.net.rate_limiter import RateLimiter
from tests.server.harness import open_arena
from tests.server.ops.test_metrics import adds_up, read
from tests.server.process import START_SECONDS, Client, ServerProcess, pair

OPTIONS = "params=3,3,9,9 budget=600000"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path / "data", "--workers", "1") as server:
        yield server


@pytest.fixture
def peers(server: ServerProcess) -> Iterator["Peers"]:
    with ExitStack() as kept:
        yield Peers(server, kept)


class Peers:
    """Connects clients, and closes their connections in the end."""

    def __init__(self, server: ServerProcess, kept: ExitStack) -> None:
        self._server, self._kept = server, kept

    def connect(self, name: str = "") -> Client:
        client = Client(self._server.port, name)
        self._kept.callback(client.close)
        return client

    def resume(self, match: int, before: Client) -> Client:
        """Come back to a match with the token of an earlier connection."""
        client = self.connect()
        client.token = before.token
        client.say(m.Resume(match, before.token))
        return client


def _runs(process: int) -> bool:
    """Tell whether a process runs; one that has ended and was not waited for does not."""
    try:
        return " Z " not in Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def worker_of(server: ServerProcess) -> int:
    """Return the number of the worker process that was started last."""
    started = [line for line in server.log.splitlines() if "event=worker_started" in line]
    return int(started[-1].partition("process=")[2])


def test_what_was_sent_in_one_piece_is_answered_by_whom_it_is_for(server: ServerProcess, peers: Peers) -> None:
    ann, bob = peers.connect("ann"), peers.connect("bob")
    ann.say(m.Seek("gipf", m.Text(f"{OPTIONS} colour=white")))
    ann.hear(m.Seeking)
    bob.socket.sendall(f"SEEK gipf {OPTIONS}\nPING early\nREADY\nRESI".encode())
    assert bob.hear(m.Pong).text == "early"
    ann.say(m.Ready())
    ann.hear(m.Start)
    bob.socket.sendall(b"GN\nPING late\nLIST\n")
    assert bob.hear(m.Result).reason == "resign"
    assert bob.hear(m.Pong).text == "late"
    assert bob.hear(m.Matches).lines[0].endswith("white resign")


def test_a_player_comes_back_to_a_match_in_another_process(server: ServerProcess, peers: Peers) -> None:
    with pair(server.port, OPTIONS) as (ann, bob):
        ann.hear(m.Turn)
        ann.close()
        assert bob.hear(m.Opponent).presence == "gone"
        taken = peers.connect()
        taken.say(m.Login("ann"))
        assert taken.hear(m.Error).code == "name_taken"
        ann = peers.resume(1, ann)
        assert bob.hear(m.Opponent).presence == "back"
        ann.hear(m.Turn)
        other = peers.resume(1, ann)
        assert ann.hear(m.Bye).reason == "resumed"
        other.hear(m.Turn)
        other.say(m.Move(m.Text("a3-b3")))
        assert bob.hear(m.Moved).ply == 1


@pytest.mark.slow
def test_a_worker_that_dies_costs_nobody_a_move(server: ServerProcess, peers: Peers) -> None:
    with pair(server.port, OPTIONS) as (ann, bob):
        guest = peers.connect()
        guest.say(m.Watch(1))
        guest.hear(m.Board)
        ann.hear(m.Turn)
        ann.say(m.Move(m.Text("a3-b3")))
        bob.hear(m.Turn)
        os.kill(worker_of(server), signal.SIGKILL)
        server.logs("event=worker_died")
        ann, bob = peers.resume(1, ann), peers.resume(1, bob)
        assert ann.hear(m.Moved) == bob.hear(m.Moved) == guest.hear(m.Moved)
        bob.hear(m.Turn)
        bob.say(m.Resign())
        assert ann.hear(m.Result) == guest.hear(m.Result)
        deadline = time.monotonic() + START_SECONDS
        while server.log.count("event=worker_started") < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        for client in (ann, bob):
            client.say(m.Seek("gipf", m.Text(OPTIONS)))
        assert ann.hear(m.Match).match == 2
        bob.hear(m.Match)
        assert server.stop() == 0
    summary = record.verify((server.data / "records" / "1.txt").read_text(encoding="utf-8"))
    assert (summary.history.moves, summary.reason) == (("a3-b3",), "resign")


def test_metrics_count_matches_in_other_processes(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data", "--workers", "1", "--metrics", "0") as server:
        url = server.logs("url=").partition("url=")[2].split()[0]

        def wait_for(name: str, label: str, value: float) -> None:
            deadline = time.monotonic() + START_SECONDS
            while True:
                with urllib.request.urlopen(url, timeout=START_SECONDS) as answer:
                    found = read(answer.read().decode())
                assert adds_up(found)
                if found[name, label] == value:
                    return
                assert time.monotonic() < deadline, found
                time.sleep(0.01)

        with pair(server.port, OPTIONS) as (ann, bob):
            wait_for("arena_matches_running", "", 1)
            ann.say(m.Move(m.Text("a3-b3")))
            bob.hear(m.Turn)
            wait_for("arena_move_seconds_count", "", 1)
            bob.say(m.Resign())
            ann.hear(m.Result)
            wait_for("arena_matches_ended_total", "resign", 1)
            wait_for("arena_matches_running", "", 0)


async def test_a_process_that_says_nothing_is_given_up(tmp_path: Path, autojump_clock: MockClock) -> None:
    ours, theirs = channel_pair()
    async with open_arena(tmp_path) as harness:
        pool, channel = (
            Pool(harness.arena, harness.arena.record_store, harness.rate_limiter, 0, microseconds),
            ProcessChannel(ours),
        )
        began = trio.current_time()
        assert not await pool._hear(Worker(pool, channel), channel)
        assert trio.current_time() - began == 2 * SILENT_SECONDS
        channel.close()
        theirs.close()


async def test_half_a_line_that_goes_elsewhere_with_its_connection_is_not_overdue_here(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with open_arena(tmp_path) as harness:
        quota = harness.rate_limiter.take_in("203.0.113.7", 1, limited=True)
        closed: list[str] = []

        class Player:
            state = State.SEEKING

            def close(self, reason: str, sentence: str) -> None:
                closed.append(reason)

        quota.session = Player()
        quota.read(b"READ", microseconds())
        quota.forget_line()
        await trio.sleep(100)
        for _ in harness.rate_limiter.close_overdue():
            pass
        assert closed == []
        harness.rate_limiter.leave(quota)


@pytest.mark.slow
def test_a_killed_server_takes_its_workers_along(server: ServerProcess, peers: Peers) -> None:
    with pair(server.port, OPTIONS) as (ann, bob):
        ann.hear(m.Turn)
        ann.say(m.Move(m.Text("a3-b3")))
        bob.hear(m.Turn)
        worker = worker_of(server)
        server.kill()
        server.start()
        server.wait()
        while _runs(worker):
            time.sleep(0.01)
        ann, bob = peers.resume(1, ann), peers.resume(1, bob)
        assert ann.hear(m.Moved).move == "a3-b3"
        bob.hear(m.Turn)
        bob.say(m.Resign())
        assert ann.hear(m.Result).reason == "resign"


async def test_messages_in_other_processes_count_for_their_address(tmp_path: Path, autojump_clock: MockClock) -> None:
    limits = Limits(messages_of_address=100)
    server, one = RateLimiter(limits, 10, microseconds), RateLimiter(limits, 10, microseconds)
    here = [server.admit("203.0.113.7") for _ in range(4)]
    there = one.take_in("203.0.113.7", here[0].connections, limited=True)
    assert there.connections == 4, "it gets a quarter of what its address may send"
    there.used(1000)
    assert (one.spent(), one.spent()) == ({"203.0.113.7": 1000}, {})
    server.leave(here.pop())
    one.share("203.0.113.7", server.charge("203.0.113.7", 1000))
    assert there.connections == 3
    began = trio.current_time()
    async with await here[0].turn(more=False):
        assert trio.current_time() - began == pytest.approx((1000 - limits.messages_at_once) / 100)


async def test_what_a_player_owes_goes_with_its_connection(autojump_clock: MockClock) -> None:
    one, other = (RateLimiter(Limits(), 10, microseconds).take_in("203.0.113.7", 1, limited=True) for _ in range(2))

    class Player:
        state = State.THINKING

    one.session = other.session = Player()  # type: ignore[assignment]
    one.used(500)
    await trio.sleep(0.1)
    other.go_on(one.owed)
    assert other.owed == one.owed == 400_000
