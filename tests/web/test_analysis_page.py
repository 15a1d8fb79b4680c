"""The board to think on in a real Chromium: variations, comments, links, the way from a match, keyboard, phones."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.chromium import check_accessibility, fits, open_page
from tests.web.site import Site, Table

pytestmark = pytest.mark.slow

TREE = "game=mnk&params=3+3+3&tree=b2,a1!best,(b1,c1(a2),b3),c1&at=2"
"""A main line of three moves, and in place of its second one a line of three, which branches itself."""


@pytest.fixture(scope="module")
def address(site: Site) -> str:
    """The page's address."""
    return f"{site.url}/analysis"


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with open_page(browser, still=True, refused=400) as page:
        yield page


def show(page: Page, address: str, link: str = "") -> None:
    page.goto("about:blank")  # a change behind # alone would not load the page
    page.goto(f"{address}#{link}")
    expect(page.locator("#board .board")).to_be_visible()


def point(page: Page, name: str) -> None:
    page.locator(f".offer[aria-label^='{name},']").click()


def tree(page: Page) -> list[str]:
    """Return moves and comments in their order."""
    return page.locator("#tree button, #tree .note").all_inner_texts()


def current(page: Page) -> str:
    return page.locator("#tree [aria-current]").inner_text()


def test_moves_and_other_moves_make_a_tree_that_a_link_holds(page: Page, address: str) -> None:
    show(page, address, "game=mnk&params=3+3+3")
    point(page, "b2")
    point(page, "a1")
    expect(page.locator("#tree button")).to_have_count(2)
    page.locator("#back").click()
    expect(page.locator("#board .piece")).to_have_count(1)
    point(page, "c3")
    expect(page.locator("#tree .variation button")).to_have_text(["2.c3"])
    page.locator("#note").fill("worse (I think)!")
    expect(page.locator("#tree .note")).to_have_text("worse (I think)!")
    show(page, address, page.url.partition("#")[2])
    expect(page.locator("#tree .note")).to_have_text("worse (I think)!")
    assert tree(page) == ["1.b2", "2.a1", "2.c3", "worse (I think)!"] and current(page) == "2.c3"
    expect(page.locator("#board .piece")).to_have_count(2)
    page.locator("#promote").click()
    expect(page.locator("#tree .variation")).to_have_text("2.a1")
    page.locator("#prune").click()
    expect(page.locator("#tree button")).to_have_count(2)
    assert tree(page) == ["1.b2", "2.a1"] and current(page) == "1.b2"


def test_keys_step_through_lines_and_from_one_to_the_other(page: Page, address: str) -> None:
    show(page, address, TREE)
    expect(page.locator("#tree button")).to_have_count(7)
    assert current(page) == "2.a1" and "best" in tree(page)
    steps = {"ArrowDown": "2.b1", "ArrowRight": "3.c1", "End": "4.b3", "ArrowLeft": "3.c1", "ArrowUp": ""}
    for key, there in steps.items():
        page.keyboard.press(key)
        if there:
            expect(page.locator("#tree [aria-current]")).to_have_text(there)
    page.keyboard.press("Home")
    expect(page.locator("#board .piece")).to_have_count(0)
    expect(page.locator("#back")).to_be_disabled()
    expect(page).to_have_url(re.compile("at=0$"))


def test_a_board_is_seen_from_the_other_side(page: Page, address: str) -> None:
    show(page, address, "game=gipf&params=3+3+9+9")
    dot = page.locator(".offer[aria-label^='a1,']")
    before = dot.bounding_box()
    page.locator("#flip").click()
    after = dot.bounding_box()
    assert before is not None and after is not None and after["y"] < before["y"] - 50
    expect(page.locator("#seat-0 .who")).to_have_text("Black")
    point(page, "a1")
    page.locator(".offer.field:not(.chosen)").first.click()
    expect(page.locator("#tree button")).to_have_count(1)


