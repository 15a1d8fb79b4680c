"""Limits: the arithmetic of rates, who is let in, and what becomes of those who ask for too much."""

from functools import partial
from pathlib import Path

import msgspec
import pytest
import trio
from hypothesis import given, strategies as st
from inline_snapshot import snapshot
from inline_snapshot.extra import raises
from structlog.testing import capture_logs
from trio.testing import MockClock

from engine.wire import messages as m
from server.arena import session
from server.arena.lobby import Player
from server.arena.requests import BackgroundAnswer, Requests
from server.config.settings import (
    ANSWER_BYTES,
    FIRST_MESSAGES,
    RECEIVE_BYTES,
    TRUSTED_AT_ONCE,
    TRUSTED_MESSAGES,
    WORK,
    WRITE_BYTES,
    Limits,
    Rate,
    Settings,
    address_of,
    is_trusted,
)
from server.net import admission as limiting
from server.net.admission import RateLimiter
from tests.clocks import SetClock
from tests.server.harness import ArenaHarness, Client, open_arena, play, playing, until
from tests.waiting import WAIT_SECONDS

STRANGER = "192.0.2.7"
NEIGHBOUR = "192.0.2.8"
SECOND = 1_000_000


def limited(settings: Settings) -> Settings:
    """Small limits, so that tests reach them."""
    limits = Limits(
        connections=4,
        connects=1,
        connects_at_once=6,
        messages=100,
        messages_of_address=100,
        messages_at_once=10,
        matches=2,
    )
    return msgspec.structs.replace(settings, limits=limits)


@given(
    uses=st.lists(st.tuples(st.integers(0, 3 * SECOND), st.integers(1, 50)), min_size=1, max_size=30),
    a_second=st.integers(1, 100),
    at_once=st.integers(0, 100),
)
def test_rate_is_that_of_a_token_bucket(uses: list[tuple[int, int]], a_second: int, at_once: int) -> None:
    rate = Rate()
    now, tokens = 0, float(at_once)
    for pause, cost in uses:
        now, tokens = now + pause, min(at_once, tokens + pause * a_second / SECOND) - cost
        rate.use(now, cost, a_second)
        assert rate.owed(now, a_second, at_once) == pytest.approx(max(0.0, -tokens) / a_second * SECOND, abs=1)


def test_rate_that_is_not_allowed_is_not_used() -> None:
    rate = Rate()
    assert [rate.allows(0, 1, a_second=1, at_once=2) for _ in range(4)] == [True, True, False, False]
    assert not rate.unused(0)
    assert rate.allows(SECOND, 1, a_second=1, at_once=2)
    assert rate.unused(4 * SECOND)


@pytest.mark.parametrize(
    ("host", "address", "trusted"),
    [
        ("127.0.0.1", "127.0.0.1", True),
        ("127.8.9.1", "127.8.9.1", True),
        ("::1", "::/64", True),
        ("::ffff:127.0.0.1", "127.0.0.1", True),
        ("::ffff:192.0.2.7", "192.0.2.7", False),
        ("192.0.2.7", "192.0.2.7", False),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", False),
        ("fe80::1%eth0", "fe80::/64", False),
    ],
)
def test_address_is_counted_as_one_whatever_it_looks_like(host: str, address: str, trusted: bool) -> None:
    assert address_of(host) == address
    assert is_trusted(host, Limits()) is trusted


def test_gate_bounds_connections_of_an_address_and_lets_others_in() -> None:
    clock = SetClock(0)
    rate_limiter = RateLimiter(Limits(connections=3, connects_at_once=100), 5, clock)
    visits = [rate_limiter.admit(STRANGER) for _ in range(3)]
    with raises(snapshot("TooMany: 3 connections of your address are open; close some")):
        rate_limiter.admit(STRANGER)
    rate_limiter.admit(NEIGHBOUR)
    rate_limiter.leave(visits[0])
    rate_limiter.admit(STRANGER)
    rate_limiter.admit("127.0.0.1")
    with raises(snapshot("TooMany: 5 connections are open; try later")):
        rate_limiter.admit("127.0.0.1")
    assert rate_limiter.refused == {STRANGER: 1, "127.0.0.1": 1}


def test_gate_bounds_how_fast_an_address_connects_and_forgets_it_in_time() -> None:
    clock = SetClock(0)
    rate_limiter = RateLimiter(Limits(connects=10, connects_at_once=2), 100, clock)
    for _ in range(2):
        rate_limiter.leave(rate_limiter.admit(STRANGER))
    with raises(snapshot("TooMany: your address makes more than 10 connections a second")):
        rate_limiter.admit(STRANGER)
    clock.now = SECOND // 10
    rate_limiter.leave(rate_limiter.admit(STRANGER))
    for number in range(1000):
        rate_limiter.leave(rate_limiter.admit(f"2001:db8:0:{number:x}::1"))
    assert len(rate_limiter._addresses) == 1001
    clock.now = 10 * SECOND
    rate_limiter.close_overdue()
    assert (len(rate_limiter._addresses), len(rate_limiter.quotas)) == (0, 0)


