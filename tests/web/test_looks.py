"""Appearance of pages in a real browser: colours, large boards, and windows of several sizes."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.web.chromium import (
    AXE,
    DESK,
    KEEP_TWO_ALIKE,
    NARROW,
    PHONE,
    Visit,
    check_accessibility,
    check_legibility,
    fits,
    next_picture,
    open_page,
    watched,
)
from tests.web.people import test_games_page as games_page
from tests.web.screenshots import Place, Shot, league, let_in, open_league, show
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
    other.goto(f"{site.url}/contests")
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


def test_a_large_board_has_legible_names_and_is_made_larger(visit: Visit) -> None:
    page = visit("/play#game=gipf&params=12+3+9+9&players=person,person", phone=True, still=True)
    board = page.locator("#board svg.board")
    names = board.locator("text:visible")
    expect(names).to_have_count(36)
    next_picture(page)
    check_legibility(page)
    width = board.bounding_box()
    page.get_by_role("button", name="Larger").click()
    page.keyboard.press("+")
    larger = board.bounding_box()
    assert width is not None and larger is not None and larger["width"] == pytest.approx(2.25 * width["width"], 0.01)
    expect(names).to_have_count(72)
    assert fits(page) and all_pages_are_in_sight(page)


TOO_LOW = """() => [...document.querySelectorAll("a[href], button, input, select, summary")].filter((one) => {
    const { width, height } = one.getBoundingClientRect();
    const isInSentence = [...one.parentElement.childNodes].some((text) => text.nodeType === 3 && text.data.trim());
    return width && height && height < 24 && !isInSentence && !one.closest("svg, .unseen");
}).map((one) => `${one.outerHTML.slice(0, 80)} ${one.getBoundingClientRect().height}`)"""
"""Touch targets lower than WCAG 2.2 requires (2.5.8), except links in a text."""

SITE = (
    *("/", "/replay", "/contests", "/contest/1", "/contest/2", "/contest/3", "/contest/1/live"),
    "/learn#mnk",
)
"""Pages without a board that is played on."""

BOARDS = (
    "/play",
    "/play?arrows#game=arrows&players=person,person&moves=2",
    "/play?mnk#game=mnk&params=19+19+5&players=person,person",
    f"/analysis#{TREE}",
)
"""Pages with a board. The browser loads a page again only if its address differs before the #."""

ALIKE = ("ladder-empty", "join", "league-organiser")
"""Pages of the league that look like another one."""

VARIANTS = ("/contest/2", *BOARDS[1:3])
"""Another contest and other games on a page that is looked at already."""

READ_ELSEWHERE = ("/contest/1/live", "/match", *BOARDS[3:])
"""Pages that axe-core reads in tests of what they show."""

SHOTS = (
    *(Shot(path, path, "main", "site") for path in SITE),
    Shot("/games", "/games", "#games tr", "site"),
    Shot("/player", "/player/gus", "#profile", "site"),
    Shot("/match", "/match/{match}", "#times svg", "site"),
    *(Shot(path, path, "#board .offer", "site") for path in BOARDS),
    *(shot for shot in league() if shot.name not in ALIKE),
)


@pytest.fixture(scope="module")
def places(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Place]]:
    """Servers with contests and a match, and with a league, whose people have the longest names."""
    with ExitStack() as stack:
        table = Table(site, "gipf", "budget=86400000", ("W" * 32, "Friedrich-Wilhelm-von-Hohenzolle"))
        stack.callback(table.leave)
        table.move("a5-b5")
        games_page.fill(site.data, games_page.FAR)
        of_league = open_league(stack, tmp_path_factory.mktemp("league"))
        yield {"site": Place(site, {"match": table.match}), "league": of_league}


def window(size: ViewportSize, dark: bool) -> Any:
    """Return the parameter of a window. `make test` tries a phone in light colours, which have the least contrast."""
    first = size is PHONE and not dark
    name = f"{size['width']}-{'dark' if dark else 'light'}"
    return pytest.param((size, dark), id=name, marks=[] if first else pytest.mark.thorough)


@pytest.fixture(scope="module", params=[window(size, dark) for size in (PHONE, NARROW, DESK) for dark in (False, True)])
def window_page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """One page for each window, which shows all places in turn: to open a page takes as long as to load one."""
    size, dark = request.param
    with open_page(browser, phone=size is not DESK, dark=dark, still=True) as page:
        page.set_viewport_size(size)
        page.add_init_script(AXE)  # sent to the browser once
        yield page


@pytest.mark.parametrize(
    "shot", [pytest.param(shot, id=shot.name, marks=[pytest.mark.campaign] * (shot.name in VARIANTS)) for shot in SHOTS]
)
def test_a_page_is_for_everybody_on_every_screen(window_page: Page, places: Mapping[str, Place], shot: Shot) -> None:
    with watched(window_page):
        let_in(window_page, shot, places[shot.place])
        show(window_page, shot, places[shot.place])
        next_picture(window_page)
        assert fits(window_page)
        if window_page.viewport_size != DESK:  # which has a mouse
            assert window_page.evaluate(TOO_LOW) == []
        if window_page.viewport_size != NARROW:  # in which texts of drawings are smaller
            check_legibility(window_page)
        if shot.name not in READ_ELSEWHERE:
            window_page.evaluate(KEEP_TWO_ALIKE)
            check_accessibility(window_page)
        window_page.evaluate("localStorage.clear()")


def test_a_low_window_has_the_whole_board(visit: Visit) -> None:
    page = visit(f"/analysis#{TREE}", phone=True, still=True)
    page.set_viewport_size({"width": 844, "height": 390})
    expect(page.locator("#tree button")).to_have_count(7)
    expect(page.locator("#board svg")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("button", name="Larger")).to_have_count(0)
    assert fits(page)
