"""The results of earlier servers in the lobby."""

from pathlib import Path

import pytest
import trio

from engine.wire import messages as m
from server.web.app import People
from server.web.pool import Pool
from server.web.views.lobby import RESULTS, overview
from tests.server.harness import open_arena, ready
from tests.waiting import WAIT_SECONDS
from tests.web.people.records import record, write


@pytest.mark.slow
async def test_results_of_this_server_and_of_earlier_ones_are_listed_once(tmp_path: Path) -> None:
    for number in range(1, RESULTS + 10):
        write(tmp_path, number, record(number))
    async with open_arena(tmp_path) as harness, Pool() as pool:
        first, second = await harness.pair("params=3,3,9,9 budget=60000")
        await ready(first, second)
        await first.say(m.Resign())
        await first.hear(m.Result)
        before = overview(harness.arena, None)
        assert [one.match for one in before["recent"]] == [RESULTS + 10] and not before["complete"]
        people = People(tmp_path, pool, lambda *_: {})
        with trio.fail_after(WAIT_SECONDS):
            while len(found := await people.newest()) < RESULTS:  # each call indexes what it can in a second
                pass
        after = overview(harness.arena, found)
        assert [one.match for one in after["recent"]] == list(range(RESULTS + 10, 10, -1)) and after["complete"]
        last = after["recent"][-1]
        assert (last.plies, last.players, last.ending.reason, last.ending.result) == (
            5,
            ("ann", "Bob"),
            "line",
            "first",
        )
