"""What a board that is new to the server costs is not the event loop's to pay."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import trio
from trio.testing import MockClock

from engine.wire import messages as m
from server.arena import lobby
from tests.server.arena.test_work import counted_calls
from tests.server.harness import open_arena

PARAMETERS = "11,4,123,123"
"""Of a board that no other test plays on."""


async def test_the_first_match_on_a_board_finds_its_tables_made(tmp_path: Path, autojump_clock: MockClock) -> None:
    made: list[Any] = []

    async with open_arena(tmp_path) as harness:

        async def elsewhere(work: Callable[..., Any], *what: Any) -> Any:
            made.append((work, *what))
            await trio.lowlevel.checkpoint()
            return work(*what)

        harness.arena.run_in_thread = elsewhere
        ann, bob = await harness.connect("ann"), await harness.connect("bob")
        for client in (ann, bob):
            await client.ask(m.Seek("gipf", m.Text(f"params={PARAMETERS}")), m.Seeking)
        for client in (ann, bob):
            await client.hear(m.Board)
        assert made == [(lobby.prepare, "gipf", PARAMETERS.replace(",", " "))], "once, before anybody was paired"
        match = harness.match()
        with counted_calls() as calls:
            match.ready(0, 0)
            match.ready(1, 0)
        assert calls[0] < 1000, "no tables are made when the clocks begin to run"


async def test_who_leaves_while_its_board_is_prepared_is_not_paired(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path) as harness:

        async def slowly(work: Callable[..., Any], *what: Any) -> Any:
            await trio.sleep(1)
            return work(*what)

        harness.arena.run_in_thread = slowly
        ann = await harness.connect("ann")
        await ann.say(m.Seek("gipf"))
        await trio.sleep(0.1)
        await ann.stream.aclose()
        await trio.sleep(2)
        assert not len(harness.arena.lobby) and not harness.arena.sessions
