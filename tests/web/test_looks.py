"""Appearance of pages in a real browser: chosen colours, marks, narrow and low windows."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.chromium import DESK, NARROW, Visit, check_accessibility, check_legibility, fits
from tests.web.screenshots import Place, Shot, league, open_league, open_shot, show
from tests.web.site import Site, Table
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
    page.goto(f"{site.url}/play#game=mnk&params=3+3+3&players=person,person")
    expect(page.get_by_role("button", name="Larger")).to_have_count(0)


TOO_LOW = """() => [...document.querySelectorAll("a[href], button, input, select, summary")].filter((one) => {
    const { width, height } = one.getBoundingClientRect();
    const isInSentence = [...one.parentElement.childNodes].some((text) => text.nodeType === 3 && text.data.trim());
    return width && height && height < 24 && !isInSentence && !one.closest("svg, .unseen");
}).map((one) => `${one.outerHTML.slice(0, 80)} ${one.getBoundingClientRect().height}`)"""
"""Touch targets lower than WCAG 2.2 requires (2.5.8), except links in a text."""

SITE = (
    *("/", "/replay", "/contests", "/contest/1", "/contest/2", "/contest/3", "/contest/1/live", "/games"),
    "/learn#mnk",
)
"""Pages without a board that is played on."""

BOARDS = (
    "/match/{match}",
    "/play",
    "/play#game=arrows&players=person,person&moves=2",
    "/play#game=mnk&params=19+19+5&players=person,person",
    f"/analysis#{TREE}",
)
"""Pages with a board."""

ALIKE = ("ladder-empty", "join", "league-organiser")
"""Pages of the league that look like another one."""

SHOTS = (
    *(Shot(path, path, "main", "site") for path in SITE),
    *(Shot(path, path, "#board .offer, #board .piece", "site") for path in BOARDS),
    *(shot for shot in league() if shot.name not in ALIKE),
)


@pytest.fixture(scope="module")
def places(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Place]]:
    """Servers with contests and a match, and with a league, whose people have the longest names."""
    with ExitStack() as stack:
        table = Table(site, "gipf", "budget=86400000", ("W" * 32, "Friedrich-Wilhelm-von-Hohenzolle"))
        stack.callback(table.leave)
        table.move("a5-b5")
        of_league = open_league(stack, tmp_path_factory.mktemp("league"))
        yield {"site": Place(site, {"match": table.match}), "league": of_league}


@pytest.mark.parametrize("shot", SHOTS, ids=lambda shot: shot.name)
def test_a_page_is_for_everybody_on_every_screen(browser: Browser, places: Mapping[str, Place], shot: Shot) -> None:
    """It is loaded by a phone in dark colours, then made as narrow and as wide as pages are, and light."""
    with open_shot(browser, shot, places[shot.place], phone=True, dark=True) as page:
        show(page, shot, places[shot.place])
        check_accessibility(page)
        check_legibility(page)
        assert fits(page)
        page.set_viewport_size(NARROW)
        assert fits(page) and page.evaluate(TOO_LOW) == []
        page.set_viewport_size(DESK)
        page.emulate_media(color_scheme="light")
        check_accessibility(page)
        check_legibility(page)
        assert fits(page)


def test_a_low_window_has_the_whole_board(visit: Visit) -> None:
    page = visit(f"/analysis#{TREE}", phone=True, still=True)
    page.set_viewport_size({"width": 844, "height": 390})
    expect(page.locator("#board svg")).to_be_in_viewport(ratio=1)
    assert fits(page)
