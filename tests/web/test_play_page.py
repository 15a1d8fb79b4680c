"""The page for playing in a real Chromium, on a server of its own: clicks, keys, files, links, desk and phone."""

import re
from urllib.parse import unquote

import pytest
from playwright.sync_api import Browser, Page, Position, expect

from tests.web.chromium import open_page, point, show
from tests.web.site import Site

pytestmark = pytest.mark.slow
RING = "2 3 9 9\n3 9 W\n W W\nW _ W\n W W\n"
"""Whatever is pushed into the middle leaves three rows that cross, or two."""


@pytest.fixture(scope="module")
def address(site: Site) -> str:
    """The page's address."""
    return f"{site.url}/play"


CORNER: Position = {"x": 2, "y": 2}
"""Corner of the board's drawing: no field is there."""


def offers(page: Page) -> list[str]:
    labels = page.locator(".offer").evaluate_all("found => found.map(one => one.getAttribute('aria-label'))")
    return [str(label) for label in labels]


def moves(page: Page) -> list[str]:
    return page.locator("#moves li").all_inner_texts()


def test_a_game_is_played_by_clicks_against_the_bot_with_an_undo(page: Page, address: str) -> None:
    show(page, address)
    expect(page.locator("#seat-1 .who")).to_contain_text("level 2")
    page.locator("#setup [name=S]").fill("5")
    page.locator("#setup [name=K]").fill("4")
    page.locator("#setup [name=GW]").fill("6")
    page.locator("#setup [name=GB]").fill("6")
    page.locator("#player-1").select_option("bot:0.1")
    page.locator("#setup .main").click()
    expect(page.locator("#title")).to_have_text("GIPF 5 4 6 6")
    expect(page.locator("#status")).to_have_text("White to move.")
    expect(page.locator(".offer")).to_have_count(30)
    point(page, "a4")
    assert "a4, chosen" in offers(page)[-1]
    page.keyboard.press("Escape")
    expect(page.locator(".offer")).to_have_count(30)
    point(page, "a4")
    point(page, "b4")
    expect(page.locator("#moves li")).to_have_count(2)
    expect(page.locator("#status")).to_have_text(re.compile("Black played .*White to move"))
    first = moves(page)
    page.locator("#undo").click()
    expect(page.locator("#moves li")).to_have_count(0)
    expect(page.locator("#undo")).to_be_disabled()
    page.locator("#redo").click()
    expect(page.locator("#moves li")).to_have_count(2)
    assert moves(page) == first


def test_a_move_is_typed_and_what_is_none_is_refused_and_a_row_is_chosen_by_pointing_at_it_or_by_keyboard(
    page: Page, address: str
) -> None:
    show(page, address, "game=gipf&players=person,person")
    page.locator("#move").fill("a5-b9")
    page.keyboard.press("Enter")
    expect(page.locator("#fault")).to_have_text(re.compile("move 1: 'b9' names no field"))
    page.locator("#move").fill("A5 - B5")
    page.keyboard.press("Enter")
    expect(page.locator("#moves li")).to_have_text(["a5-b5"])
    expect(page.locator("#fault")).to_have_text("")
    page.locator("#text").fill(RING)
    page.locator("#load button").click()
    expect(page.locator("#title")).to_have_text("GIPF 2 3 9 9")
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#board")).to_be_focused()
    page.locator(".offer[aria-label='a3, dot']").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("b3,")
    page.keyboard.press(" ")
    expect(page.locator("#status")).to_contain_text("Rows of white cross. Choose the one to take: ")
    assert sorted(offers(page)) == [f"take the row {row} of white" for row in ("b2 to d3", "b3 to d2", "c4 to c2")]
    expect(page.locator("#board .piece")).to_have_count(7)
    colours = page.evaluate("[...document.querySelectorAll('.row .hint')].map((row) => getComputedStyle(row).stroke)")
    assert len(set(colours)) == 3
    page.keyboard.press("Escape")
    expect(page.locator("#board .piece")).to_have_count(6)
    page.locator(".offer[aria-label='a3, dot']").click()
    page.locator(".offer[aria-label^='b3,']").click()
    page.locator(".offer[aria-label='take the row c4 to c2 of white']").press("Enter")
    expect(page.locator("#moves li")).to_have_text(["a3-b3 w: c4 c2"])
    expect(page.locator("#status")).to_contain_text("White played a3-b3 w: c4 c2: 3 returned. ")
    expect(page.locator("#board .piece")).to_have_count(4)


