"""Tables of the league in a real Chromium, with the longest names: nothing in them is cut, and no page is too wide."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect

from engine.statistics.online import LadderPlayer
from server.contest.interventions import Intervention, Kind
from server.contest.runtime.organiser_commands import intervene
from server.contest.store.store import FILE, Store
from server.contest.store.store import LADDER as LADDER_NUMBER
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import AUTHOR, ORGANISER
from server.league.grading.grading import Grade, Student
from server.league.ladder.definition import read
from server.league.ladder.store import LadderStore
from server.league.submissions.versions import BUILD, Versions
from tests.server.contest.runtime.bots import read_definition
from tests.server.league.ladder.counted import result_of
from tests.server.league.test_grades import RULE
from tests.web.chromium import check_legibility, fits, open_page
from tests.web.site import Site, open_site
from tests.web.test_league_pages import compare

pytestmark = pytest.mark.slow

LADDER = """
sandbox = "none"
time = { budget = 1000 }
games = [{ game = "mnk", params = "3 3 3" }]
levels = [{ level = 1 }]
"""

WIDE, LONG = "W" * 30, "Friedrich-Wilhelm-von-Hohenzol"
"""Names of people; those of their bots are as long as can be."""

LEVEL = LadderPlayer("alphabeta-1", "", 500)

VERSIONS = (1, 2, 3, 4)

CONTEST = f"""
name = "The great autumn championship of the department of computer science"
time = {{ budget = 60_000 }}
entrants = [{{ name = "{WIDE}" }}, {{ name = "{LONG}" }}]
games = [{{ game = "mnk", params = "3 3 3" }}]
stages = [{{ format = "round-robin" }}]
"""

PAGES = {
    "console": "/organise",
    "people": "/people",
    "ladder": "/ladder",
    "player": f"/ladder/{WIDE}-1",
    "grades": "/organise/grades",
    "organised": "/organise/contest/1",
    "bot": f"/bots/{WIDE}-1",
    "account": "/me",
}
"""Paths of pages with tables; those of a bot and of an account are its owner's."""

OWNERS = ("bot", "account")

CUT = """() => [...document.querySelectorAll("main :is(th, td), main .scroll")]
    .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1)
    .map((one) => `${one.tagName} ${one.scrollWidth} ${one.clientWidth} ${one.textContent.trim().slice(0, 60)}`)"""
"""Tables and their cells that are wider than their places."""

EDGE = """() => [...document.querySelectorAll("main .card :is(p, li, h2, label, a, button)")]
    .filter((one) => one.checkVisibility() && one.textContent.trim())
    .filter((one) => {
        const [text, card] = [one, one.closest(".card")].map((box) => box.getBoundingClientRect());
        const from = text.left + parseFloat(getComputedStyle(one).paddingLeft);
        return from < card.left + 6 || text.right > card.right;
    })
    .map((one) => one.textContent.trim().slice(0, 60))"""
"""Texts that touch the edge of their card, or go beyond it."""


