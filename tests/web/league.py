"""A league whose people and bots have the longest names."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from engine.statistics.online import LadderPlayer
from server.contest.fixtures import Intervention, Kind
from server.contest.runtime.organiser_commands import intervene
from server.contest.store.store import FILE, LADDER as LADDER_NUMBER, Store
from server.league.accounts import AUTHOR, Accounts
from server.league.grading.grading import Grade, Student
from server.league.ladder.definition import read
from server.league.ladder.store import LadderStore
from server.league.submissions.versions import BUILD, Versions
from tests.server.contest.runtime.bots import read_definition
from tests.server.league.ladder.counted import count_result, result_of
from tests.server.league.test_grades import RULE

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


def fill(data: Path) -> None:
    """Make a league: two people with bots that play each other and a level."""
    with closing(Accounts(data)) as accounts:
        store, versions = LadderStore(accounts, data), Versions(data, accounts)
        known = {LEVEL.name: LEVEL}
        for name in (WIDE, LONG):
            accounts.redeem(accounts.invite(name, AUTHOR, "test"), "")
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
            count_result(data, store, result, known, 100)
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