def test_bots_play_each_other_wait_and_go_step_by_step(page: Page, address: str) -> None:
    thoughts: list[str] = []
    page.on("request", lambda request: thoughts.append(request.url) if request.url.endswith("/think") else None)
    show(page, address, "game=gipf&params=5+4+18+18&players=bot:0.05,bot:0.05")  # interpreted
    expect(page.locator("#moves li").nth(1)).to_be_visible()
    page.locator("#pause").click()
    expect(page.locator("#pause")).to_have_text("Go on")
    expect(page.locator("#thought")).to_be_empty()
    thoughts.clear()
    count = len(moves(page))
    page.locator("#step").click()
    expect(page.locator("#moves li")).to_have_count(count + 1)
    page.locator("#undo").click()
    expect(page.locator("#moves li")).to_have_count(count)
    assert len(thoughts) == 1, "a bot that waits asks for nothing"
    page.locator("#pause").click()
    expect(page.locator("#moves li").nth(count + 1)).to_be_visible()


def test_a_move_that_is_made_while_the_server_restarts_is_sent_again(browser: Browser, address: str) -> None:
    with open_page(browser, still=True, lost=True, refused=502, apart=True) as page:
        show(page, address, "game=mnk&params=3+3+3&players=person,person")
        page.route("**/api/play/look", lambda route: route.abort())
        point(page, "b2")
        expect(page.locator("#fault")).to_contain_text("Your last step is kept and sent again.")
        expect(page.locator("#moves li")).to_have_count(0)
        page.unroute("**/api/play/look")
        expect(page.locator("#moves li")).to_have_text(["b2"])
        expect(page.locator("#fault")).to_be_empty()
        page.route("**/api/play/look", lambda route: route.fulfill(status=502, body="restarting"))
        point(page, "a1")
        expect(page.locator("#fault")).to_contain_text("Your last step is kept and sent again.")
        page.unroute("**/api/play/look")
        expect(page.locator("#moves li")).to_have_text(["b2", "a1"])


@pytest.mark.thorough
def test_an_arrow_is_pointed_on_the_board_or_by_the_buttons_beside_it(page: Page, address: str) -> None:
    show(page, address, "game=arrows&params=5+4&players=person,person")
    expect(page.locator(".offer")).to_have_count(5)
    point(page, "3,1")
    expect(page.locator("#moves li")).to_have_text(["right"])
    page.get_by_role("button", name="left", exact=True).click()
    expect(page.locator("#moves li")).to_have_text(["right", "left"])
    page.get_by_role("button", name="up", exact=True).click()
    expect(page.locator("#moves li")).to_have_text(["right", "left", "up"])  # before that a click is let be
    page.get_by_role("button", name="left", exact=True).click()
    expect(page.locator("#status")).to_contain_text("Second wins: first cannot place an arrow on (")
    expect(page.locator(".offer")).to_have_count(0)
    expect(page.locator(".seat.won")).to_have_count(1)


def test_a_link_holds_the_game_and_a_bad_one_is_named(page: Page, address: str) -> None:
    show(page, address, "game=mnk&params=3+3+3&players=person,person&moves=b2,a1")
    expect(page.locator("#moves li")).to_have_text(["b2", "a1"])
    point(page, "c3")
    expect(page.locator("#moves li")).to_have_count(3)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#copy-link").click()
    expect(page.locator("#toast")).to_have_text("Copied")
    link = f"{address}#game=mnk&params=3+3+3&players=person,person&moves=b2,a1,c3"
    assert unquote(page.evaluate("navigator.clipboard.readText()")) == link
    page.locator("#copy-game").click()
    page.wait_for_function("navigator.clipboard.readText().then((text) => text.endsWith('moves:\\nb2\\na1\\nc3\\n'))")
    hostile = "<img src=x onerror=alert(1)>"
    show(page, address, f"game={hostile}")
    expect(page.locator("#fault")).to_contain_text(f"there is no game '{hostile}'")
    assert page.locator("main img").count() == 0


