"""Appearance of pages in a real browser: chosen colours, marks, narrow and low windows."""

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.web.chromium import Visit, check_accessibility, check_legibility, fits, open_page
from tests.web.site import Seat, Site
from tests.web.test_analysis_page import TREE

pytestmark = pytest.mark.slow


def paper(page: Page) -> str:
    """Return the colour of the page's ground."""
    return str(page.evaluate("getComputedStyle(document.documentElement).backgroundColor"))


def test_colours_are_chosen_kept_and_shared_by_tabs(visit: Visit, site: Site) -> None:
    light, dark = "rgb(244, 239, 230)", "rgb(23, 22, 20)"
    page = visit("/contests")
    other = page.context.new_page()
    other.goto(f"{site.url}/play")
    button = page.get_by_role("button", name="Dark colours")
    expect(button).to_have_attribute("aria-pressed", "false")
    assert paper(page) == light
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    assert paper(page) == dark
    expect(other.locator("html")).to_have_attribute("data-theme", "dark")
    check_accessibility(page)
    page.reload()
    assert paper(page) == dark
    page.get_by_role("button", name="Dark colours").click()
    expect(other.locator("html")).not_to_have_attribute("data-theme", "dark")
    assert paper(page) == light and page.evaluate("localStorage.theme") is None


def all_pages_are_in_sight(page: Page) -> bool:
    """Tell whether the links to all pages are seen without scrolling."""
    return bool(
        page.evaluate(
            "[...document.querySelectorAll('.bar nav a')].every(a => a.getBoundingClientRect().right <= innerWidth)"
        )
        and page.evaluate("(nav => nav.scrollWidth <= nav.clientWidth)(document.querySelector('.bar nav'))")
    )


def test_a_large_board_has_legible_names_and_is_made_larger(visit: Visit, site: Site) -> None:
    page = visit("/play#game=gipf&params=12+3+9+9&players=person,person", phone=True, still=True)
    board = page.locator("#board svg.board")
    names = board.locator("text:visible")
    expect(names).to_have_count(36)
    check_legibility(page)
    width = board.bounding_box()
    page.get_by_role("button", name="Larger").click()
    page.keyboard.press("+")
    larger = board.bounding_box()
    assert width is not None and larger is not None and larger["width"] == pytest.approx(2.25 * width["width"], 0.01)
    expect(names).to_have_count(72)
    assert fits(page) and all_pages_are_in_sight(page)
    check_accessibility(page)
    page.goto(f"{site.url}/play#game=mnk&params=3+3+3&players=person,person")
    expect(page.get_by_role("button", name="Larger")).to_have_count(0)


TOO_LOW = """() => [...document.querySelectorAll("a[href], button, input, select, summary")].filter((one) => {
    const { width, height } = one.getBoundingClientRect();
    const isInSentence = [...one.parentElement.childNodes].some((text) => text.nodeType === 3 && text.data.trim());
    return width && height && height < 24 && !isInSentence && !one.closest("svg, .unseen");
}).map((one) => `${one.outerHTML.slice(0, 80)} ${one.getBoundingClientRect().height}`)"""
"""Touch targets lower than WCAG 2.2 requires (2.5.8), except links in a text."""


TEXTS = ("/", "/replay", "/contests", "/contest/1", "/contest/2", "/contest/3", "/contest/1/live", "/games", "/learn")
"""Pages without a board that is played on."""

BOARDS = (
    "/play",
    "/play#game=arrows&players=person,person&moves=2",
    "/play#game=mnk&params=19+19+5&players=person,person",
    "/analysis#game=gipf",
    "/analysis#game=arrows&tree=2",
    f"/analysis#{TREE}",
    "/match/{match}",
)
"""Pages with a board."""


@pytest.mark.parametrize("phone", [False, True], ids=["desk", "phone"])
def test_every_page_is_for_everybody_on_every_screen(browser: Browser, site: Site, seat: Seat, phone: bool) -> None:
    table = seat("gipf", "budget=600000", ("W" * 32, "Friedrich-Wilhelm-von-Hohenzolle"))
    table.move("a5-b5")
    with open_page(browser, phone=phone, dark=phone, still=True) as page:
        if phone:
            page.set_viewport_size({"width": 320, "height": 640})
        for path in (*TEXTS, *BOARDS):
            page.goto("about:blank")  # a change behind # alone would not load the page
            page.goto(site.url + path.format(match=table.match))
            page.wait_for_load_state("load")
            expect(page.locator("main")).to_be_visible()
            if path in BOARDS:
                expect(page.locator("#board .offer, #board .piece").first).to_be_visible()
            assert fits(page), path
            check_accessibility(page)
            assert not phone or page.evaluate(TOO_LOW) == [], path
        page.goto(f"{site.url}{BOARDS[-2]}")
        page.set_viewport_size({"width": 844, "height": 390})
        expect(page.locator("[aria-busy=true]")).to_have_count(0)
        box = page.locator("#board svg").bounding_box()
        assert box is not None and box["y"] + box["height"] <= 390 and fits(page)
        page.goto(f"{site.url}/play#game=mnk&params=3+3+3&players=person,person")
        press = Locator.tap if phone else Locator.click
        press(page.locator(".offer[aria-label^='b2,']"))
        expect(page.locator("#moves li")).to_have_text(["b2"])