def fill(data: Path) -> dict[str, str]:
    """Make a league: two people with bots that play each other and a level; return links that sign them in."""
    with closing(Accounts(data)) as accounts:
        store, versions = LadderStore(accounts), Versions(data, accounts)
        known = {LEVEL.name: LEVEL}
        for name in (WIDE, LONG):
            accounts.redeem(accounts.invite(name, AUTHOR, "test"), "", "")
            person = accounts.person(name)
            assert person is not None
            bot = f"{name}-1"
            known[bot] = LadderPlayer(bot, name)
            accounts.make_token(person, bot)
            version = versions.add(person, bot, "bot.py", b"play")
            (versions.folder(version) / BUILD).mkdir()
            versions.go_on(version, "qualifying", ("python3", "bot.py"))
            versions.accept(version)
        store.seat(LEVEL, 0, known)
        for number in range(60):
            one, other = (f"{WIDE}-1", f"{LONG}-1" if number % 2 else LEVEL.name)
            at = VERSIONS[min(number // 4, 3)]
            numbers = {f"{WIDE}-1": at, f"{LONG}-1": 1, LEVEL.name: 0}
            for player in (one, other):
                store.seat(known[player], numbers[player], known)
            result = result_of(number + 1, (one, other), float(number % 3 > 0))
            result = result._replace(termination="line" if number % 3 else "connection_lost")
            store.count(result, "mnk 3 3 3", "5a", known, 100)
        compare(data, accounts, f"{WIDE}-1")
        why = ("version 1 was built", "34 of 34 situations passed", "4.5 points in 6 games", "place 1 of 2")
        pages = (f"/bots/{WIDE}-1/versions/1", f"/ladder/{WIDE}-1")
        grades = [
            Student(name, tuple(Grade(4, 10, words, (pages[i // 2],)) for i, words in enumerate(why)), f"{name}-1")
            for name in (WIDE, LONG)
        ]
        with accounts.change() as database:
            database.execute(
                "INSERT INTO grades (date, who, rule, contest, found, is_published) VALUES (?, ?, ?, 0, ?, 1)",
                ("2026-11-23T10:00", "teacher", RULE, msgspec.json.encode(grades).decode()),
            )
        with closing(Store(data / FILE)) as contests:
            contests.open_contest(CONTEST, read_definition(CONTEST), datetime.now(UTC))
            contests.open_ladder(read(LADDER, data, str).contest, datetime.now(UTC))
            intervene(contests, LADDER_NUMBER, Intervention(0, datetime.now(UTC), Kind.PAUSE))
        people = (("teacher", ORGANISER), (WIDE, AUTHOR))
        return {name: accounts.invite(name, role, "test") for name, role in people}


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, dict[str, str]]]:
    data = tmp_path_factory.mktemp("league")
    (data / "ladder.toml").write_text(LADDER, encoding="utf-8")
    links = fill(data)
    with open_site(data, "--ladder", str(data / "ladder.toml")) as site:
        yield site, links


@pytest.fixture(scope="module")
def cookies(league: tuple[Site, dict[str, str]], browser: Browser) -> dict[str, list[dict[str, str]]]:
    """Return the cookies of the organiser and of an author, by their names."""
    site, links = league
    found = {}
    for name, link in links.items():
        with open_page(browser) as page:
            page.goto(f"{site.url}/join/{link}")
            page.get_by_role("button", name=f"Sign in as {name}").click()
            expect(page.locator("main h1")).to_have_text(name)
            found[name] = [
                {key: one[key] for key in ("name", "value", "domain", "path")} for one in page.context.cookies()
            ]
    return found


def open_as(
    page: Page, league: tuple[Site, dict[str, str]], cookies: dict[str, list[dict[str, str]]], what: str
) -> None:
    page.context.add_cookies(cookies[WIDE if what in OWNERS else "teacher"])  # type: ignore[arg-type]
    page.goto(league[0].url + PAGES[what])
    expect(page.locator("main h1")).to_be_visible()


@pytest.mark.parametrize(("width", "height"), [(844, 390), (1440, 900)])
def test_nothing_is_cut_in_tables_of_the_league(
    browser: Browser,
    league: tuple[Site, dict[str, str]],
    cookies: dict[str, list[dict[str, str]]],
    width: int,
    height: int,
) -> None:
    with open_page(browser) as page:
        page.set_viewport_size({"width": width, "height": height})
        for what in PAGES:
            open_as(page, league, cookies, what)
            assert not page.evaluate(CUT), what
            assert fits(page), what


def test_the_longest_names_fit_a_phone_on_pages_of_the_league(
    browser: Browser, league: tuple[Site, dict[str, str]], cookies: dict[str, list[dict[str, str]]]
) -> None:
    with open_page(browser, phone=True, dark=True) as page:
        for what in PAGES:
            open_as(page, league, cookies, what)
            assert fits(page), what
            assert not page.evaluate(EDGE), what
            check_legibility(page)


def test_the_longest_names_fit_a_phone_before_anybody_has_signed_in(
    browser: Browser, league: tuple[Site, dict[str, str]]
) -> None:
    with closing(Accounts(league[0].data)) as accounts:
        links = [accounts.invite(name, AUTHOR, "test") for name in (WIDE, LONG)]
    with open_page(browser, phone=True) as page:
        for link in links:
            page.goto(f"{league[0].url}/join/{link}")
            expect(page.locator("main h1")).to_be_visible()
            assert fits(page)
            assert not page.evaluate(EDGE)
            check_legibility(page)
