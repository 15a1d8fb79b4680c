"""Forms of the league in a real Chromium."""

from contextlib import closing

import pytest
from playwright.sync_api import expect

from server.league.accounts import ORGANISER, Accounts
from tests.web.chromium import Visit
from tests.web.site import Site

pytestmark = pytest.mark.slow


def test_a_person_comes_in_by_a_link_and_makes_a_token(visit: Visit, site: Site) -> None:
    with closing(Accounts(site.data)) as accounts:
        link = accounts.invite("teacher", ORGANISER, "test")
    page = visit(f"/join/{link}", still=True)
    page.get_by_role("button", name="Sign in as teacher").click()
    page.get_by_label("Name of a bot").fill("bad name")
    page.get_by_role("button", name="Make a token").click()
    expect(page.locator(".secret")).to_have_count(0)  # the browser's own check
    page.get_by_label("Name of a bot").fill("teacher-bot")
    page.get_by_role("button", name="Make a token").click()
    expect(page.locator(".secret code")).to_have_count(1)
