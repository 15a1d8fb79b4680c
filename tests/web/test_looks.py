"""What pages look like in a real browser: chosen colours, marks, narrow and low windows."""

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


def test_what_has_decided_a_match_and_who_has_won_are_marked(browser: Browser, site: Site, seat: Seat) -> None:
    table = seat("mnk", "params=3,3,3 budget=600000")
    with open_page(browser, still=True) as page:
        lobby = page.context.new_page()
        lobby.goto(site.url)
        page.goto(f"{site.url}/match/{table.match}")
        expect(page.locator("#status")).to_have_text("live")
        expect(lobby.locator(f".game[data-match='{table.match}']")).to_have_count(1)
        for move in ("a1", "a2", "b2", "a3", "c3"):
            table.move(move)
        expect(page.locator("#board .marks .decisive")).to_have_count(3)
        expect(page.locator("#player0")).to_have_class("player card won")
        expect(page.locator(".badge")).to_have_text(["lost", "won"])
        game = lobby.locator(f".game[data-match='{table.match}']")
        expect(game.locator("rect[fill='var(--light-wash)']")).to_have_count(3)
        expect(game.locator(".clock, .foot .number")).to_have_text(["lost", "won", "ann wins: a line"])
        check_accessibility(page)
        check_accessibility(lobby)


def all_pages_are_in_sight(page: Page) -> bool:
    """Tell whether the links to all pages are seen without scrolling."""
    return bool(
        page.evaluate(
            "[...document.querySelectorAll('.bar nav a')].every(a => a.getBoundingClientRect().right <= innerWidth)"
        )
        and page.evaluate("(nav => nav.scrollWidth <= nav.clientWidth)(document.querySelector('.bar nav'))")
    )


LINES = "nav => new Set([...nav.querySelectorAll('a')].map(a => Math.round(a.getBoundingClientRect().top))).size"
"""In how many lines the links to all pages stand."""


def test_a_match_fits_a_phone_on_its_side(visit: Visit, seat: Seat) -> None:
    table = seat("gipf", "params=12,3,9,9 budget=600000")
    page = visit(f"/match/{table.match}")
    expect(page.locator("#status")).to_have_text("live")
    for width in (1920, 1240, 1024, 993, 844):
        page.set_viewport_size({"width": width, "height": 390})
        assert page.locator(".bar nav").evaluate(LINES) == 1, width
    expect(page.locator("#status")).to_have_text("live")
    box = page.locator("#board svg").bounding_box()
    assert box is not None and box["height"] > 320 and box["y"] + box["height"] <= 390 and fits(page)
    check_legibility(page)
    assert all_pages_are_in_sight(page)


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


SHIFTED = """() => new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntries().reduce((sum, one) => sum + one.value, 0)))
        .observe({ type: "layout-shift", buffered: true });
    setTimeout(() => resolve(0), 500);
})"""
"""The sum of all layout shifts since the page was opened, those after a click included."""


COVERED = """() => {
    const box = document.querySelector(".status.lost").getBoundingClientRect();
    return [...document.querySelectorAll("main *, .bar a, .bar button")].filter((one) => {
        const { top, bottom, left, right } = one.getBoundingClientRect();
        return bottom > box.top && top < box.bottom && right > box.left && left < box.right;
    }).map((one) => one.outerHTML.slice(0, 80));
}"""
"""The elements below the notice of a lost connection."""


@pytest.mark.parametrize("phone", [False, True], ids=["desk", "phone"])
def test_nothing_jumps_when_a_page_loads_copies_or_loses_the_connection(
    browser: Browser, site: Site, phone: bool
) -> None:
    with open_page(browser, phone=phone, lost=True, apart=True) as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        for path in ("/play", "/analysis"):
            page.goto(site.url + path)
            expect(page.locator("#board .offer").first).to_be_visible()
            page.locator("#copy-link").click()
            expect(page.locator("#toast")).to_have_text("Copied")
            expect(page.locator("#toast")).to_be_hidden()
            assert page.evaluate(SHIFTED) < 0.05, path
        page.goto(f"{site.url}/contests")
        expect(page.locator("#contests")).to_be_visible()
        page.route("**/contests", lambda route: route.abort())
        expect(page.locator(".status.lost")).to_contain_text("connection lost since")
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        assert page.evaluate(COVERED) == []
        assert page.evaluate(SHIFTED) < 0.05


TOO_LOW = """() => [...document.querySelectorAll("a[href], button, input, select, summary")].filter((one) => {
    const { width, height } = one.getBoundingClientRect();
    const isInSentence = [...one.parentElement.childNodes].some((text) => text.nodeType === 3 && text.data.trim());
    return width && height && height < 24 && !isInSentence && !one.closest("svg, .unseen");
}).map((one) => `${one.outerHTML.slice(0, 80)} ${one.getBoundingClientRect().height}`)"""
"""What can be touched and is lower than WCAG 2.2 asks for (2.5.8), but for links in the middle of a text."""


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
    table = seat("gipf", "budget=600000", ("a" * 32, "b" * 32))
    table.move("a5-b5")
    with open_page(browser, phone=phone, dark=phone, still=True) as page:
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
