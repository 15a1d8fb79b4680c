"""Spectators see a match some moves late; players see it as it is, and in the end everybody sees all of it."""

from pathlib import Path

import msgspec
import pytest
from trio.testing import MockClock

from engine.wire import messages as m
from server.config.settings import Settings
from tests.server.harness import ArenaHarness, Client, open_arena, play, ready

MOVES = ["a5-b5", "e9-e8", "a5-b5", "e9-e8", "a4-b5", "i5-h5"]


def late(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, delay_moves=3)


async def _playing(harness: ArenaHarness) -> tuple[Client, Client]:
    players = await harness.pair("params=4,4,15,15 budget=60000")
    await ready(*players)
    return players


async def _plies(client: Client) -> list[int]:
    """Return which moves have been shown since somebody asked last."""
    await client.say(m.Ping())
    plies = []
    while not isinstance(message := await client.next(), m.Pong):
        if isinstance(message, m.Moved):
            plies.append(message.ply)
    return plies


async def _moves(players: tuple[Client, Client], first: int, last: int) -> None:
    for ply in range(first, last + 1):
        mover, other = players[(ply - 1) % 2], players[ply % 2]
        await mover.hear(m.Turn)
        await play(mover, other, MOVES[ply - 1])


async def test_moves_are_shown_when_they_are_due(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path, change=late) as harness:
        players = await _playing(harness)
        early = await harness.connect()
        await early.say(m.Watch(1))
        await early.hear(m.Start)
        await _moves(players, 1, 3)
        assert await _plies(early) == []
        await _moves(players, 4, 5)
        assert await _plies(early) == [1, 2]
        late_comer = await harness.connect()
        await late_comer.say(m.Watch(1))
        assert await _plies(late_comer) == [1, 2]
        await late_comer.say(m.List())
        assert (await late_comer.hear(m.Matches)).lines[0].split()[7:] == ["2", "running"]
        boards = []
        for client in (early, late_comer, players[0]):
            await client.say(m.AskBoard())
            boards.append((await client.hear(m.Board)).lines)
        assert boards[0] == boards[1] != boards[2]
        await _moves(players, 6, 6)
        assert (await _plies(early), await _plies(late_comer)) == ([3], [3])


async def test_end_is_told_at_once_and_with_it_everything(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path, change=late) as harness:
        players = await _playing(harness)
        watcher = await harness.connect()
        await watcher.say(m.Watch(1))
        await _moves(players, 1, 4)
        assert await _plies(watcher) == [1]
        await players[0].say(m.Resign())
        shown = [await watcher.next() for _ in range(4)]
        assert [message.ply for message in shown[:3]] == [2, 3, 4] and shown[3].reason == "resign"
        await watcher.say(m.Watch(1))
        assert await _plies(watcher) == [1, 2, 3, 4]
        await watcher.say(m.List())
        assert (await watcher.hear(m.Matches)).lines[0].split()[7:] == ["4", "black", "resign"]


async def test_who_begins_to_watch_before_play_sees_the_start(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path, change=late) as harness:
        players = await harness.pair("params=4,4,15,15 budget=60000")
        before, after = await harness.connect(), await harness.connect()
        await before.say(m.Watch(1))
        await ready(*players)
        await after.say(m.Watch(1))
        for watcher in (before, after):
            await watcher.hear(m.Start)


@pytest.mark.parametrize("plies", [2, 5])
async def test_delay_outlives_a_crash(tmp_path: Path, autojump_clock: MockClock, plies: int) -> None:
    async with open_arena(tmp_path / "a", change=late) as harness:
        players = await _playing(harness)
        watcher = await harness.connect()
        await watcher.say(m.Watch(1))
        await _moves(players, 1, plies)
        seen = max(0, plies - 3)
        assert await _plies(watcher) == list(range(1, seen + 1))
        await watcher.say(m.AskBoard())
        board = await watcher.hear(m.Board)
        folder = harness.die()
    async with open_arena(folder, change=late) as harness:
        watcher = await harness.connect()
        await watcher.say(m.Watch(1))
        assert await _plies(watcher) == list(range(1, seen + 1))
        await watcher.say(m.AskBoard())
        assert await watcher.hear(m.Board) == board