def test_long_work_of_a_stranger_counts_as_messages() -> None:
    quota = RateLimiter(Limits(messages_at_once=FIRST_MESSAGES), 1, SetClock(0)).admit(STRANGER)
    quota.use(1, 0, WORK * (FIRST_MESSAGES - 1))
    assert quota.may_go_on(0, more=True)
    quota.use(0, 0, WORK)
    assert not quota.may_go_on(0, more=True)


async def _answers(client: Client, seconds: float) -> int:
    """Count the answers that come within a time."""
    count = 0
    with trio.move_on_after(seconds):
        while await client.next() is not None:
            count += 1
    return count


async def test_who_sends_too_much_is_read_more_slowly(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path, change=limited) as harness:
        stranger, local = await harness.connect(host=STRANGER), await harness.connect()
        for client in (stranger, local):
            await client.stream.send_all(b"PING\n" * 100)
            await client.stream.send_all(b"PING\n" * 100)
        assert await _answers(local, 0.01) == 200
        at_once, in_a_second = await _answers(stranger, 0.005), await _answers(stranger, 1.0)
        assert 10 <= at_once <= 12 and 99 <= in_a_second <= 101
        assert await _answers(stranger, 2.0) == 200 - at_once - in_a_second


async def test_newcomer_has_to_earn_what_may_be_sent_at_once(harness: ArenaHarness, autojump_clock: MockClock) -> None:
    client = await harness.connect(host=STRANGER)
    await client.stream.send_all(b"PING\n" * 500)
    assert await _answers(client, 0.0005) == FIRST_MESSAGES + 1
    await trio.sleep(10)
    await _answers(client, 0.1)
    await client.stream.send_all(b"PING\n" * 500)
    assert await _answers(client, 0.0005) == Limits().messages_at_once + 1


