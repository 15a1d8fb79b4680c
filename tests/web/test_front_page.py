"""The front page: the contest of today, and boards that stay where they are when matches begin and end."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import msgspec
import pytest
from playwright.sync_api import Page, expect

from server.contest.formats.meetings import RoundRobin
from server.contest.report import files
from server.contest.report.contents import make_report
from server.contest.report.structure import ContestState, Report
from server.match.match import Match
from server.web.views.contests import Entry, contest_of_today
from server.web.views.lobby import LINGER_SECONDS, Tiles
from tests.server.contest.report.samples import sample
from tests.web.chromium import Visit, check_accessibility, check_legibility, fits
from tests.web.site import Seat, Site

NOW = datetime(2026, 11, 26, 20, tzinfo=UTC)


def entry(number: int, state: str, ended: float | None = None, compares_versions: bool = False) -> Entry:
    """Return a contest of a list; ``ended`` is the number of hours since its end."""
    return Entry(
        contest=number,
        name=f"contest {number}",
        state=ContestState(state),
        status=state,
        opened=NOW,
        closed=None if ended is None else NOW - timedelta(hours=ended),
        entrants=2,
        done=0,
        games="",
        running=0,
        known=2,
        compares_versions=compares_versions,
        leader="",
    )


def test_the_contest_of_today_is_the_newest_open_one_and_else_one_that_has_just_ended() -> None:
    def today(*entries: Entry) -> int | None:
        found = contest_of_today(entries, NOW)
        return None if found is None else found.contest

    running, planned, over = entry(1, "running"), entry(2, "planned"), entry(3, "over", 2)
    assert today(over, planned, running) == 1
    assert today(over, planned) == 2
    assert today(over, entry(1, "over", 1)) == 3
    assert today(entry(3, "over", 13)) is None and today() is None
    assert today(entry(4, "running", compares_versions=True)) is None, "an author's comparison is no contest of a class"
    assert today(entry(5, "waiting"), entry(4, "paused"), running) == 5


def match(number: int) -> Match:
    """Return what is looked at of a match."""
    return cast("Match", SimpleNamespace(number=number, public=SimpleNamespace(outcome=None)))


def test_boards_keep_their_places_and_the_best_game_takes_the_first_one() -> None:
    tiles, games = Tiles(), [match(number) for number in range(6)]

    def shown(running: list[Match], now: float) -> list[int]:
        tiles.choose(running, 3, now)
        return [one.number for one in tiles._shown]

    assert shown(games[:2], 0) == [0, 1]
    assert shown([games[3], games[1], games[0], games[2]], 1) == [0, 1, 3], "a better game moves no board"
    games[1].public.__dict__["outcome"] = "over"
    assert shown([games[2], games[3], games[0]], 2) == [0, 1, 3], "its result is shown"
    later = 2 + LINGER_SECONDS
    assert shown([games[2], games[3], games[0]], later) == [0, 2, 3]
    games[0].public.__dict__["outcome"] = "over"
    assert shown([games[3], games[2], games[4]], later + 1) == [0, 2, 3]
    assert shown([games[3], games[2], games[4]], later + 1 + LINGER_SECONDS) == [3, 2, 4]
    assert shown([], later + 2 + LINGER_SECONDS) == []


def report_of_today(stop: int = 9, missing: tuple[str, ...] = (), running: bool = True) -> Report:
    """Return the report of a contest of five that goes on."""
    definition, games, plan, moment = sample(5, RoundRobin(), stop=stop, qualified=False)
    fixtures = moment.running if running else ()
    return make_report(definition, games, plan, moment._replace(running=fixtures, missing=missing))


JUMPS = """() => {
    window.jumps = [];
    new PerformanceObserver(list => {
        for (const one of list.getEntries()) {
            const moved = one.sources.map(({ node, previousRect: a, currentRect: b }) =>
                `${node?.outerHTML?.slice(0, 80)} ${a.y},${a.height} to ${b.y},${b.height}`);
            window.jumps.push([one.value, moved]);
        }
    }).observe({ type: "layout-shift" });
}"""
"""Notes everything that moves on a page though nobody has touched it, by the share of the window that it moves."""

MAX_SHIFT = 0.05


def check_calm(page: Page) -> None:
    """Check that nothing has jumped since `JUMPS` began to look."""
    jumps = page.evaluate("window.jumps")
    assert sum(value for value, _ in jumps) < MAX_SHIFT, jumps


@pytest.mark.slow
def test_the_front_page_shows_the_contest_of_today(
    visit: Visit, seat: Seat, site: Site, contest_folder: Callable[[int], Path]
) -> None:
    folder = contest_folder(90)
    files.write_report_files(report_of_today(missing=("a3", "a4"), running=False), folder)
    page = visit()
    expect(page.locator("#head .tag")).to_have_text("waiting")
    expect(page.locator("#featured .missing li")).to_have_text(["a3", "a4"])
    expect(page.locator("#standings tr")).to_have_count(5)
    line = page.locator("#line").inner_text()
    for part in ("ARENA_HOST=127.0.0.1", f"ARENA_PORT={site.port}", "ARENA_NAME=", "ARENA_TOKEN=", "ARENA_GAME=any"):
        assert part in line
    expect(page.locator("#join svg")).to_be_visible()
    check_accessibility(page)
    check_legibility(page)
    page.get_by_role("button", name="Copy").click()
    expect(page.locator("[data-copy]")).to_have_text("Copied")
    page.wait_for_timeout(600)  # what moves within half a second of a click does not count
    page.evaluate(JUMPS)
    table = seat("morris", "budget=600000", ("a1", "a2"))
    files.write_report_files(report_of_today(), folder)
    game = page.locator(f"#featured .game[data-match='{table.match}']")
    expect(game.locator(".foot")).to_contain_text("0 moves")
    expect(game.locator(".stock")).to_have_text(["9 in reserve"] * 2)
    table.move("1")
    expect(game.locator(".foot")).to_contain_text("1 move")
    table.resign()
    expect(game.locator(".foot")).to_contain_text("a1 resigned at move 2")
    expect(game).to_have_count(0)
    check_calm(page)
    definition, games, plan, moment = sample(5, RoundRobin(), qualified=False)
    over = make_report(definition, games, plan, moment._replace(closed=datetime.now(UTC)))
    files.write_report_files(msgspec.structs.replace(over, closed=datetime.now(UTC)), folder)
    expect(page.locator("#head .tag")).to_have_text("over")
    expect(page.locator(".podium .place1 .who").first).to_have_text(over.champions[0])
    expect(page.locator(".podium .place1 .number").first).to_contain_text(" points")
    assert fits(page)


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/contest/91", "/contest/91/live"])
def test_nothing_jumps_on_the_pages_of_a_contest_when_a_game_begins_and_ends(
    visit: Visit, seat: Seat, contest_folder: Callable[[int], Path], path: str
) -> None:
    folder = contest_folder(91)
    files.write_report_files(report_of_today(), folder)
    page = visit(path)
    expect(page.locator("#status")).to_have_text("live")
    shown = page.locator("#live .tile:visible, #featured .game[data-match]")
    page.evaluate(JUMPS)
    table = seat("morris", "budget=600000", ("a1", "a2"))
    expect(shown).to_have_count(1)
    table.move("1")
    files.write_report_files(report_of_today(stop=10), folder)
    table.resign()
    expect(shown).to_have_count(0)
    check_calm(page)


@pytest.mark.slow
def test_a_contest_of_five_has_four_tabs_of_three_screens_at_most(
    visit: Visit, site: Site, contest_folder: Callable[[int], Path]
) -> None:
    definition, games, plan, moment = sample(5, RoundRobin(), qualified=False)
    files.write_report_files(make_report(definition, games, plan, moment), contest_folder(92))
    page = visit("/contest/92")
    tabs = page.get_by_role("navigation", name="Contest")
    for name in ("Standings", "Games", "Statistics", "Losses"):
        tabs.get_by_role("link", name=name).click()
        expect(tabs.locator("[aria-current]")).to_have_text(name)
        assert page.evaluate("document.documentElement.scrollHeight / innerHeight") <= 3, name
        check_accessibility(page)
