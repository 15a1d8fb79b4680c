"""Pages of the league in a real Chromium: they work without scripts, on every screen, and for everybody."""

from contextlib import closing

import pytest
from playwright.sync_api import Browser, expect

from server.league.accounts import ORGANISER, Accounts
from server.league.submissions.versions import Versions
from tests.web.chromium import check_accessibility, check_legibility, fits, open_page
from tests.web.site import Site

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("phone", [False, True], ids=["desk", "phone"])
def test_a_class_is_invited_and_makes_tokens(browser: Browser, site: Site, phone: bool) -> None:
    name = f"teacher{int(phone)}"
    with closing(Accounts(site.data)) as accounts:
        link = accounts.invite(name, ORGANISER, "test")
    with open_page(browser, phone=phone, dark=phone, still=True, refused=400) as page:

        def look() -> None:
            check_accessibility(page)
            check_legibility(page)
            assert fits(page)

        page.goto(f"{site.url}/join/{link}")
        look()
        page.get_by_role("button", name=f"Sign in as {name}").click()
        page.get_by_label("Name of a bot").fill("bad name")
        page.get_by_role("button", name="Make a token").click()
        expect(page.locator("main")).not_to_contain_text("shown this once")  # the browser's own check
        page.get_by_label("Name of a bot").fill(f"{name}-bot")
        page.get_by_role("button", name="Make a token").click()
        expect(page.locator(".secret code")).to_have_count(1)
        look()
        with closing(Accounts(site.data)) as accounts:
            person = accounts.person(name)
            assert person is not None
            Versions(site.data, accounts).add(person, f"{name}-bot", "a-file-with-a-long-name.zip", b"no archive")
        for place in ("/versions/1", ""):
            page.goto(f"{site.url}/bots/{name}-bot{place}")
            look()
        page.goto(f"{site.url}/me")
        page.get_by_role("link", name="People").click()
        page.get_by_label("How many people").fill("0")
        page.get_by_role("button", name="Make a code").click()
        expect(page.get_by_role("alert")).to_contain_text("A code is for 1 to 10000 people")
        page.get_by_label("Names").fill(f"ann{int(phone)} bob{int(phone)}")
        page.get_by_role("button", name="Make links").click()
        expect(page.locator(".secret code")).to_have_count(2)
        look()
        for place in ("/people", "/organise/new", "/organise"):
            page.goto(site.url + place)
            look()
            expect(page.locator("nav [aria-current]")).to_have_text("Account")
        page.goto(f"{site.url}/me")
        page.get_by_role("button", name="Sign out here").click()
        page.goto(f"{site.url}/join")
        look()
        page.get_by_label("The code").fill("none")
        page.get_by_role("button", name="Go on").click()
        expect(page.get_by_role("alert")).to_contain_text("This invitation is not known here")
