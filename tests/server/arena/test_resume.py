"""A server that dies and starts again, on a simulated clock: each state of a match, and clocks to the microsecond."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest
import trio
from inline_snapshot import snapshot
from trio.testing import MockClock

from engine.games.interface import Termination
from engine.match import verification
from engine.wire import messages as m
from server.config.settings import Settings
from tests.server.harness import ArenaHarness, Client, open_arena, play, playing, ready

OPTIONS = "params=3,3,9,9 budget=1000"
RETURN_SECONDS = Settings().return_seconds


@asynccontextmanager
async def reopened(harness: ArenaHarness, name: str = "after", later: float = -3600.0) -> AsyncIterator[ArenaHarness]:
    """Yield the arena after the server has died and restarted. By default no time has passed by the date."""
    async with open_arena(harness.die(name), later=timedelta(seconds=later)) as again:
        yield again


async def resume(harness: ArenaHarness, player: Client, *kinds: type) -> Client:
    """Come back; what is told has to begin like this."""
    client = await harness.guest(m.Resume(1, player.token))
    heard = [await client.next() for _ in range(3 + len(kinds))]
    assert [type(message) for message in heard] == [m.Welcome, m.Match, m.Board, *kinds]
    assert client.token == player.token
    return client


def left(harness: ArenaHarness) -> tuple[int, int]:
    """Return the remaining time of both sides by journal or record, in microseconds."""
    running = harness.folder / "running" / "1.txt"
    return verification.verify(running.read_text(encoding="utf-8") if running.exists() else harness.record()).left


async def test_pages_have_the_last_match_of_the_server_before(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path / "data") as harness:
        for _ in range(2):
            ann, bob = await harness.begin(OPTIONS)
            await ann.say(m.Resign())
            for client in (ann, bob):
                await client.hear(m.Result)
                assert await client.answer(m.Quit()) is not None
        async with reopened(harness) as again:
            await again.arena.read_last_match()
            last = again.arena.last_finished
            assert last is not None and last.number == 2
            assert last.public.outcome is not None and last.public.outcome.reason == Termination.RESIGN
            assert not again.arena.recent


async def test_before_anybody_is_ready(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path / "data") as harness:
        ann, bob = await harness.pair(OPTIONS)
        await trio.sleep(0.125)
        async with reopened(harness) as again:
            await trio.sleep(5)
            ann = await resume(again, ann, m.Opponent)
            await trio.sleep(0.25)
            await ann.say(m.Ready())
            await trio.sleep(5)
            bob = await resume(again, bob)
            assert await ann.next() == m.Opponent("back")
            await trio.sleep(0.375)
            await bob.say(m.Ready())
            assert await ann.next() == m.Start(750, 625)
            assert await ann.next() == m.Turn(750, 625)
            assert left(again) == (750_000, 625_000)


async def test_when_one_side_is_ready(tmp_path: Path, autojump_clock: MockClock) -> None:
    """The other is charged up to the last line of the journal: that it was not ready before is known."""
    async with open_arena(tmp_path / "data") as harness:
        ann, bob = await harness.pair(OPTIONS)
        await trio.sleep(0.125)
        await ann.say(m.Ready())
        await trio.sleep(0.5)
        async with reopened(harness) as again:
            await trio.sleep(10)
            bob = await resume(again, bob, m.Opponent)
            await trio.sleep(0.25)
            assert await bob.answer(m.Ready()) == m.Start(875, 625)
            await trio.sleep(10)
            ann = await resume(again, ann, m.Start, m.Turn)
            await trio.sleep(0.125)
            await play(ann, bob, "a1-b2")
            assert await bob.next() == m.Turn(625, 750)
            assert left(again) == (750_000, 625_000)


@pytest.mark.parametrize("first", ["on turn", "other"])
async def test_in_play(tmp_path: Path, autojump_clock: MockClock, first: str) -> None:
    """A turn that was under way begins anew, and an absent side's clock stands, whosever turn it becomes."""
    async with playing(tmp_path / "data", OPTIONS) as (harness, ann, bob):
        await trio.sleep(0.125)
        await play(ann, bob, "a1-b2")
        await trio.sleep(0.5)
        async with reopened(harness) as again:
            await trio.sleep(7)
            if first == "other":
                ann = await resume(again, ann, m.Start, m.Moved, m.Opponent)
                await trio.sleep(7)
                bob = await resume(again, bob, m.Start, m.Moved, m.Turn)
                assert await ann.next() == m.Opponent("back")
                await trio.sleep(0.375)
                await play(bob, ann, "a3-b4")
            else:
                bob = await resume(again, bob, m.Start, m.Moved, m.Turn, m.Opponent)
                await trio.sleep(0.375)
                await bob.ask(m.Move(m.Text("a3-b4")), m.Moved)
                await trio.sleep(7)
                ann = await resume(again, ann, m.Start, m.Moved, m.Moved, m.Turn)
                assert await bob.next() == m.Opponent("back")
            await trio.sleep(0.0625)
            await ann.say(m.Resign())
            assert await bob.hear(m.Result) == m.Result(1, "black", "resign", 812, 625, m.Text("ann (white) resigned"))
            assert verification.verify(again.record()).left == (812_500, 625_000)


