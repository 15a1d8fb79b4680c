"""Turns at what takes long: side by side, fair between clients, and within bounds."""

from collections import Counter
from collections.abc import Hashable
from contextlib import suppress
from pathlib import Path

import pytest
import trio
import trio.testing

from server.config.limits import Limits
from server.web.app import application
from server.web.http.client_quota import REQUESTS_AT_ONCE, HttpRateLimiter
from server.web.http.errors import Refused
from server.web.http.listener import QUOTA
from server.web.http.work_queue import PAID_OFF, Full, WorkQueue
from server.web.live.event_stream import Broadcaster
from server.web.live.match_channel import MatchHubs
from server.web.live.pages import LivePages
from server.web.people.routes import People
from server.web.play import workers
from server.web.play.routes import Analysis, Playing
from server.web.replay import analysis_requests
from server.web.replay.analysis_requests import AT_A_TIME, MAX_WAITING_OF_ONE, QUICK, SECONDS, RecordAnalyser
from tests.server.harness import open_arena
from tests.web.asking import ask


async def have(turns: WorkQueue, client: str, seconds: float, told: list[str]) -> None:
    async with turns.of(client):
        told.append(client)
        await trio.sleep(seconds)


async def test_one_client_does_not_have_all_turns(autojump_clock: trio.testing.MockClock) -> None:
    turns, told = WorkQueue(3, 100, 100), list[str]()
    async with trio.open_nursery() as nursery:
        for _ in range(10):
            nursery.start_soon(have, turns, "a", 10, told)
        await trio.sleep(0.01)
        assert told == ["a", "a"]
        began = trio.current_time()
        await have(turns, "b", 1, told)
        assert trio.current_time() - began == pytest.approx(1)
    assert told.count("a") == 10 and trio.current_time() - began == pytest.approx(50, abs=0.1), "two at a time"


async def test_who_asks_for_less_comes_first(autojump_clock: trio.testing.MockClock) -> None:
    turns, told = WorkQueue(2, 100, 100), list[str]()
    async with trio.open_nursery() as nursery:
        for client in "aabbcab":
            nursery.start_soon(have, turns, client, 1, told)
            await trio.sleep(0.01)
    assert told[:3] == ["a", "b", "c"] and sorted(told) == sorted("aabbcab")


async def test_who_goes_away_leaves_its_place(autojump_clock: trio.testing.MockClock) -> None:
    turns, told = WorkQueue(2, 4, 4), list[str]()
    for _ in range(3):
        with trio.move_on_after(1):
            async with trio.open_nursery() as nursery:
                for client in ("a", "a", "a", "b"):
                    nursery.start_soon(have, turns, client, 1000, told)
                    await trio.sleep(0.01)
    assert told == ["a", "b"] * 3
    await have(turns, "a", 1, told)


async def test_who_had_much_stands_behind_who_had_less(autojump_clock: trio.testing.MockClock) -> None:
    turns, told = WorkQueue(2, 100, 100), list[str]()
    await have(turns, "hostile", 10, told)
    async with trio.open_nursery() as nursery:
        for client in "ab":
            nursery.start_soon(have, turns, client, 1, told)
            await trio.sleep(0.01)
        for client in ("hostile", "c", "hostile", "d"):
            nursery.start_soon(have, turns, client, 1, told)
    assert told == ["hostile", "a", "b", *told[3:5], "hostile", "hostile"] and sorted(told[3:5]) == ["c", "d"]
    await trio.sleep(1 + 12 / PAID_OFF)
    await have(turns, "c", 1, told)
    assert list(turns._paid) == ["c"], "what is long past is forgotten"


async def test_so_many_wait_and_no_more(autojump_clock: trio.testing.MockClock) -> None:
    turns, told = WorkQueue(2, 5, 3), list[str]()
    async with trio.open_nursery() as nursery:
        for client in "aaaabbb":
            nursery.start_soon(have, turns, client, 1, told)
            await trio.sleep(0.01)
        for client in "ac":  # three of the one wait, and five in all
            with pytest.raises(Full):
                await have(turns, client, 1, told)
    assert sorted(told) == list("aaaabbb")


