"""Telling many browsers: what each gets, what becomes of one that does not read, how much time telling takes."""

from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
import trio.testing
from structlog.testing import capture_logs

from server.web import live
from server.web.live import Broadcaster, Channel, framed
from tests.web.reader import BEAT, Reader


class Counter(Channel):
    """A channel that tells what number it has come to."""

    def __init__(self, broadcaster: Broadcaster) -> None:
        super().__init__(broadcaster)
        self.number = self.told = 0

    def event(self) -> bytes | None:
        if self.told == self.number:
            return None
        self.told = self.number
        return framed(str(self.number))

    def snapshot(self) -> bytes:
        return framed(f"all {self.number}")


@asynccontextmanager
async def broadcasting(clock: "deque[float] | None" = None) -> AsyncIterator[tuple[Counter, trio.Nursery]]:
    stamps = clock if clock is not None else deque()
    broadcaster = Broadcaster(lambda: stamps.popleft() if stamps else 0.0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(broadcaster.run)
        yield Counter(broadcaster), nursery
        nursery.cancel_scope.cancel()


async def test_all_that_listen_are_told_the_same(autojump_clock: trio.testing.MockClock) -> None:
    async with broadcasting() as (channel, nursery):
        readers = [Reader() for _ in range(100)]
        for reader in readers:
            nursery.start_soon(channel.listen, reader.mailbox)
        await trio.testing.wait_all_tasks_blocked()
        for number in (1, 2, 3):
            channel.number = number
            channel.changed()
            await trio.sleep(1)
        channel.changed()  # nothing is new
        await trio.sleep(1)
    assert all(reader.data() == ["all 0", "1", "2", "3"] for reader in readers)


async def test_changes_that_come_fast_are_told_together(autojump_clock: trio.testing.MockClock) -> None:
    async with broadcasting() as (channel, nursery):
        reader = Reader()
        nursery.start_soon(channel.listen, reader.mailbox)
        await trio.testing.wait_all_tasks_blocked()
        for number in range(1, 1001):
            channel.number = number
            channel.changed()
            await trio.sleep(0.001)
        await trio.sleep(1)
    events = reader.data()
    assert events[-1] == "1000" and len(events) <= 2 + 1 / live.MIN_REST


async def test_who_does_not_read_is_let_go_of_and_nobody_waits(autojump_clock: trio.testing.MockClock) -> None:
    async with broadcasting() as (channel, nursery):
        stuck, reading = Reader(1000), Reader()
        for reader in (stuck, reading):
            nursery.start_soon(channel.listen, reader.mailbox)
        await trio.testing.wait_all_tasks_blocked()
        channel.snapshot = lambda: b""  # type: ignore[method-assign]
        channel.event = lambda: framed(b"x" * 50_000)  # type: ignore[method-assign]
        for count in range(1, 8):
            channel.changed()
            await trio.sleep(1)
            assert len(channel.listeners) == (2 if count * 50_000 < live.MAILBOX_BYTES else 1), count
        assert stuck.mailbox.lost and len(reading.data()) == 8


async def test_a_browser_that_hears_nothing_gets_a_sign_of_life(autojump_clock: trio.testing.MockClock) -> None:
    async with broadcasting() as (channel, nursery):
        reader = Reader()
        nursery.start_soon(channel.listen, reader.mailbox)
        await trio.sleep(3 * live.BEAT_SECONDS + 1)
        assert [name for name, _ in reader.events()] == ["", BEAT, BEAT, BEAT]
        reader.open = False
        await trio.sleep(live.BEAT_SECONDS + 1)
        assert not channel.listeners


async def test_telling_takes_a_sixtieth_of_the_time_at_most(autojump_clock: trio.testing.MockClock) -> None:
    # each look at the clock is half a second of work later: a round of one mailbox takes a second
    times = deque(0.5 * step for step in range(1000))
    async with broadcasting(times) as (channel, nursery):
        reader = Reader()
        nursery.start_soon(channel.listen, reader.mailbox)
        await trio.testing.wait_all_tasks_blocked()
        began = trio.current_time()
        while trio.current_time() - began < 200:
            channel.number += 1
            channel.changed()
            await trio.sleep(0.5)
    assert 3 <= len(reader.data()) - 1 <= 5


async def test_a_fault_of_one_channel_leaves_the_others(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with broadcasting() as (channel, nursery):
        reader = Reader()
        nursery.start_soon(channel.listen, reader.mailbox)
        await trio.testing.wait_all_tasks_blocked()
        with capture_logs() as logs, monkeypatch.context() as broken:
            broken.setattr(channel, "event", lambda: 1 / 0)
            channel.changed()
            await trio.sleep(1)
        assert [entry["event"] for entry in logs] == ["event_stream_failed"]
        channel.number = 1
        channel.changed()
        await trio.sleep(1)
    assert reader.data()[-1] == "1"
