"""Pages of the league in a real Chromium: they work without scripts, on every screen, and for everybody."""

import re
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, expect

from server.contest.report.structure import Comparison as PairsOfGames
from server.contest.runtime.service import take_snapshot
from server.contest.store.folders import folder_of
from server.contest.store.store import FILE, Store
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import ORGANISER
from server.league.grading.grading import Grade, Student
from server.league.submissions.versions import Versions
from tests.server.contest.runtime.bots import read_definition
from tests.web.chromium import check_accessibility, check_legibility, fits, open_page
from tests.web.site import Site

RULE = '[[points]]\nfor = "builds"\nmost = 10\n'

pytestmark = pytest.mark.slow


NUMBER = re.compile("^[0-9½]+$")


def compare(data: Path, accounts: Accounts, bot: str) -> None:
    """Keep a comparison of two versions of a bot, with the report of a contest that is over."""
    stem = bot[:24]
    text = f"""
name = "{bot}: version 3 against 2"
versions-until = 2099-01-01T00:00:00Z
time = {{ budget = 10_000 }}
entrants = [{{ name = "{stem}.3", version-of = "{bot}" }}, {{ name = "{stem}.2", version-of = "{bot}" }}]
games = [{{ game = "mnk", params = "3 3 3" }}]
stages = [{{ format = "round-robin" }}]
"""
    compared = PairsOfGames(
        one=f"{stem}.3",
        other=f"{stem}.2",
        pairs=(1, 2, 1, 4, 2),
        elo=70.4,
        margin=120.5,
        los=0.9,
        ratio=1.0,
        verdict="",
    )
    with closing(Store(data / FILE)) as store, accounts.change() as database:
        contest = store.open_contest(text, read_definition(text), datetime.now(UTC))
        running = take_snapshot(store, contest, datetime.now(UTC)).report()
        database.execute("INSERT INTO comparisons SELECT ?, id FROM bots WHERE name = ?", (contest, bot))
        for number in (2, 3):
            database.execute(
                """INSERT INTO versions (bot, number, received, file, sha256, state, sentence, command)
                SELECT id, ?, '2026-11-23T00:00:00+00:00', 'bot', '', 'retired', '', '[]' FROM bots WHERE name = ?""",
                (number, bot),
            )
    report = replace(running, state="over", done=20, comparisons=(compared,))
    path = folder_of(data, contest) / "report.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.encode(report))


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
            compare(site.data, accounts, f"{name}-bot")
        for place in ("/versions/1", ""):
            page.goto(f"{site.url}/bots/{name}-bot{place}")
            look()
        if phone:  # each figure says what it is
            expect(page.locator("tr td[data-label]").first).to_have_css("display", "block")
            assert not page.locator("tbody tr").first.locator("td:not([data-label])").filter(has_text=NUMBER).count()
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
        grades = [Student(name, (Grade(4, 10, "version 1 was built", (f"/bots/{name}-bot",)),), f"{name}-bot")]
        with closing(Accounts(site.data)) as accounts, accounts.change() as database:
            database.execute(
                "INSERT INTO grades (date, who, rule, contest, found, is_published) VALUES (?, ?, ?, 0, ?, ?)",
                ("2026-11-23T10:00", name, RULE, msgspec.json.encode(grades).decode(), 1 - int(phone)),
            )
        page.get_by_role("link", name="Grades").click()
        expect(page.locator("table")).to_contain_text("4 of 10")
        look()
        page.goto(f"{site.url}/me")
        page.get_by_role("button", name="Sign out here").click()
        page.goto(f"{site.url}/join")
        look()
        page.get_by_label("The code").fill("none")
        page.get_by_role("button", name="Go on").click()
        expect(page.get_by_role("alert")).to_contain_text("This invitation is not known here")


def test_a_contest_is_written_on_a_phone(browser: Browser, site: Site) -> None:
    with closing(Accounts(site.data)) as accounts:
        link = accounts.invite("rector", ORGANISER, "test")
    with open_page(browser, phone=True, still=True, refused=400) as page:

        def look() -> None:
            check_accessibility(page)
            check_legibility(page)
            assert fits(page)

        page.goto(f"{site.url}/join/{link}")
        page.get_by_role("button", name="Sign in as rector").click()
        page.goto(f"{site.url}/organise/new")
        page.get_by_role("link", name="Gauntlet").click()
        page.get_by_role("link", name="Round robin").click()
        text = page.get_by_label("The contest file")
        text.fill(text.input_value().replace("increment = 100", "increment = -1"))
        page.get_by_role("button", name="Check").click()
        expect(page.get_by_role("alert")).to_contain_text("Time.increment is")
        look()
        text.fill(text.input_value().replace("increment = -1", "increment = 100"))
        page.get_by_role("button", name="Check").click()
        expect(page.get_by_role("status")).to_contain_text("It can begin: 2 entrants, 2 games")
        look()
