"""Events of an arena's matches for browsers, on a simulated clock."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import trio
import trio.testing

from engine.wire import messages as m
from server.web.live import Broadcaster
from server.web.matches import MatchHubs
from tests.server.harness import ArenaHarness, open_arena, play, ready
from tests.web.reader import Reader

MOVES = ("a4-b4", "d7-d6", "a4-b4", "d7-d6")
"""Moves of GIPF 3 3 9 9: pushes that collect nothing."""


def told(browser: Reader) -> list[dict[str, Any]]:
    """Return the data of the events that a browser has had."""
    return [msgspec.json.decode(data) for data in browser.data()]


@asynccontextmanager
async def open_pages(harness: ArenaHarness) -> AsyncIterator[tuple[MatchHubs, trio.Nursery]]:
    broadcaster = Broadcaster(lambda: 0.0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(broadcaster.run)
        yield MatchHubs(broadcaster), nursery
        nursery.cancel_scope.cancel()


async def test_a_match_is_told_move_by_move(tmp_path: Path, autojump_clock: trio.testing.MockClock) -> None:
    async with open_arena(tmp_path) as harness, open_pages(harness) as (hubs, nursery):
        first, second = await harness.pair("params=3,3,9,9 budget=60000 increment=500")
        match = harness.arena.matches[1]
        early, late = Reader(), Reader()
        nursery.start_soon(hubs.watch, match, early.mailbox)
        await trio.sleep(2)
        await ready(first, second)
        await trio.sleep(1)
        for ply, move in enumerate(MOVES):
            await trio.sleep(3)
            await play(*((first, second) if ply % 2 == 0 else (second, first)), move)
            await trio.sleep(1)
        nursery.start_soon(hubs.watch, match, late.mailbox)
        await trio.sleep(1)
        await first.say(m.Resign())
        await first.hear(m.Result)
        await trio.sleep(1)
    events = told(early)
    assert [event["phase"] for event in events[:2]] == ["preparing", "running"]
    assert events[0]["clocks"] == [60_000, 60_000] and events[0]["runs"] == [True, True]
    moved = [event for event in events if event["steps"]]
    assert [(event["first"], [step[0] for step in event["steps"]]) for event in moved] == [
        (ply, [move]) for ply, move in enumerate(MOVES)
    ]
    assert [event["frame"]["motion"]["move"] for event in moved] == list(MOVES)
    assert moved[0]["clocks"] == moved[0]["steps"][0][1:] == [60_000 - 2000 - 4000 + 500, 58_000]
    running = [event["runs"] for event in events if event["frame"]["ply"] == 1]
    assert running[-1] == [False, True], "which is told, too, when TURN was sent after that"
    assert events[-1]["phase"] == "over" and events[-1]["ending"]["result"] == "black"
    assert events[-1]["ending"]["reason"] == "resign" and "ann (white) resigned" in events[-1]["ending"]["sentence"]
    whole = told(late)[0]
    assert [step[0] for step in whole["steps"]] == list(MOVES) and whole["first"] == 0
    assert whole["frame"]["motion"]["move"] == MOVES[-1]
    assert whole["clocks"][0] == moved[-1]["clocks"][0] - 1000  # told a second after the last move
    assert told(late)[-1]["ending"] == events[-1]["ending"]


async def test_nobody_watches_a_match_for_browsers_that_have_gone(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    async with open_arena(tmp_path) as harness, open_pages(harness) as (hubs, nursery):
        await harness.pair()
        match = harness.arena.matches[1]
        browsers = [Reader(), Reader()]
        for browser in browsers:
            nursery.start_soon(hubs.watch, match, browser.mailbox)
        await trio.sleep(0.1)
        assert len(match.watchers) == 1
        browsers[0].mailbox.close()
        await trio.sleep(0.1)
        assert len(match.watchers) == 1
        browsers[1].mailbox.close()
        await trio.sleep(0.1)
        assert not match.watchers and not hubs._matches


async def test_what_is_kept_back_from_spectators_is_not_told(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    change = lambda settings: msgspec.structs.replace(settings, delay_moves=2)  # noqa: E731
    async with open_arena(tmp_path, change=change) as harness, open_pages(harness) as (hubs, nursery):
        first, second = await harness.pair("params=3,3,9,9 budget=60000")
        match, browser = harness.arena.matches[1], Reader()
        nursery.start_soon(hubs.watch, match, browser.mailbox)
        await ready(first, second)
        for ply, move in enumerate(MOVES):
            await play(*((first, second) if ply % 2 == 0 else (second, first)), move)
            await trio.sleep(2)
            seen = told(browser)[-1]
            assert seen["frame"]["ply"] == max(0, ply - 1) and (ply < 2 or seen["runs"] == [False, False])
            assert all(event["frame"]["ply"] <= max(0, ply - 1) for event in told(browser))
        assert seen["frame"]["motion"]["move"] == MOVES[1]
        assert seen["clocks"] == [match.state.shown[1].first, match.state.shown[1].second]
        await first.say(m.Resign())
        await first.hear(m.Result)
        await trio.sleep(1)
        assert told(browser)[-1]["frame"]["ply"] == 4
