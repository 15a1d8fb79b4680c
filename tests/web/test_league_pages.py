"""Pages of the league in a real Chromium: they work without scripts, on every screen, and for everybody."""

import re
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser, expect

from server.league.accounts.accounts import Accounts
from server.league.accounts.people import ORGANISER
from server.league.comparisons.comparisons import REPORT, Result
from server.league.grading.grade_book import GradedStudent
from server.league.grading.grading import Grade
from server.league.pages.comparison_pages import ComparedGame, ComparedGames
from server.league.submissions.versions import COMPARISONS, Versions
from tests.web.chromium import check_accessibility, check_legibility, fits, open_page
from tests.web.site import Site

RULE = '[[points]]\nfor = "builds"\nmost = 10\n'

pytestmark = pytest.mark.slow


NUMBER = re.compile("^[0-9½]+$")


def compare(data: Path, accounts: Accounts, bot: str) -> int:
    """Keep a comparison of two versions of a bot, and which bots resemble each other; return its number."""
    with accounts.change() as database:
        for number in (2, 3):
            database.execute(
                """INSERT INTO versions (bot, number, received, file, sha256, state, sentence, command)
                SELECT id, ?, '2026-11-23T00:00:00+00:00', 'bot', '', 'retired', '', '[]' FROM bots WHERE name = ?""",
                (number, bot),
            )
        result = msgspec.json.encode(Result(12, 2, 6, 0.65, 107.5, 98.0)).decode()
        compared = database.execute(
            """INSERT INTO comparisons (first, second, person, asked, game, parameters, games, state, sentence, result)
            SELECT max(versions.id), min(versions.id), owner, '2026-11-23T00:00:00+00:00', 'gipf', '3 3 9 9', 20,
            'over', '', ? FROM versions JOIN bots ON bots.id = bot WHERE bots.name = ? AND number > 1""",
            (result, bot),
        ).lastrowid
    assert compared is not None
    sentence = "version-2 (black) ran out of time: 12.345 ms beyond a budget of 10000.000 ms"
    game = ComparedGame(1, ("version-3", "version-2"), (1, 0), sentence, 44)
    reports = {
        f"{COMPARISONS}/{compared}": ComparedGames((game,)),
    }
    for folder, report in reports.items():
        path = data / folder / REPORT
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(msgspec.json.encode(report))
    return compared


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
            compared = compare(site.data, accounts, f"{name}-bot")
        for place in ("", "/versions/1", "/comparisons", f"/comparisons/{compared}"):
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
        grades = [GradedStudent(name, f"{name}-bot", (Grade(4, 10, "version 1 was built", (f"/bots/{name}-bot",)),))]
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
        page.get_by_label("random", exact=True).check()
        page.get_by_label("Other players who connect").fill("dora")
        page.get_by_role("button", name="Add a stage").click()
        stage = page.get_by_role("region", name="Stage 2")
        expect(stage.get_by_label("Format")).to_be_focused()
        expect(stage.get_by_label("Cycles")).to_be_visible()
        stage.get_by_label("Format").select_option("Swiss")
        expect(stage.get_by_label("Cycles")).to_be_hidden()
        stage.get_by_label("Rounds").fill("many")
        page.get_by_label("Seconds of a side for a game").first.fill("9")
        page.get_by_label("Name", exact=True).fill("On a phone")
        page.get_by_label("Name", exact=True).press("Enter")  # which is a check
        expect(stage.get_by_label("Rounds")).to_be_focused()
        expect(stage.get_by_label("Rounds")).to_have_accessible_description(re.compile("not 'many'"))
        expect(stage.get_by_label("Rounds")).to_have_value("many")
        for folded in page.locator("summary").all():
            if folded.evaluate("one => !one.parentElement.open"):
                folded.click()
        look()
        stage.get_by_label("Rounds").fill("1")
        page.get_by_role("button", name="Check, and dry run").click()
        expect(page.get_by_role("status")).to_contain_text("It can begin: 2 entrants.")
        page.get_by_text("The contest file that this writes").click()
        expect(page.locator("pre")).to_contain_text('name = "On a phone"')
        look()
        page.get_by_role("button", name="Go on with the text").click()
        expect(page.get_by_label("The contest file")).to_have_value(re.compile("rounds = 1"))
        look()
