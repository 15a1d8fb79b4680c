"""Boards of games that are over stay for ten seconds with their results: the server's events, told to a real browser.

The events are made on a simulated clock, and the browser is told them without a server: nobody waits.
"""

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import msgspec
import pytest
import trio
import trio.testing
from playwright.sync_api import Browser, expect

from engine.wire import messages as m
from server.contest.definition import Swiss
from server.contest.report import files
from server.web.live.contest_channel import ContestHub
from server.web.live.event_stream import Broadcaster
from server.web.views.contests import ReportIndex
from server.web.views.lobby import Boards, overview
from tests.server.contest.report.samples import sample_report
from tests.server.harness import ArenaHarness, open_arena, ready
from tests.web.chromium import open_page
from tests.web.site import Site, renamed

pytestmark = pytest.mark.slow

STREAM = """
    window.EventSource = class extends EventTarget {
        static CLOSED = 2;
        readyState = 1;
        constructor() {
            super();
            window.tell = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
        }
        close() {}
    };
"""
"""A stream of events that a test tells by itself."""

LOOKS = (0.0, 1.0, 9.9, 0.1)
"""Seconds before each look: while the game runs, when its end is seen, when that is almost ten seconds ago, and ten."""

Look = Callable[[], Awaitable[str]]


async def events(folder: Path, look_of: Callable[[ArenaHarness], Look], clock: trio.testing.MockClock) -> list[str]:
    """Play a game to its end; return what is told at each of the `LOOKS`."""
    told: list[str] = []
    async with open_arena(folder) as harness:
        first, second = await harness.pair("budget=60000", "morris")
        await ready(first, second)
        await first.say(m.Move(m.Text("4")))
        await second.hear(m.Moved)
        look = look_of(harness)
        for seconds in LOOKS:
            if told:
                clock.jump(seconds)
            if len(told) == 1:
                await first.say(m.Resign())
                await second.hear(m.Result)
            told.append(await look())
    return told


def of_lobby(harness: ArenaHarness) -> Look:
    """Return what tells the lobby as it is now."""
    boards = Boards()

    async def look() -> str:
        return msgspec.json.encode(overview(harness.arena, (), boards=boards, now=trio.current_time())).decode()

    return look


def of_contest(harness: ArenaHarness) -> Look:
    """Return what tells the night of a contest of which the match is a game."""
    report = renamed(renamed(sample_report(8, Swiss(3), stop=30), "a1", "ann"), "a2", "bob")
    files.write_report_files(report, harness.folder / "contests" / "1")
    broadcaster = Broadcaster(lambda: 0.0)
    hub = ContestHub(harness.arena, broadcaster, ReportIndex(harness.folder), 1)

    async def look() -> str:
        await hub.look()
        return hub.snapshot().decode()

    return look


@pytest.mark.parametrize(
    ("path", "look", "result"),
    [("/", of_lobby, "won"), ("/contest/1/live", of_contest, "0 – 1 · resignation")],
    ids=["lobby", "contest night"],
)
def test_a_game_that_is_over_keeps_its_board_and_its_result_for_ten_seconds(
    browser: Browser, site: Site, tmp_path: Path, path: str, look: Callable[[ArenaHarness], Look], result: str
) -> None:
    clock = trio.testing.MockClock()
    told: Iterator[str] = iter(trio.run(events, tmp_path, look, clock, clock=clock))
    with open_page(browser, still=True) as page:
        page.add_init_script(STREAM)
        page.goto(site.url + path)
        page.wait_for_function("window.tell !== undefined")
        page.evaluate("data => tell(data)", next(told))
        tile = page.locator(".tile")
        expect(tile).to_have_count(1)
        expect(tile).not_to_contain_text(result)
        expect(tile.locator(".last")).to_have_count(1)  # the last move is marked
        for _ in range(2):
            page.evaluate("data => tell(data)", next(told))
            expect(tile).to_have_class("card tile over" if path == "/" else "tile card over")
            expect(tile).to_contain_text(result)
            expect(tile.locator("svg.board")).to_have_count(1)
        page.evaluate("data => tell(data)", next(told))
        expect(tile).to_have_count(0)
