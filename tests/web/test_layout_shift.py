"""Nothing jumps on pages with a board: cumulative layout shift, as the browser measures it."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect

from engine.wire import messages as m
from tests.web.chromium import next_picture, open_page
from tests.web.site import Seat, Site

pytestmark = pytest.mark.slow

MAX_SHIFT = 0.05
"""Half of what web.dev calls good."""

OBSERVE = """{
    const shifts = [];
    const note = (entries) => {
        for (const { value, startTime, hadRecentInput, sources } of entries) {
            const moved = sources.map(({ node }) => node?.outerHTML?.slice(0, 60) ?? node?.textContent);
            shifts.push({ value, startTime, hadRecentInput, moved });
        }
    };
    const observer = new PerformanceObserver((list) => note(list.getEntries()));
    observer.observe({ type: "layout-shift", buffered: true });
    window.shiftsSoFar = () => {
        note(observer.takeRecords());
        return shifts;
    };
}"""


@contextmanager
def steady(browser: Browser, phone: bool, *, lost: bool = False) -> Iterator[Page]:
    """Open a page, which must not jump until it is closed."""
    with open_page(browser, phone=phone, lost=lost) as page:
        page.add_init_script(OBSERVE)
        yield page
        check_shifts(page)


def check_shifts(page: Page, since: float | None = None) -> None:
    """Check that little has moved: since a time of the page in milliseconds, or ever but within 0.5 s of an input."""
    next_picture(page)  # the browser reports a shift after the picture that has it
    shifts = page.evaluate("shiftsSoFar()")
    counted = [one for one in shifts if (not one["hadRecentInput"] if since is None else one["startTime"] >= since)]
    assert sum(one["value"] for one in counted) < MAX_SHIFT, counted


@pytest.mark.parametrize(
    ("phone", "game", "moves"),
    [
        pytest.param(False, "mnk params=5,5,4", ("a1", "b2", "a2"), marks=pytest.mark.campaign),
        (True, "gipf params=3,3,9,9", ("a4-b4", "d7-d6")),
    ],
)
def test_a_match_does_not_jump_from_its_beginning_to_its_end(
    browser: Browser, site: Site, seat: Seat, phone: bool, game: str, moves: tuple[str, ...]
) -> None:
    table = seat(*f"{game} budget=600000".split(maxsplit=1), ("a" * 31, "b" * 31))
    with steady(browser, phone) as page:
        page.goto(f"{site.url}/match/{table.match}")
        expect(page.locator("#status")).to_have_text("live")
        expect(page.locator("#times svg")).to_be_visible()
        table.players[0].say(m.Note(m.Text("score=35 depth=7 pv=a1 text=in the book")))
        for ply, move in enumerate(moves, 1):
            table.move(move)
            expect(page.locator("#moves li")).to_have_count(ply)
        page.evaluate("window.scrollTo(0, 200)")
        table.resign()
        expect(page.locator("#status")).to_have_text("over")
        expect(page.locator("#ending")).to_contain_text("resigned at move")


@pytest.mark.parametrize("phone", [False, pytest.param(True, marks=pytest.mark.campaign)])
def test_a_match_does_not_jump_when_the_connection_is_lost_or_something_is_copied(
    browser: Browser, site: Site, seat: Seat, phone: bool
) -> None:
    table = seat("mnk", "params=5,5,4 budget=600000")
    with steady(browser, phone, lost=True) as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.goto(f"{site.url}/match/{table.match}")
        expect(page.locator("#status")).to_have_text("live")
        page.locator("#text").click()
        expect(page.locator("#toast")).to_have_text("Copied")
        expect(page.locator("#toast")).to_be_hidden()
        page.route("**/live/**", lambda route: route.abort())
        page.evaluate("stop()")
        expect(page.locator("#status")).to_contain_text("connection lost since")


@pytest.mark.parametrize("phone", [pytest.param(False, marks=pytest.mark.campaign), True])
def test_the_engine_of_an_analysis_does_not_move_the_page(browser: Browser, site: Site, phone: bool) -> None:
    with steady(browser, phone) as page:
        page.goto(f"{site.url}/analysis#game=gipf&params=3+3+9+9&tree=a4-b4,d7-d6")
        expect(page.locator("#tree button")).to_have_count(2)
        page.locator("#think").click()
        expect(page.locator("#lines li:not(.place)")).to_have_count(3)
        page.locator("#back").click()
        expect(page.locator("#lines li:not(.place)")).to_have_count(3)