async def test_who_floods_on_is_closed_and_nobody_else(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path, change=limited) as harness:
        flood, other = await harness.connect(host=STRANGER), await harness.connect(host=STRANGER)
        began = trio.current_time()
        line = b"PING " + b"x" * 122 + b"\n"

        async def sends() -> None:
            while True:
                await flood.stream.send_all(line * (RECEIVE_BYTES // len(line)))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(sends)
            assert (await flood.hear(m.Bye)).reason == "flood"
            nursery.cancel_scope.cancel()
        assert 8 < trio.current_time() - began <= 10
        await other.ask(m.Ping(), m.Pong)


@pytest.mark.slow
async def test_what_a_seek_costs_is_not_on_the_clock(harness: ArenaHarness, autojump_clock: MockClock) -> None:
    others = [await harness.connect(host=STRANGER) for _ in range(100)]
    for client in others:
        await client.stream.send_all(b"PING\n" * 500)
    ann, bob = await harness.connect("ann", host=STRANGER), await harness.connect("bob", host=STRANGER)
    for client, colour in ((ann, "white"), (bob, "black")):
        await client.say(m.Seek("gipf", m.Text(f"params=4,4,15,15 budget=10000 colour={colour}")))
    for client in (ann, bob):
        await client.hear(m.Board)
        await client.say(m.Ready())
    assert (await ann.hear(m.Start)).first > 9990
    for number, move in enumerate(["a5-b5", "e9-e8", "a5-b5", "e9-e8", "a4-b5", "i5-h5"]):
        mover, other = ((ann, bob), (bob, ann))[number % 2]
        assert (await mover.hear(m.Turn)).yours > 9990
        await play(mover, other, move)


async def test_large_answers_count(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with playing(tmp_path, change=limited) as (harness, ann, _bob):
        await ann.ask(m.Resign(), m.Result)
        size = len(harness.record()) + len(harness.record().splitlines()) * 2
        client = await harness.connect(host=STRANGER)
        began = trio.current_time()
        for _ in range(100):
            await client.ask(m.AskRecord(1), m.Record)
        cost = 1 + size // ANSWER_BYTES
        assert trio.current_time() - began == pytest.approx((100 * cost - 10) / 100, abs=0.05)


async def test_work_of_trusted_sessions_counts_but_moves_do_not(
    tmp_path: Path, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each request takes the event loop 10 ms: a guest of this machine gets a quarter of its time, players theirs."""
    async with playing(tmp_path, "params=3,3,9,9 budget=60000") as (harness, ann, bob):
        answer = Requests.answer

        def works(requests: Requests, player: Player, message: m.Message, arrived: int) -> BackgroundAnswer | None:
            harness.worked += 10_000
            return answer(requests, player, message, arrived)

        monkeypatch.setattr(Requests, "answer", works)
        greedy, other = await harness.connect(), await harness.connect()
        began, work = trio.current_time(), 200 * 0.01
        for _ in range(200):
            await greedy.ask(m.Ping(), m.Pong)
        at_once, all_work = TRUSTED_AT_ONCE * WORK / SECOND, TRUSTED_MESSAGES * WORK / SECOND
        assert trio.current_time() - began == pytest.approx((work - at_once) / (all_work / 2), abs=0.1)
        began = trio.current_time()
        await other.ask(m.Ping(), m.Pong)
        for number in range(100):  # the same moves again and again
            mover, waits = ((ann, bob), (bob, ann))[number % 2]
            if harness.arena.matches:
                move = harness.arena.matches[1].state.history.position.legal_moves[number % 5]
                await play(mover, waits, move)
        assert trio.current_time() - began < 0.01, "neither another guest nor a match waits for what one asks for"


async def test_seeks_of_an_address_are_bounded(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path, change=limited) as harness:
        clients = [await harness.connect(f"p{number}", host=STRANGER) for number in range(3)]
        other = await harness.connect("other", host=NEIGHBOUR)
        for number, client in enumerate(clients):
            await client.say(m.Seek("gipf", m.Text(f"opponent=nobody{number}")))
        assert [type(await client.next()) for client in clients] == [m.Seeking, m.Seeking, m.Error]
        await other.ask(m.Seek("gipf"), m.Seeking)
        await clients[0].say(m.Cancel())
        await clients[0].hear(m.Cancelled)
        await clients[2].say(m.Seek("gipf"))
        await clients[2].hear(m.Seeking)


async def test_who_is_not_let_in_hears_why_and_the_log_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limiting, "PATROL_SECONDS", 0.01)
    limits = Limits(trusted=(), connections=1)
    async with open_arena(tmp_path, change=lambda s: msgspec.structs.replace(s, limits=limits)) as harness:
        handle = partial(session.serve_socket, harness.arena, harness.rate_limiter, None)
        async with trio.open_nursery() as nursery:
            listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
            nursery.start_soon(lambda: trio.serve_listeners(handle, listeners))
            port = listeners[0].socket.getsockname()[1]
            first = Client(await trio.open_tcp_stream("127.0.0.1", port))
            await first.hear(m.Arena)
            second = Client(await trio.open_tcp_stream("127.0.0.1", port))
            assert (await second.next()).reason == "too_many"
            assert await second.next() is None
            with capture_logs() as lines, trio.fail_after(WAIT_SECONDS):
                nursery.start_soon(limiting.patrol, harness.rate_limiter)
                await until(lambda: lines)
            assert lines[0]["event"] == "connections_refused" and lines[0]["most"] == [("127.0.0.1", 1)]
            await first.ask(m.Quit(), m.Bye)
            await until(lambda: not harness.rate_limiter.quotas)
            for peer in (first.stream, second.stream, *listeners):
                await peer.aclose()
            nursery.cancel_scope.cancel()


async def _patrolled(harness: ArenaHarness, seconds: float) -> None:
    """Let time pass, with the rate limiter looked after as the server does."""
    for _ in range(int(seconds / limiting.PATROL_SECONDS)):
        await trio.sleep(limiting.PATROL_SECONDS)
        harness.rate_limiter.close_overdue()


async def test_silent_guest_is_closed_and_nobody_else(harness: ArenaHarness, autojump_clock: MockClock) -> None:
    ann, bob = await harness.pair("params=3,3,9,9 budget=86400000")
    guest, watcher, carol, asker = [await harness.connect(name) for name in ("", "", "carol", "")]
    await watcher.ask(m.Watch(1), m.Board)
    for _ in range(4):
        await _patrolled(harness, 100)
        await asker.ask(m.List(), m.Matches)
    bye = await guest.hear(m.Bye)
    assert (bye.reason, bye.sentence) == ("silent", snapshot("nothing was said for 300 seconds; log in to stay"))
    assert await guest.next() is None
    for client in (watcher, carol, ann, bob):
        await client.ask(m.Ping(), m.Pong)


async def test_line_without_an_end_closes_its_session_alone(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with playing(tmp_path) as (harness, _ann, _bob):
        trickle, endless, typist = [await harness.connect(name) for name in ("dora", "", "emil")]
        for _ in range(31):
            await trickle.stream.send_all(b"x")
            await endless.stream.send_all(b"x" * 2000)
            await typist.stream.send_all(b"PING\nPI")  # always unfinished, and always another line
            await typist.hear(m.Pong)
            await typist.stream.send_all(b"NG\n")
            await typist.hear(m.Pong)
            await _patrolled(harness, 2)
        for client in (trickle, endless):
            assert (await client.hear(m.Bye)).reason == "unfinished"
        await typist.nothing()
        assert harness.arena.matches == {} and "time" in harness.record()


async def test_who_does_not_read_is_not_asked_for_more(harness: ArenaHarness, autojump_clock: MockClock) -> None:
    deaf = await harness.connect("deaf")
    connection = next(iter(harness.rate_limiter.quotas)).session._connection  # type: ignore[union-attr]
    with trio.move_on_after(1):
        while True:
            await deaf.stream.send_all(b"HELP\n" * 100)
    assert WRITE_BYTES < len(connection._queue) < WRITE_BYTES + 4096
    await trio.sleep(30)
    assert connection.broken and not harness.arena.sessions