def test_a_match_leads_to_its_analysis_and_on_to_playing(browser: Browser, site: Site) -> None:
    table = Table(site, "gipf", "params=3,3,9,9 budget=600000")
    for move in ("a4-b4", "d7-d6", "a4-b4"):
        table.move(move)
    table.resign()
    table.close()
    with open_page(browser, still=True) as page:
        page.goto(f"{site.url}/match/{table.match}#2")
        expect(page.locator("#moves li")).to_have_count(3)
        page.locator("#analyse").click()
        expect(page.locator("#tree button")).to_have_count(3)
        assert tree(page) == ["1.a4-b4", "2.d7-d6", "3.a4-b4"] and current(page) == "2.d7-d6"
        page.locator("#play").click()
        expect(page.locator("#moves li").first).to_have_text("a4-b4")
        expect(page.locator("#title")).to_have_text("GIPF 3 3 9 9")


def test_what_is_wrong_is_said_and_changes_nothing(page: Page, address: str) -> None:
    show(page, address, "game=mnk&params=3+3+3&tree=b2,b2&at=2")
    expect(page.locator("#fault")).to_contain_text("The link cannot be opened: move 2: b2 has a piece already")
    show(page, address, "game=mnk&params=3+3+3")
    page.locator("#move").fill("z9")
    page.locator("#typed button").click()
    expect(page.locator("#fault")).to_contain_text("move 1:")
    expect(page.locator("#tree button")).to_have_count(0)
    page.locator("#text").fill("3 3 3 1\n0 0 0\n0 0\n0 0 0\n")
    page.locator("#load button").click()
    expect(page.locator("#load-fault")).to_contain_text("as mnk: line 3")


def test_the_engine_shows_its_lines_and_points_at_moves(page: Page, address: str) -> None:
    show(page, address, "game=mnk&params=3+3+3&tree=b2,a1,b3,c3")
    page.locator("#think").click()
    expect(page.locator("#lines li").first).to_contain_text("first wins in 1")
    expect(page.locator("#lines li")).to_have_count(3)
    expect(page.locator("#thought")).to_contain_text(re.compile("Depth [0-9]+, [0-9,]+ positions in"))
    expect(page.locator("#board .arrow")).to_have_count(3)
    expect(page.locator("#board .arrow.best")).to_have_count(1)
    check_accessibility(page)
    page.locator("#lines button").first.click()
    expect(page.locator("#tree [aria-current]")).to_have_text("5.b1")
    expect(page.locator("#thought")).to_have_text("The game is over here.")
    expect(page.locator("#board .arrow")).to_have_count(0)
    page.locator("#think").click()
    expect(page.locator("#engine")).to_be_hidden()


def test_a_text_of_any_game_is_pasted_a_record_and_a_link_too(page: Page, site: Site, address: str) -> None:
    table = Table(site, "morris", "budget=600000", names=("cleo", "dan"))
    for move in ("0", "1", "2"):
        table.move(move)
    table.resign()
    table.close()
    show(page, address, "game=gipf")
    record = page.request.get(f"{site.url}/api/matches/{table.match}/record").text()
    for text, title, count in (
        ("3 3 3 1\n0 0 0\n0 0 0\n0 0 0\nmoves:\nb2\n", "Analysis: m,n,k 3 3 3", 1),
        (record, "Analysis: Nine men’s morris", 3),
        (f"{address}#{TREE}", "Analysis: m,n,k 3 3 3", 7),
    ):
        page.locator("#text").fill(text)
        page.locator("#load button").click()
        expect(page.locator("#title")).to_have_text(title)
        expect(page.locator("#tree button")).to_have_count(count)


@pytest.mark.parametrize("small_and_dark", [False, True], ids=["desk", "phone"])
def test_it_is_for_everybody_on_every_screen(browser: Browser, address: str, small_and_dark: bool) -> None:
    with open_page(browser, phone=small_and_dark, dark=small_and_dark, still=True) as page:
        for link in ("game=gipf", "game=arrows&tree=2", TREE):
            show(page, address, link)
            expect(page.locator(".offer").first).to_be_visible()
            assert fits(page)
            check_accessibility(page)
