"""The results of earlier servers in the lobby."""

from pathlib import Path

import pytest

from engine.wire import messages as m
from server.web.people.routes import People
from server.web.pool import Pool
from server.web.views.lobby import RESULTS, Listed, overview
from tests.engine.test_record import played
from tests.server.harness import open_arena, ready


def keep(folder: Path, number: int, text: str) -> None:
    """Write a record as the record of a match."""
    place = folder / "records"
    place.mkdir(exist_ok=True)
    (place / f"{number}.txt").write_text(text.replace("match 7\n", f"match {number}\n", 1), encoding="utf-8")


def numbers(found: tuple[Listed, ...]) -> list[int]:
    return [one.match for one in found]


@pytest.mark.slow
async def test_what_this_server_has_seen_is_not_listed_twice(tmp_path: Path) -> None:
    for number in range(1, RESULTS + 10):
        keep(tmp_path, number, played(end="resign", stop_after=3))
    async with open_arena(tmp_path) as harness, Pool() as pool:
        people = People(tmp_path, pool)
        first, second = await harness.pair("params=3,3,9,9 budget=60000")
        await ready(first, second)
        await first.say(m.Resign())
        await first.hear(m.Result)
        earlier = await people.newest()
        before = overview(harness.arena, None)
        assert numbers(before["recent"]) == [RESULTS + 10] and not before["complete"]
        after = overview(harness.arena, earlier)
        assert numbers(after["recent"]) == list(range(RESULTS + 10, 10, -1)) and after["complete"]
