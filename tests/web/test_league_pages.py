"""Pages of the league in a real Chromium, with the longest names: for everybody, on every screen, without scripts."""

from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest
from playwright.sync_api import Browser, expect

from server.league.accounts import ORGANISER, Accounts
from tests.web.chromium import check_accessibility, check_legibility, fits, open_page
from tests.web.screenshots import Place, league, open_league, open_shot, show
from tests.web.site import Site

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with ExitStack() as stack:
        yield open_league(stack, tmp_path_factory.mktemp("league"))


@pytest.mark.parametrize("phone", [False, True], ids=["desk", "phone"])
def test_every_page_of_the_league_is_for_everybody_on_every_screen(browser: Browser, place: Place, phone: bool) -> None:
    for shot in league():
        with open_shot(browser, shot, place, phone=phone, dark=phone) as page:
            show(page, shot, place)
            check_accessibility(page)
            check_legibility(page)
            assert fits(page), shot.name


def test_a_person_comes_in_by_a_link_and_makes_a_token(browser: Browser, site: Site) -> None:
    with closing(Accounts(site.data)) as accounts:
        link = accounts.invite("teacher", ORGANISER, "test")
    with open_page(browser, still=True) as page:
        page.goto(f"{site.url}/join/{link}")
        page.get_by_role("button", name="Sign in as teacher").click()
        page.get_by_label("Name of a bot").fill("bad name")
        page.get_by_role("button", name="Make a token").click()
        expect(page.locator(".secret")).to_have_count(0)  # the browser's own check
        page.get_by_label("Name of a bot").fill("teacher-bot")
        page.get_by_role("button", name="Make a token").click()
        expect(page.locator(".secret code")).to_have_count(1)
