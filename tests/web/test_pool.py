"""The pool of helper processes: a queue that is fair between clients, bounds, and processes that fail."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import ClassVar

import pytest
import trio
import trio.testing
from inline_snapshot import snapshot
from inline_snapshot.extra import raises

from server.config.settings import Limits
from server.storage.record_store import RecordStore
from server.web import pool as pools
from server.web.app import People, application
from server.web.http.request import QUOTA, REQUESTS_AT_ONCE, HttpRateLimiter, Refused
from server.web.live import Broadcaster, LivePages
from server.web.matches import MatchHubs
from server.web.pool import (
    MAX_WAITING_OF_ONE,
    PAID_OFF,
    PROCESSES_OF_ONE,
    QUICK,
    SLOW,
    TRY_SECONDS,
    FairQueue,
    Pool,
)
from tests.server.harness import open_arena
from tests.web.asking import Answer, ask


@pytest.fixture
def queue() -> FairQueue:
    return FairQueue()


async def have(queue: FairQueue, client: str, seconds: float, told: list[str], lane: str = QUICK) -> None:
    async with queue.turn(client, lane):
        told.append(client)
        await trio.sleep(seconds)


async def test_one_client_leaves_a_process_of_each_lane_to_others(
    queue: FairQueue, autojump_clock: trio.testing.MockClock
) -> None:
    told = list[str]()
    async with trio.open_nursery() as nursery:
        for _ in range(MAX_WAITING_OF_ONE):
            nursery.start_soon(have, queue, "a", 10, told)
        await trio.sleep(0.01)
        assert told == ["a"] * PROCESSES_OF_ONE
        for lane in (QUICK, SLOW):
            began = trio.current_time()
            await have(queue, "b", 1, told, lane)
            assert trio.current_time() - began == pytest.approx(1)
    assert told.count("a") == MAX_WAITING_OF_ONE


async def test_the_client_that_asks_for_less_comes_first(
    queue: FairQueue, autojump_clock: trio.testing.MockClock
) -> None:
    told = list[str]()
    async with trio.open_nursery() as nursery:
        for client in "aaabbcdab":
            nursery.start_soon(have, queue, client, 1, told)
            await trio.sleep(0.01)
    assert told[:5] == ["a", "a", "b", "c", "d"] and sorted(told) == sorted("aaabbcdab")


async def test_a_client_that_goes_away_leaves_its_place(
    queue: FairQueue, autojump_clock: trio.testing.MockClock
) -> None:
    told = list[str]()
    for _ in range(3):
        with trio.move_on_after(1):
            async with trio.open_nursery() as nursery:
                for client in ("a", "a", "a", "b"):
                    nursery.start_soon(have, queue, client, 1000, told)
                    await trio.sleep(0.01)
    assert told == ["a", "a", "b"] * 3
    await have(queue, "a", 1, told)


async def test_a_client_that_used_much_time_stands_behind_the_others(
    queue: FairQueue, autojump_clock: trio.testing.MockClock
) -> None:
    told = list[str]()
    await have(queue, "hostile", 10, told, SLOW)
    async with trio.open_nursery() as nursery:
        for client in "abx":
            nursery.start_soon(have, queue, client, 1, told)
            await trio.sleep(0.01)
        for client in ("hostile", "c", "hostile", "d"):
            nursery.start_soon(have, queue, client, 1, told)
    assert told[:4] == ["hostile", "a", "b", "x"] and sorted(told[4:6]) == ["c", "d"]
    assert told[6:] == ["hostile", "hostile"], "in whatever lane the time was used"
    await trio.sleep(1 + 12 / PAID_OFF)
    await have(queue, "c", 1, told)
    assert list(queue._paid) == ["c"], "what is long past is forgotten"


async def test_the_number_of_questions_that_wait_is_bounded(
    queue: FairQueue, monkeypatch: pytest.MonkeyPatch, autojump_clock: trio.testing.MockClock
) -> None:
    monkeypatch.setattr(pools, "MAX_WAITING", 5)
    monkeypatch.setattr(pools, "MAX_WAITING_OF_ONE", 3)
    told = list[str]()
    async with trio.open_nursery() as nursery:
        for client in "aaaaabbb":
            nursery.start_soon(have, queue, client, 1, told)
            await trio.sleep(0.01)
        with raises(snapshot("Refused: too many questions wait already; try again in a minute")):
            await have(queue, "a", 1, told)  # three questions of this client wait
        with pytest.raises(Refused):  # five questions wait in all
            await have(queue, "c", 1, told)
    assert sorted(told) == list("aaaaabbb")


class Process:
    """In place of a worker process: answers good questions after a second, and slow ones much later."""

    asked: ClassVar[list[bytes]] = []
    fails = 0
    """Questions that fail at first."""

    @classmethod
    async def start(cls, _command: object) -> "Process":
        return cls()

    async def ready(self) -> None:
        await trio.lowlevel.checkpoint()

    async def ask(self, _kind: str, body: bytes) -> tuple[int, bytes]:
        self.asked.append(body)
        await trio.sleep(10_000 if body.endswith(b"slow") else 1)
        return (500, b'"it fails"') if len(self.asked) <= self.fails else (200, b"{}")

    async def stop(self, _seconds: float) -> bool:
        return True

    def memory(self) -> int:
        return 0

    async def end(self) -> None:
        await trio.lowlevel.checkpoint()


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> type[Process]:
    monkeypatch.setattr(pools, "WorkerProcess", Process)
    monkeypatch.setattr(Process, "asked", [])
    return Process


@pytest.mark.usefixtures("process")
async def test_slow_records_from_many_addresses_keep_nobody_for_longer_than_a_quick_try(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async def slow(client: str) -> None:
        for _ in range(100):
            with suppress(Refused):
                await pool.ask("frames", b"slow", client)

    async with Pool() as pool, trio.open_nursery() as nursery:
        for number in range(12):
            nursery.start_soon(slow, f"hostile {number}")
        await trio.sleep(100)
        for _ in range(3):
            began = trio.current_time()
            await pool.ask("frames", b"good", "innocent")
            assert trio.current_time() - began <= TRY_SECONDS + 1.1
            await trio.sleep(30)
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def opened(tmp_path: Path) -> AsyncIterator[Callable[[bytes, object], Awaitable[Answer]]]:
    """Serve the pages, and yield a function that posts a record, or asks for match 7, with the quota of an address."""

    async def post(record: bytes, quota: object) -> Answer:
        method, path = ("POST", "/api/record") if record else ("GET", "/api/matches/7")
        return await ask(app, method, path, record, state={QUOTA: quota})

    async with open_arena(tmp_path) as harness, Pool() as pool:
        people = People(harness.arena.settings.data, pool, lambda *_: {})
        broadcaster = Broadcaster(lambda: 0.0)
        pages, matches = LivePages(harness.arena, broadcaster, people.newest), MatchHubs(broadcaster)
        app = application(harness.arena, harness.arena.record_store, pages, matches, pool, people)
        yield post


async def test_a_record_that_a_class_asks_for_is_read_once(
    tmp_path: Path, process: type[Process], monkeypatch: pytest.MonkeyPatch, autojump_clock: trio.testing.MockClock
) -> None:
    monkeypatch.setattr(process, "fails", 1)
    monkeypatch.setattr(RecordStore, "read", lambda _store, match: f"record {match}")
    rate_limiter = HttpRateLimiter(Limits(), 1000, lambda: 0)
    one, other = rate_limiter.enter("192.0.2.1"), rate_limiter.enter("192.0.2.2")
    statuses: list[int] = []

    async with opened(tmp_path) as post:

        async def ask_for_match(quota: object) -> None:
            statuses.append((await post(b"", quota)).status)

        async with trio.open_nursery() as nursery:
            for _ in range(40):
                nursery.start_soon(ask_for_match, one)
        assert process.asked == [b"record 7"] * 2 and statuses == [500, *[200] * 39]
        await ask_for_match(other)
        assert len(process.asked) == 2 and statuses[-1] == 200
        slow = await post(b"slow", one)
        assert slow.status == 422


async def test_a_body_is_charged_by_its_length(
    tmp_path: Path, process: type[Process], autojump_clock: trio.testing.MockClock
) -> None:
    rate_limiter = HttpRateLimiter(Limits(), 1000, lambda: 0)
    quota = rate_limiter.enter("192.0.2.1")
    async with opened(tmp_path) as post:
        while (await post(b"x" * 2**20, quota)).status == 200:
            assert len(process.asked) <= 1000
            if quota is not None and quota.wait():
                break
    assert 50 < len(process.asked) <= (REQUESTS_AT_ONCE + 16) / 16


@pytest.fixture
def interpreting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the processes interpret: a busy machine may compile for longer than an answer may take."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")


LARGE = b'{"game": "gipf", "parameters": "5 4 18 18", "seconds": %g}'
LOOK = b'{"game": "mnk", "parameters": "3 3 3"}'


@pytest.mark.slow
@pytest.mark.usefixtures("interpreting")
async def test_a_process_that_does_not_answer_dies_or_holds_too_much_memory_is_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with Pool() as pool:
        monkeypatch.setitem(pools.TRIES, "think", ((SLOW, 0.5),))
        with raises(snapshot("Refused: no answer came within 0.5 seconds; try something easier")):
            await pool.ask("think", LARGE % 10)
        assert not pool._all
        await pool.ask("look", LOOK)
        (worker,) = pool._all
        worker.process.kill()
        with raises(snapshot("Refused: a fault of the server's own, which was written to its log")):
            await pool.ask("look", LOOK)
        for _ in range(2):
            await pool.ask("look", LOOK)
            (worker,) = pool._all
            assert 10_000_000 < worker.memory() < pools.MAX_MEMORY
        monkeypatch.setattr(pools, "MAX_MEMORY", 10_000_000)  # compiled boards stay in it, and visitors choose which
        await pool.ask("look", LOOK)
        assert pool._all == set() and worker.memory() == 0