@pytest.mark.thorough
def test_a_choice_is_cancelled_by_touch(browser: Browser, address: str) -> None:
    with open_page(browser, phone=True, still=True) as page:
        show(page, address, "game=gipf&players=person,person")
        page.locator("#text").fill(RING)
        page.locator("#load button").tap()
        expect(page.locator("#title")).to_have_text("GIPF 2 3 9 9")
        expect(page.locator("#cancel")).to_be_hidden()
        for elsewhere in (False, True):
            page.locator(".offer[aria-label='a3, dot']").tap()
            page.locator(".offer[aria-label^='b3,']").tap()
            expect(page.locator("#status")).to_contain_text("Rows of white cross. Choose the one to take: ")
            expect(page.locator("#board .piece")).to_have_count(7)
            if elsewhere:
                page.locator("#board svg").tap(position=CORNER)
            else:
                page.locator("#cancel").tap()
            expect(page.locator("#board .piece")).to_have_count(6)
            expect(page.locator("#cancel")).to_be_hidden()
            expect(page.locator("#status")).to_contain_text("White to move.")


def test_an_unfinished_game_goes_on_after_a_visit_to_other_pages(page: Page, address: str) -> None:
    show(page, address, "game=mnk&params=3+3+3&players=person,person&moves=b2,a1")
    point(page, "c3")
    expect(page.locator("#moves li")).to_have_count(3)
    page.locator("#rules").click()
    page.get_by_role("link", name="Play", exact=True).click()
    expect(page.locator("#title")).to_have_text("m,n,k 3 3 3")
    expect(page.locator("#moves li")).to_have_text(["b2", "a1", "c3"])
    expect(page.locator("#seat-1 .who")).to_have_text("Second: person")
    page.locator("#setup .main").click()
    expect(page.locator("#moves li")).to_have_count(0)


def test_captures_are_put_into_words_and_a_move_without_a_search_is_no_hint(page: Page, address: str) -> None:
    thought = {"move": "5", "score": None, "nodes": 0, "seconds": 1}
    page.route("**/api/play/think", lambda route: route.fulfill(json=thought))
    show(page, address, "game=morris&params=&players=person,person&moves=0,3,1,4,2+3")
    expect(page.locator("#status")).to_have_text("White played 2 3: 1 captured. Black to move.")
    page.locator("#hint").click()
    expect(page.locator("#thought")).to_have_text("There is no hint: the bot had no time to search.")
    expect(page.locator("#board .arrow")).to_have_count(0)


def test_the_end_of_a_game_names_the_result_once_and_offers_what_comes_next(page: Page, address: str) -> None:
    show(page, address, "game=mnk&params=3+3+3&players=person,level:2&moves=a1,b3,b1,c3")
    expect(page.locator("#after")).to_be_hidden()
    before = page.locator("#moves").bounding_box()
    point(page, "c1")
    expect(page.locator("#status")).to_have_text("First played c1. You won: first has 3 in a line, a1 to c1.")
    expect(page.locator("#thought")).to_be_empty()
    assert page.evaluate("localStorage.getItem('game')") is None
    expect(page.locator("#analyse")).to_have_attribute("href", re.compile("^/analysis#.*moves=a1%2Cb3%2Cb1%2Cc3%2Cc1$"))
    assert page.locator("#moves").bounding_box() == before, "nothing moves at the end of a game"
    page.locator("#again").click()
    expect(page.locator("#moves li")).to_have_count(0)
    expect(page.locator("#seat-1 .who")).to_have_text("Second: beginner (level 2)")
    expect(page.locator("#after")).to_be_hidden()
