"""How pages load in a real Chromium: what is sent until the first board is there, and what is not sent again."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.bench.pages import BOARDS, PAINTED
from tests.web.chromium import open_page
from tests.web.site import Site, Table

pytestmark = pytest.mark.slow

MAX_BYTES = 40 * 1024

SCRIPTS = (
    """() => performance.getEntriesByType("resource").map((one) => one.name).filter((name) => name.endsWith(".js"))"""
)

SENT = """() => performance.getEntriesByType("resource")
    .filter((one) => one.name.includes("/static/") && one.transferSize > 0).map((one) => one.name)"""
"""Files that were not in the cache."""


LATER = re.compile(r".*/match/graphs\.js")
"""Of the page of a match, after the board."""


@pytest.fixture
def match(site: Site) -> Iterator[int]:
    table = Table(site, "gipf", "params=3,3,9,9 budget=600000")
    yield table.match
    table.resign()
    table.close()


def test_few_bytes_are_sent_until_the_first_board_and_no_script_is_found_late(
    browser: Browser, site: Site, match: int
) -> None:
    paths = {"lobby": "/", "match": f"/match/{match}", "contest": "/contest/1", "play": "/play"}
    for name, path in paths.items():
        with open_page(browser, still=True) as page:
            clear_cache(page)
            answer = page.goto(site.url + path, wait_until="commit")
            assert answer is not None
            _, _, size, parts = page.evaluate(PAINTED, BOARDS[name])
            assert 5000 < size <= MAX_BYTES and parts > 5, name
            named = {f"{site.url}{one}" for one in re.findall('(?:href|src)="(/static/[^"]+)"', answer.text())}
            found_late = {one for one in page.evaluate(SCRIPTS) if not LATER.fullmatch(one)} - named
            assert not found_late, "what scripts import is asked for with the page, and not after them"


def test_what_a_page_has_loaded_is_not_sent_again(browser: Browser, site: Site, match: int) -> None:
    with open_page(browser, still=True) as page:
        clear_cache(page)
        page.goto(f"{site.url}/match/{match}")
        expect(page.locator("#board svg.board")).to_be_visible()
        expect(page.locator("#times svg")).to_be_visible()  # what draws it is loaded last
        assert page.evaluate(SENT)
        page.goto(f"{site.url}/contests")
        page.goto(f"{site.url}/match/{match}")
        expect(page.locator("#times svg")).to_be_visible()
        assert page.evaluate(SENT) == []


def clear_cache(page: Page) -> None:
    cache = page.context.new_cdp_session(page)
    cache.send("Network.enable")
    cache.send("Network.clearBrowserCache")