async def test_who_does_not_come_back_in_time_is_charged_as_ever(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with playing(tmp_path / "data", OPTIONS) as (harness, ann, bob):
        await play(ann, bob, "a1-b2")
        async with reopened(harness) as again:
            began = trio.current_time()
            ann = await resume(again, ann, m.Start, m.Moved, m.Opponent)
            await trio.sleep(RETURN_SECONDS + 0.375)
            bob = await resume(again, bob, m.Start, m.Moved)
            assert await bob.next() == m.Turn(625, 1000)
            assert await ann.next() == m.Opponent("back")
            await bob.stream.aclose()
            assert await ann.next() == m.Opponent("gone")
            assert (await ann.next()).reason == "time"
            assert trio.current_time() - began == pytest.approx(RETURN_SECONDS + 1, abs=1e-3)
            assert verification.verify(again.record()).reason == "time"


async def test_nobody_comes_back_while_initialising(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path / "data") as harness:
        ann, _ = await harness.pair(OPTIONS)
        async with reopened(harness) as again:
            began = trio.current_time()
            watcher = await again.connect()
            assert (await watcher.ask(m.Watch(1), m.Result)).reason == "time"
            assert trio.current_time() - began == pytest.approx(RETURN_SECONDS + 1, abs=1e-3)
            assert verification.verify(again.record()).result == "draw"
            ann = await resume(again, ann, m.Result)
            await ann.ask(m.Seek("gipf"), m.Seeking)


@pytest.mark.parametrize("began", [False, True])
async def test_spectators_lists_and_records(tmp_path: Path, autojump_clock: MockClock, began: bool) -> None:
    async with open_arena(tmp_path / "data") as harness:
        ann, bob = await harness.pair(OPTIONS)
        if began:
            await ready(ann, bob)
            await play(ann, bob, "a1-b2")
        async with reopened(harness) as again:
            carol = await again.guest(m.List())
            state = "1 running" if began else "0 preparing"
            assert (await carol.next()).lines == (f"1 gipf 3,3,9,9 ann bob 1000 0 {state}",)
            assert (await carol.answer(m.AskRecord(1))).code == "unknown_match"
            assert await carol.answer(m.Watch(1)) == m.Watching(1, "gipf", "3,3,9,9", "ann", "bob", 1000, 0, 1000)
            await carol.hear(m.Board)
            if began:
                assert await carol.next() == m.Start(1000, 1000)
                assert (await carol.next()).move == "a1-b2"
            await carol.nothing()
            ann = await resume(again, ann, *([m.Start, m.Moved] if began else []), m.Opponent)
            await ann.say(m.Resign())
            assert (await carol.next()).reason == "resign"
            lines = (await carol.ask(m.AskRecord(1), m.Record)).lines
            assert any(line.startswith("restarted ") for line in lines)
            assert verification.verify("\n".join(lines) + "\n").reason == "resign"


async def test_names_are_kept_for_who_was_told_of_the_match(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path / "data") as harness:
        ann, bob = await harness.pair(OPTIONS)
        await ann.say(m.Ready())
        await trio.sleep(0.125)
        async with reopened(harness) as again:
            for name in ("ann", "Bob"):
                stranger = await again.connect()
                assert "RESUME 1 TOKEN" in (await stranger.ask(m.Login(name), m.Error)).sentence
                for token in ("", ann.token[:-1], "0" * 32):
                    await stranger.stream.send_all(f"RESUME 1 {token or '-'}\n".encode())
                    assert (await stranger.hear(m.Error)).code == "bad_token"
            bob = await resume(again, bob, m.Opponent)
            assert ann.token != bob.token


async def test_who_was_perhaps_never_told_of_a_match_can_log_in_and_ends_it(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with open_arena(tmp_path / "data") as harness:
        ann, bob = await harness.pair(OPTIONS)
        async with reopened(harness) as again:
            ann = await resume(again, ann, m.Opponent)
            async with reopened(again, "twice") as third:  # that ann knows of it is known for good
                stranger = await third.connect()
                assert (await stranger.ask(m.Login("ann"), m.Error)).code == "name_taken"
            await ann.say(m.Ready())
            await trio.sleep(0.125)
            async with reopened(again, "thrice") as third:
                await third.connect("bob")
                assert third.arena.matches == {}
            bob = await again.connect("bob")
            result = await ann.hear(m.Result)
            assert (result.result, result.reason) == ("annulled", "server_fault")
            assert result.sentence == snapshot("the server died before bob was told of the match")
            assert verification.verify(again.record()).reason == "server_fault"
            await bob.ask(m.Seek("gipf"), m.Seeking)
