"""Spectators see a match some moves late; players see it as it is, and in the end everybody sees all of it."""

from pathlib import Path

import msgspec
import pytest
from trio.testing import MockClock

from engine.wire import messages as m
from server.config.settings import Settings
from tests.server.harness import Client, open_arena, play, playing, ready

OPTIONS = "params=4,4,15,15 budget=60000"
MOVES = ["a5-b5", "e9-e8", "a5-b5", "e9-e8", "a4-b5", "i5-h5"]


def late(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, delay_moves=3)


async def _plies(client: Client) -> list[int]:
    """Return which moves have been shown since somebody asked last."""
    await client.say(m.Ping())
    plies = []
    while not isinstance(message := await client.next(), m.Pong):
        if isinstance(message, m.Moved):
            plies.append(message.ply)
    return plies


async def _moves(players: list[Client], first: int, last: int) -> None:
    for ply in range(first, last + 1):
        mover, other = players[(ply - 1) % 2], players[ply % 2]
        await mover.hear(m.Turn)
        await play(mover, other, MOVES[ply - 1])


async def test_moves_are_shown_when_they_are_due(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with playing(tmp_path, OPTIONS, change=late) as (harness, *players):
        early = await harness.guest(m.Watch(1), m.Start)
        await _moves(players, 1, 3)
        assert await _plies(early) == []
        await _moves(players, 4, 5)
        assert await _plies(early) == [1, 2]
        late_comer = await harness.guest(m.Watch(1))
        assert await _plies(late_comer) == [1, 2]
        assert (await late_comer.ask(m.List(), m.Matches)).lines[0].split()[7:] == ["2", "running"]
        boards = []
        for client in (early, late_comer, players[0]):
            boards.append((await client.ask(m.AskBoard(), m.Board)).lines)
        assert boards[0] == boards[1] != boards[2]
        await _moves(players, 6, 6)
        assert (await _plies(early), await _plies(late_comer)) == ([3], [3])


async def test_end_is_told_at_once_and_with_it_everything(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with playing(tmp_path, OPTIONS, change=late) as (harness, *players):
        watcher = await harness.guest(m.Watch(1))
        await _moves(players, 1, 4)
        assert await _plies(watcher) == [1]
        await players[0].say(m.Resign())
        shown = [await watcher.next() for _ in range(4)]
        assert [message.ply for message in shown[:3]] == [2, 3, 4] and shown[3].reason == "resign"
        await watcher.say(m.Watch(1))
        assert await _plies(watcher) == [1, 2, 3, 4]
        assert (await watcher.ask(m.List(), m.Matches)).lines[0].split()[7:] == ["4", "black", "resign"]


async def test_who_begins_to_watch_before_play_sees_the_start(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path, change=late) as harness:
        players = await harness.pair(OPTIONS)
        before, after = await harness.connect(), await harness.connect()
        await before.say(m.Watch(1))
        await ready(*players)
        await after.say(m.Watch(1))
        for watcher in (before, after):
            await watcher.hear(m.Start)


@pytest.mark.parametrize("plies", [2, 5])
async def test_delay_outlives_a_crash(tmp_path: Path, autojump_clock: MockClock, plies: int) -> None:
    async with playing(tmp_path / "a", OPTIONS, change=late) as (harness, *players):
        watcher = await harness.guest(m.Watch(1))
        await _moves(players, 1, plies)
        seen = max(0, plies - 3)
        assert await _plies(watcher) == list(range(1, seen + 1))
        board = await watcher.ask(m.AskBoard(), m.Board)
        folder = harness.die()
    async with open_arena(folder, change=late) as harness:
        watcher = await harness.guest(m.Watch(1))
        assert await _plies(watcher) == list(range(1, seen + 1))
        assert await watcher.ask(m.AskBoard(), m.Board) == board
