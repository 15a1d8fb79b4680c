"""The search of games, and the page of a player, in a real browser."""

from pathlib import Path

import pytest
from inline_snapshot import snapshot
from playwright.sync_api import Browser, expect

from server.contest.report.templating import render
from server.web import answers  # noqa: F401 (templates use its filters)
from server.web.games_index import Games, IndexProgress
from tests.web.chromium import next_picture, open_page
from tests.web.people.records import record, write
from tests.web.site import Site

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def played(site: Site) -> Site:
    """The server of all tests, which has records of games of three players who play no others there."""
    fill(site.data, FAR)
    return site


FAR = 910_000
"""Offset of numbers that the matches of a site do not reach."""


def fill(data: Path, offset: int = 0) -> None:
    for match in range(offset + 1, offset + 54):
        moves = ("a1", "b1", "a2", "b2", "a3") if match % 2 else ("a1",)
        write(data, match, record(match, ("gus", "Hal"), moves))
    write(data, offset + 54, record(offset + 54, ("cid", "gus"), ("c3",), parameters="4 4 4"))


def test_games_are_searched_and_the_search_stands_in_the_address(browser: Browser, played: Site) -> None:
    with open_page(browser, phone=True, dark=True) as page:
        page.goto(f"{played.url}/games?player=gus")
        expect(page.locator("#counted")).to_have_text("54 games")
        expect(page.locator("#games tr")).to_have_count(50)
        page.get_by_role("button", name="Show more").click()
        expect(page.locator("#games tr")).to_have_count(54)
        expect(page.locator("#more")).to_be_empty()
        page.get_by_label("Player", exact=True).fill("cid")
        page.get_by_role("button", name="Search").click()
        expect(page.locator("#games tr")).to_have_count(1)
        expect(page).to_have_url(f"{played.url}/games?player=cid")  # without the fields that are empty
        expect(page.locator("#games tr")).to_contain_text("cid – gus")
        page.go_back()
        expect(page.locator("#counted")).to_have_text("54 games")
        page.get_by_label("Result").select_option("second")
        page.get_by_role("button", name="Search").click()
        expect(page.locator("#counted")).to_have_text("0 games")
        page.goto(f"{played.url}/games?player=CI")
        expect(page.locator("#none")).to_contain_text("Players with such a name: cid")
        expect(page.locator("#names option[value=cid]")).to_have_count(1)  # the browser completes names


@pytest.mark.parametrize(
    ("index", "found", "sentence"),
    [
        (IndexProgress(0, 900, False), 0, snapshot("Records are still being read …")),
        (IndexProgress(70, 900, False), 3, snapshot("3 games so far; records are still being read")),
        (IndexProgress(970, 0, True), 0, snapshot("0 games")),
    ],
)
def test_a_search_says_that_it_reads_before_it_says_0(index: IndexProgress, found: int, sentence: str) -> None:
    page = Games(found=found, games=(), next=None, index=index)
    values = {"asked": {}, "games": [], "reasons": [], "here": "/games", "further": "", "again": not index.complete}
    text = render("pages/games.html", page=page, **values)
    assert text.partition('role="status">')[2].partition("<")[0].strip() == sentence
    assert ('class="lead"' in text) == index.complete


def test_a_name_leads_to_the_page_of_the_player(browser: Browser, played: Site) -> None:
    with open_page(browser, phone=True, dark=True) as page:
        page.goto(f"{played.url}/games?player=cid")
        page.locator("#games").get_by_role("link", name="gus").click()
        expect(page.locator("h1")).to_have_text("gus")
        expect(page.locator("#total")).to_have_text("54 games: 53 won, 0 drawn, 1 lost")
        expect(page.get_by_role("table", name="By opponent").locator("tbody tr")).to_have_count(2)
        expect(page.get_by_role("table", name="Last games").locator("tbody tr")).to_have_count(5)
        scores = page.locator("table.scores", has_text="Hal")
        expect(scores).to_contain_text("Score")
        next_picture(page)
        spare = scores.evaluate("one => one.parentElement.clientWidth - one.parentElement.scrollWidth")
        assert spare == 0, "no column is cut"
        assert scores.get_by_role("rowheader").first.evaluate("one => one.clientWidth") >= 78, "names have room"
        page.goto(f"{played.url}/player/HAL")
        expect(page.get_by_role("table", name="Lost by")).to_contain_text("a line")
