"""The search of games, and the page of a player, in a real browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from inline_snapshot import snapshot
from playwright.sync_api import Browser, expect

from server.contest.report.templating import render
from server.web import answers  # noqa: F401 (templates use its filters)
from server.web.games_index import Games, IndexProgress
from tests.web.chromium import check_accessibility, fits, open_page
from tests.web.people.records import record, write
from tests.web.site import Site, open_site

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server that has the records of some games."""
    data = tmp_path_factory.mktemp("played")
    fill(data)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("NUMBA_DISABLE_JIT", "1")
        with open_site(data) as site:
            yield site


def fill(data: Path) -> None:
    for match in range(1, 54):
        write(data, match, record(match, moves=("a1", "b1", "a2", "b2", "a3") if match % 2 else ("a1",)))
    write(data, 54, record(54, ("cid", "ann"), ("c3",), parameters="4 4 4"))


def test_games_are_searched_and_the_search_stands_in_the_address(browser: Browser, played: Site) -> None:
    with open_page(browser, phone=True, dark=True) as page:
        page.goto(f"{played.url}/games")
        expect(page.locator("#counted")).to_have_text("54 games")
        expect(page.locator("#games tr")).to_have_count(50)
        assert fits(page)
        check_accessibility(page)
        page.get_by_role("button", name="Show more").click()
        expect(page.locator("#games tr")).to_have_count(54)
        expect(page.locator("#more")).to_be_empty()
        page.get_by_label("Player", exact=True).fill("cid")
        page.get_by_role("button", name="Search").click()
        expect(page.locator("#games tr")).to_have_count(1)
        assert page.url == f"{played.url}/games?player=cid", "fields that are empty are not in the address"
        page.reload()
        expect(page.locator("#games tr")).to_contain_text("cid – ann")
        page.go_back()
        expect(page.locator("#counted")).to_have_text("54 games")
        page.get_by_label("Result").select_option("first")
        page.get_by_role("button", name="Search").click()
        expect(page.locator("#games tr")).to_have_count(50)


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


def test_a_search_for_the_beginning_of_a_name_suggests_players(browser: Browser, played: Site) -> None:
    with open_page(browser) as page:
        page.goto(f"{played.url}/games")
        expect(page.locator("#names option")).to_have_count(3)  # the browser completes names while somebody types
        page.goto(f"{played.url}/games?player=CI")
        expect(page.locator("#none")).to_contain_text("Players with such a name: cid")


def test_a_name_leads_to_the_page_of_the_player(browser: Browser, played: Site) -> None:
    with open_page(browser, phone=True, dark=True) as page:
        page.goto(f"{played.url}/games?player=cid")
        page.locator("#games").get_by_role("link", name="ann").click()
        expect(page.locator("h1")).to_have_text("ann")
        expect(page.locator("#total")).to_have_text("54 games: 53 won, 0 drawn, 1 lost")
        expect(page.get_by_role("table", name="By opponent").locator("tbody tr")).to_have_count(2)
        expect(page.get_by_role("table", name="Last games").locator("tbody tr")).to_have_count(5)
        assert fits(page)
        check_accessibility(page)
        page.goto(f"{played.url}/player/BOB")
        expect(page.get_by_role("table", name="Lost by")).to_contain_text("a line")
        page.goto(f"{played.url}/player/ann")
        scores = page.locator("table.scores", has_text="bob")
        expect(scores).to_contain_text("Score")
        spare = scores.evaluate("one => one.parentElement.clientWidth - one.parentElement.scrollWidth")
        assert spare == 0, "no column is cut"
        assert scores.get_by_role("rowheader").first.evaluate("one => one.clientWidth") >= 78, "names have room"
