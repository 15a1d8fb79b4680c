"""The page of a contest for a projector: which games it shows first, and what a browser makes of it."""

from types import SimpleNamespace
from typing import cast

import msgspec
import pytest
from playwright.sync_api import Browser, expect

from engine.games.catalogue import GAMES
from server.contest.formats.meetings import RoundRobin
from server.contest.formats.rounds import Swiss
from server.contest.report.structure import ScheduledGame
from server.match.match import Match
from server.web.views.lobby import games_of
from tests.server.contest.report.samples import sample_report
from tests.web.chromium import check_accessibility, fits, open_page
from tests.web.site import Seat, Site


def match(number: int, players: tuple[str, str], game: str = "morris", parameters: str = "") -> Match:
    """Return what is looked at of a running match."""
    header = SimpleNamespace(players=players, position=GAMES[game].start(parameters))
    return cast("Match", SimpleNamespace(number=number, header=header))


def test_games_of_a_contest_are_those_of_its_entrants_and_variants_later_rounds_first() -> None:
    def scheduled(first: str, second: str, round: int) -> ScheduledGame:
        return ScheduledGame(
            stage=1, round=round, variant="morris", opening=1, first=first, second=second, running=True
        )

    report = sample_report(8, Swiss(3), stop=30)
    cup = msgspec.structs.replace(report, schedule=(scheduled("a3", "a2", 1), scheduled("a8", "a7", 2)))
    of_others = match(1, ("a3", "eve")), match(2, ("a3", "a2"), "mnk", "3 3 3")
    games = match(7, ("a2", "a3")), match(4, ("a3", "a2")), match(3, ("a3", "a2")), match(9, ("a8", "a7"))
    assert [one.number for one in games_of(cup, (*of_others, *games))] == [9, 3, 4, 7]
    assert games_of(msgspec.structs.replace(cup, state="over"), games) == [], "they play on for themselves"


SIZES = """() => [...document.querySelectorAll("main *")]
    .filter(one => one.checkVisibility() && !one.closest("svg") && [...one.childNodes].some(
        node => node.nodeType === Node.TEXT_NODE && node.textContent.trim()))
    .map(one => parseFloat(getComputedStyle(one).fontSize))"""
"""Sizes of all texts, in pixels."""


@pytest.mark.slow
def test_a_projector_shows_leaders_boards_and_standings(browser: Browser, site: Site, seat: Seat) -> None:
    report = sample_report(12, Swiss(5), stop=60)
    with open_page(browser, still=True) as page:
        page.set_viewport_size({"width": 1920, "height": 1080})
        page.goto(f"{site.url}/contest/2/live")
        expect(page.locator("#featured .lead")).to_have_text("The next game is about to begin")
        table = seat("morris", "budget=600000", ("a1", "a2"))
        tile = page.locator(f".game[data-match='{table.match}']")
        expect(tile.locator(".foot")).to_contain_text("0 moves")
        box = page.locator("#featured svg.board").bounding_box()
        assert box is not None and box["height"] > 1080 * 0.75, "one board fills the height"
        expect(page.locator("#standings tr")).to_have_count(8)
        expect(page.locator("#results li")).to_have_count(8)
        expect(page.locator("#standings tr.leads th")).to_have_text(
            [line.name for line in report.stages[-1].table if line.place == 1]
        )
        table.move("1")
        expect(tile.locator("use")).to_have_count(1)
        expect(tile.locator(".foot")).to_contain_text("1 move")
        assert fits(page)
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight"), "nobody has to scroll"
        assert min(page.evaluate(SIZES)) >= 1920 * 28 / 1440, "it is read from 8 m"
        check_accessibility(page)
        expect(page.locator(".start")).to_be_hidden()
        page.goto(f"{site.url}/contest/1/live")
        over = sample_report(8, RoundRobin()).stages[-1].table
        expect(page.locator("#featured .lead")).to_contain_text(
            " and ".join(one.name for one in over if one.place == 1)
        )
