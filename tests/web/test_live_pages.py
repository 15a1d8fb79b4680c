"""Pages that stay fresh: which blocks browsers are sent of the lobby and of contests, on a simulated clock."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
import trio
import trio.testing

from engine.wire import messages as m
from server.arena.arena import Announcement
from server.contest.formats.rounds import Swiss
from server.contest.report import files
from server.contest.report.structure import ContestState
from server.web.http.request import Refused
from server.web.live import AGAIN_SECONDS, Broadcaster, LivePages
from server.web.views.lobby import ListedMatch
from tests.server.contest.report.samples import sample_report
from tests.server.harness import ArenaHarness, open_arena, play, ready
from tests.web.reader import Reader
from tests.web.site import renamed

MOVES = ("a4-b4", "d7-d6", "a4-b4", "d7-d6")
"""Moves of GIPF 3 3 9 9: pushes that collect nothing."""

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


async def no_games() -> tuple[ListedMatch, ...]:
    return ()


@asynccontextmanager
async def open_pages(
    harness: ArenaHarness, read_newest: Callable[[], object] = no_games
) -> AsyncIterator[tuple[LivePages, trio.Nursery]]:
    broadcaster = Broadcaster(lambda: 0.0)
    pages = LivePages(harness.arena, broadcaster, read_newest)  # type: ignore[arg-type]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(broadcaster.run)
        nursery.start_soon(pages.run)
        yield pages, nursery
        nursery.cancel_scope.cancel()


def fill_contest(harness: ArenaHarness, **changes: object) -> None:
    """Write the report of a contest, number 1, whose entrants ann and bob play morris."""
    report = renamed(renamed(sample_report(8, Swiss(3), stop=30), "a1", "ann"), "a2", "bob")
    files.write_report_files(msgspec.structs.replace(report, **changes), harness.folder / "contests" / "1")


@pytest.mark.slow
async def test_the_lobby_shows_who_is_here_and_what_is_played(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    async with open_arena(tmp_path) as harness, open_pages(harness) as (pages, nursery):
        browser = Reader()
        nursery.start_soon(pages.lobby.listen, browser.mailbox)
        await harness.connect("zoe")
        first, second = await harness.pair("params=3,3,9,9 budget=60000")
        await ready(first, second)
        await play(first, second, MOVES[0])
        await trio.sleep(1.5)
        people = browser.block("people")
        assert 'href="/player/ann">ann</a>\n<a class="small" href="/match/1">in match 1' in people
        assert 'href="/player/zoe">zoe</a>\n<span class="small quiet">rests</span>' in people
        assert "1 match" in browser.block("head") and "1 move<" in browser.block("featured")
        until = int(browser.block("featured").partition('data-until="')[2].partition('"')[0]) / 10
        assert until == pytest.approx(trio.current_time() + 60 - 1.5, abs=0.6)
        await trio.sleep(10)
        count = len(browser.sent())
        await trio.sleep(60 - 15)
        assert len(browser.sent()) == count, "nothing has changed: a clock that runs is told once"
        await second.say(m.Resign())
        await second.hear(m.Result)
        await trio.sleep(1.5)
        assert "<strong" in browser.block("results") and "Match 1: ann – bob" in browser.block("featured")
        assert "bob resigned at move 2" in browser.block("featured")


async def test_the_lobby_keeps_back_what_is_kept_back_from_spectators(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    change = lambda settings: msgspec.structs.replace(settings, delay_moves=2)  # noqa: E731
    async with open_arena(tmp_path, change=change) as harness, open_pages(harness) as (pages, nursery):
        first, second = await harness.pair("params=3,3,9,9 budget=60000")
        await ready(first, second)
        browser = Reader()
        nursery.start_soon(pages.lobby.listen, browser.mailbox)
        for ply, move in enumerate(MOVES):
            await play(*((first, second) if ply % 2 == 0 else (second, first)), move)
            await trio.sleep(2)
            assert f"{max(0, ply - 1)} move" in browser.block("featured")


async def test_announcements_and_results_of_earlier_servers_are_sent_when_they_come(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    tries: list[float] = []

    async def newest() -> tuple[ListedMatch, ...]:
        tries.append(trio.current_time())
        if len(tries) < 3:
            raise Refused(500, "no answer came within 20 seconds")
        return ()

    async with open_arena(tmp_path) as harness, open_pages(harness, newest) as (pages, nursery):
        await trio.sleep(5)
        assert tries == [], "nobody has looked"
        browser = Reader()
        nursery.start_soon(pages.lobby.listen, browser.mailbox)
        for is_complete in (False, False, True):
            await trio.sleep(AGAIN_SECONDS / 2)
            assert ('class="empty' in browser.block("results")) == is_complete
            await trio.sleep(AGAIN_SECONDS / 2)
        harness.arena.announcements = (Announcement(1, "teacher", "Lunch <now>", NOON, NOON),)
        await trio.sleep(1.5)
        assert "Lunch &lt;now&gt;" in browser.block("announcements") and browser.sent()[-1][0] == "announcements"
        assert "2026-11-20 12:00 UTC" in browser.block("announcements")
    assert len(tries) == 3


async def test_a_paused_contest_keeps_its_last_board_above_a_banner(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    async with open_arena(tmp_path) as harness, open_pages(harness) as (pages, nursery):
        fill_contest(harness, state=ContestState.PAUSED, status="paused by the organiser")
        first, second = await harness.pair("budget=60000", "morris")
        await ready(first, second)
        await second.say(m.Resign())
        await second.hear(m.Result)
        browser = Reader()
        nursery.start_soon(pages.listen, 1, browser.mailbox)
        await trio.sleep(30)
        board = browser.block("featured")
        assert 'data-match="1"' in board and "<svg" in board and 'class="banner"' in board


async def test_the_page_of_a_contest_is_freed_when_its_last_browser_leaves_also_in_its_first_look(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    async with open_arena(tmp_path) as harness, open_pages(harness) as (pages, nursery):
        with trio.CancelScope() as scope:
            scope.cancel()
            await pages.listen(7, Reader().mailbox)
        assert not pages._contests
        first, second = Reader(), Reader()
        nursery.start_soon(pages.listen, 7, first.mailbox)
        await trio.sleep(0.1)
        with trio.move_on_after(0.1):
            await pages.listen(7, second.mailbox)
        assert list(pages._contests) == [7] and "Contest 7 " in first.block("head")
        first.mailbox.close()
        await trio.sleep(1)
        assert not pages._contests
