"""The board to think on in a real Chromium: variations, set-up, links, the way from a match, keyboard, phones."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.web.chromium import Visit, check_accessibility, point, show
from tests.web.site import Seat, Site

pytestmark = pytest.mark.slow

TREE = "game=mnk&params=3+3+3&tree=b2,a1!best,(b1,c1(a2),b3),c1&at=2"
"""A main line of three moves, and in place of its second one a line of three, which branches itself."""


@pytest.fixture(scope="module")
def address(site: Site) -> str:
    """The page's address."""
    return f"{site.url}/analysis"


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


KEYS = "keys => keys.forEach(key => document.dispatchEvent(new KeyboardEvent('keydown', { key })))"
"""Presses keys faster than the server answers."""


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
    page.evaluate(KEYS, ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "ArrowRight"])
    expect(page.locator("#tree [aria-current]")).to_have_text("3.c1")


def test_a_position_is_set_up_by_mouse_and_the_rules_say_what_is_wrong_with_it(page: Page, address: str) -> None:
    show(page, address, "game=gipf&params=3+3+9+9&tree=a4-b4&at=1")
    page.locator("#arrange").click()
    expect(page.locator("#arrange-standing")).to_have_text(
        "White: 5 in reserve, 0 captured; black: 6 in reserve, 0 captured."
    )
    check_accessibility(page)
    page.locator("#arrange-clear").click()
    expect(page.locator("#board .piece")).to_have_count(0)
    expect(page.locator("#arrange-reserve-0")).to_have_value("9")
    page.locator("#arrange-tools button", has_text="Black").click()
    for field in ("b2", "c2", "d2"):
        point(page, field)
    expect(page.locator("#arrange-fault")).to_contain_text("Runs of 3 or more pieces on the board: 1")
    expect(page.locator("#arrange-done")).to_be_disabled()
    page.keyboard.press("Enter")  # the field that was pointed at has the focus
    expect(page.locator("#arrange-fault")).to_be_empty()
    page.locator("#arrange-reserve-0").fill("4")
    page.locator("#arrange-turn").select_option("Black")
    page.locator("#arrange-done").click()
    expect(page.locator("#status")).to_have_text("Black to move.")
    expect(page.locator("#seat-0 .stock")).to_contain_text("4 to play, 5 captured by black")
    expect(page.locator("#seat-1 .stock")).to_contain_text("7 to play, 0 captured by white")
    point(page, "a2")
    page.go_back()
    expect(page.locator("#tree button")).to_have_text(["1.a4-b4"])


def test_a_match_leads_to_its_analysis_and_on_to_playing(visit: Visit, seat: Seat) -> None:
    table = seat("gipf", "params=3,3,9,9 budget=600000")
    for move in ("a4-b4", "d7-d6", "a4-b4"):
        table.move(move)
    table.resign()
    table.close()
    page = visit(f"/match/{table.match}#2", still=True)
    expect(page.locator("#moves li")).to_have_count(3)
    page.locator("#analyse").click()
    expect(page.locator("#tree button")).to_have_count(3)
    assert tree(page) == ["1.a4-b4", "2.d7-d6", "3.a4-b4"] and current(page) == "2.d7-d6"
    page.locator("#play").click()
    expect(page.locator("#moves li").first).to_have_text("a4-b4")
    expect(page.locator("#title")).to_have_text("GIPF 3 3 9 9")


def test_a_wrong_link_and_a_wrong_position_are_named(page: Page, address: str) -> None:
    show(page, address, "game=mnk&params=3+3+3&tree=b2,b2&at=2")
    expect(page.locator("#fault")).to_contain_text("The link cannot be opened: move 2: b2 has a piece already")
    page.locator("#text").fill("3 3 1 1\n")
    page.locator("#load button").click()
    expect(page.locator("#load-fault")).to_contain_text("line 1: GW is 1")


def test_the_engine_shows_its_lines_and_points_at_moves(page: Page, address: str) -> None:
    show(page, address, "game=mnk&params=3+3+3&tree=b2,a1,b3,c3")
    page.locator("#think").click()
    expect(page.locator("#lines li").first).to_contain_text("first wins in 1 ply")
    expect(page.locator("#lines li:not(.place)")).to_have_count(3)
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


def test_a_text_a_record_and_a_link_are_pasted(page: Page, site: Site, seat: Seat, address: str) -> None:
    table = seat("morris", "budget=600000", names=("cleo", "dan"))
    for move in ("0", "1", "2"):
        table.move(move)
    table.resign()
    table.close()
    show(page, address, "game=mnk")
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
