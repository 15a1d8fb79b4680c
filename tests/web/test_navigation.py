"""Finding one's way in a real browser: several tabs, back and forward, the keyboard alone, nodes that stay."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.web.chromium import Visit
from tests.web.site import Seat, Site

pytestmark = pytest.mark.slow

QUIET = "params=3,3,9,9 budget=600000"
MOVES = ("a4-b4", "d7-d6", "a4-b4")
"""Moves of GIPF 3 3 9 9: pushes that collect nothing."""


def test_back_and_forward_lead_from_page_to_page(visit: Visit, site: Site, seat: Seat) -> None:
    table = seat("gipf", QUIET)
    page = visit(still=True)
    page.locator(f".game[data-match='{table.match}'] .place").click()
    table.move(MOVES[0])
    expect(page.locator("#moves li")).to_have_count(1)
    page.keyboard.press("Home")
    expect(page).to_have_url(re.compile("#0$"))
    page.go_back()  # positions are not pages of their own
    expect(page).to_have_url(f"{site.url}/")
    table.move(MOVES[1])
    expect(page.locator(f".game[data-match='{table.match}']")).to_contain_text("2 moves")  # others may have just ended
    page.go_forward()
    expect(page.locator("#moves li")).to_have_count(2)
    expect(page.locator("#status")).to_have_text("live")


def is_seen(page: Page, wanted: Any = None) -> Any:
    """Tell what has the focus, whether it is drawn so that it is seen, and whether it is the one that is wanted."""
    return page.evaluate(
        """(wanted) => {
            const one = document.activeElement;
            const style = getComputedStyle(one.querySelector(".reach") ?? one);
            const drawn = one.matches(".offer") ? style.strokeWidth === "9px" : style.outlineStyle === "solid";
            return [one.outerHTML.slice(0, 80), one.matches(":focus-visible") && drawn, one === wanted];
        }""",
        wanted,
    )


def tab_to(page: Page, wanted: Locator) -> None:
    """Go on by the keyboard until an element has the focus; each one on the way has to show it."""
    element = wanted.element_handle()
    for _ in range(40):
        page.keyboard.press("Tab")
        name, seen, is_wanted = is_seen(page, element)
        assert seen, f"nobody sees that {name!r} has the focus"
        if is_wanted:
            return
    raise AssertionError("the keyboard does not lead there")


def test_a_game_is_played_by_the_keyboard_alone(visit: Visit) -> None:
    page = visit("/play#game=arrows&params=5+4&players=person,person", still=True)
    expect(page.locator("#board .offer")).to_have_count(5)
    tab_to(page, page.locator(".offer").first)
    page.keyboard.press("ArrowDown")
    assert is_seen(page)[1]
    tab_to(page, page.get_by_role("button", name="up", exact=True))
    page.keyboard.press("Enter")
    expect(page.locator("#moves li")).to_have_text(["up"])
    expect(page.get_by_role("button", name="up", exact=True)).to_be_focused()
    tab_to(page, page.locator("#undo"))
    page.keyboard.press(" ")
    expect(page.locator("#moves li")).to_have_count(0)
    tab_to(page, page.locator("#move"))
    page.keyboard.type("2")
    page.keyboard.press("Enter")
    expect(page.locator("#moves li")).to_have_text(["right"])