@pytest.mark.parametrize("kind", ["frames", "values"])
async def test_slow_records_of_one_do_not_hold_up_another(
    kind: str, autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def answer(_kind: str, record: bytes) -> bytes:
        await trio.sleep(1 if record == b"good" else trio.current_time() + 10_000)
        return record

    monkeypatch.setattr(analysis_requests, "_answer", answer)
    record_analyser = RecordAnalyser()
    refused: list[int] = []

    async def slow(client: Hashable) -> None:
        try:
            await record_analyser.ask(kind, b"slow", client)
        except Refused as error:
            refused.append(error.status)

    async with trio.open_nursery() as nursery:
        for _ in range(MAX_WAITING_OF_ONE + 10):
            nursery.start_soon(slow, "hostile")
        await trio.sleep(0.01)
        began = trio.current_time()
        assert await record_analyser.ask(kind, b"good", "innocent") == b"good"
        assert trio.current_time() - began == pytest.approx(1)
    at_a_time = AT_A_TIME[kind == "values"]
    assert refused.count(503) == 10 - (at_a_time - 1) and refused.count(422) == len(refused) - refused.count(503)
    assert trio.current_time() - began <= sum(SECONDS[kind]) * (MAX_WAITING_OF_ONE + 1)


async def test_slow_records_from_many_addresses_keep_nobody_for_longer_than_a_quick_try(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def answer(_kind: str, record: bytes) -> bytes:
        await trio.sleep(1 if record == b"good" else 10_000)
        return record

    monkeypatch.setattr(analysis_requests, "_answer", answer)
    record_analyser = RecordAnalyser()

    async def slow(client: str) -> None:
        for _ in range(100):
            with suppress(Refused):
                await record_analyser.ask("frames", b"slow", client)

    async with trio.open_nursery() as nursery:
        for number in range(12):
            nursery.start_soon(slow, f"hostile {number}")
        await trio.sleep(100)
        for _ in range(3):
            began = trio.current_time()
            assert await record_analyser.ask("frames", b"good", "innocent") == b"good"
            assert trio.current_time() - began <= QUICK + 1.1
            await trio.sleep(30)
        nursery.cancel_scope.cancel()


async def test_browsers_of_one_address_share_its_turns(
    tmp_path: Path, autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def answer(_kind: str, record: bytes) -> bytes:
        await trio.sleep(1 if record == b"good" else 10_000)
        return record

    monkeypatch.setattr(analysis_requests, "_answer", answer)
    http_rate_limiter = HttpRateLimiter(Limits(), 1000, lambda: 0)
    statuses: list[int] = []

    async def post(record: bytes, host: str) -> int:
        status, _ = await ask(app, "POST", "/api/record", record, state={QUOTA: http_rate_limiter.enter(host)})
        statuses.append(status)
        return status

    async with open_arena(tmp_path) as harness, Playing() as playing, trio.open_nursery() as nursery:
        people = People(harness.arena.settings.data)
        broadcaster = Broadcaster(harness.arena.send_queue.soon, lambda: 0.0)
        pages, matches = LivePages(harness.arena, broadcaster, people.newest), MatchHubs(broadcaster)
        app = application(harness.arena, harness.arena.record_store, pages, matches, playing, people)
        for _ in range(10):
            nursery.start_soon(post, b"slow", "2001:db8::1")
            nursery.start_soon(post, b"slow", "2001:db8::2")
        await trio.sleep(0.1)
        began = trio.current_time()
        assert await post(b"good", "192.0.2.7") == 200
        assert trio.current_time() - began == pytest.approx(1)
        assert statuses == [503] * 2 + [200]  # two are read, sixteen wait


async def test_a_body_is_charged_by_its_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def answer(_kind: str, _record: bytes) -> bytes:
        return b"{}"

    monkeypatch.setattr(analysis_requests, "_answer", answer)
    http_rate_limiter = HttpRateLimiter(Limits(), 1000, lambda: 0)
    async with open_arena(tmp_path) as harness, Playing() as playing:
        people = People(harness.arena.settings.data)
        broadcaster = Broadcaster(harness.arena.send_queue.soon, lambda: 0.0)
        pages, matches = LivePages(harness.arena, broadcaster, people.newest), MatchHubs(broadcaster)
        app = application(harness.arena, harness.arena.record_store, pages, matches, playing, people)
        clients = http_rate_limiter.enter("192.0.2.1")
        sent = 0
        while (await ask(app, "POST", "/api/record", b"x" * 2**20, state={QUOTA: clients})).status == 200:
            sent += 1
            assert sent <= 1000
            if clients is not None and clients.wait():
                break
        assert 50 < sent <= (REQUESTS_AT_ONCE + 16) / 16


async def test_a_match_that_a_class_asks_for_is_told_once(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bytes] = []

    async def answer(_kind: str, record: bytes) -> bytes:
        asked.append(record)
        await trio.sleep(1)
        if len(asked) == 1:
            raise Refused(500, "the first one fails")
        return b"told"

    monkeypatch.setattr(analysis_requests, "_answer", answer)
    record_analyser = RecordAnalyser()
    told: list[bytes | int] = []

    async def ask_for(match: int, client: str) -> None:
        try:
            told.append(await record_analyser.of_match("frames", match, f"record {match}", client))
        except Refused as error:
            told.append(error.status)

    async with trio.open_nursery() as nursery:
        for _ in range(40):
            nursery.start_soon(ask_for, 7, "class")
    assert asked == [b"record 7"] * 2 and told == [500, *[b"told"] * 39]
    async with trio.open_nursery() as nursery:
        for client in ("one", "other"):
            nursery.start_soon(ask_for, 7, client)
    assert len(asked) == 2 and told[-2:] == [b"told"] * 2


class Thinker:
    """A worker process that answers after a second."""

    @classmethod
    async def start(cls, _command: object) -> "Thinker":
        return cls()

    async def ready(self) -> None:
        await trio.lowlevel.checkpoint()

    async def ask(self, _kind: str, _body: bytes) -> tuple[int, bytes]:
        await trio.sleep(1)
        return 200, b"{}"

    def memory(self) -> int:
        return 0

    async def end(self) -> None:
        await trio.lowlevel.checkpoint()


@pytest.mark.parametrize(
    ("pages", "kind"),
    [(Playing, "think"), (Playing, "look"), (Analysis, "lines"), (Analysis, "open")],
)
async def test_many_questions_of_one_address_keep_nobody_else_waiting(
    pages: type[Playing | Analysis], kind: str, monkeypatch: pytest.MonkeyPatch, autojump_clock: trio.testing.MockClock
) -> None:
    monkeypatch.setattr(workers, "WorkerProcess", Thinker)
    statuses = Counter[int]()

    async def think(client: str) -> None:
        try:
            asked = room.ask(kind, b"", client) if isinstance(room, Playing) else room.ask(client, kind, b"")
            statuses[(await asked)[0]] += 1
        except Refused as refused:
            statuses[refused.status] += 1

    async with pages() as room, trio.open_nursery() as nursery:
        for client in ("hostile", "hostile too", "third"):
            for _ in range(40):
                nursery.start_soon(think, client)
        await trio.sleep(0.5)
        assert statuses[503] >= 120 - 3 * (workers.MAX_WAITING_OF_ONE + 1), "each address is told when it asks too much"
        began = trio.current_time()
        await think("b")
        assert trio.current_time() - began <= 2 and statuses[200] <= 5
        nursery.cancel_scope.cancel()
