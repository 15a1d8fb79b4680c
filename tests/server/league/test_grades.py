"""Grades of a league: what it shows of everybody's bots, what that is worth by a rule, and who sees it."""

import json
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest
from inline_snapshot import snapshot
from inline_snapshot.extra import raises

from engine.statistics.online import LadderPlayer
from server.contest.store.folders import folder_of
from server.contest.store.store import FILE, Store
from server.league.accounts import Accounts
from server.league.grading.grade_book import GradeBook
from server.league.grading.grading import Meeting, read
from server.league.ladder.store import LadderStore
from server.league.submissions.versions import BUILD, CHECK_REPORT, State, Versions
from tests.server.commands.test_grade import check_report, contest_report
from tests.server.contest.runtime.bots import read_definition
from tests.server.league.ladder.counted import count_result, result_of
from tests.server.league.people import person

RULE = """
[[points]]
for = "builds"
most = 10
[[points]]
for = "conformance"
most = 20
[[points]]
for = "score"
against = "alphabeta:1"
most = 40
[[points]]
for = "place"
most = 30
"""

LEVEL = LadderPlayer("alphabeta-1", "", 500)

MATCHES = iter(range(1, 1000))


class League(NamedTuple):
    data: Path
    accounts: Accounts
    versions: Versions

    @property
    def book(self) -> GradeBook:
        return GradeBook(*self)


def submit(league: League, bot: str, tried: bytes) -> None:
    """Store a version that has passed, with the report of its conformance test, or one that was not built."""
    owner = league.accounts.owner(bot)
    assert owner is not None
    version = league.versions.add(owner, bot, "bot.py", b"play")
    folder = league.versions.folder(version)
    if tried:
        (folder / BUILD).mkdir()
        (folder / CHECK_REPORT).write_bytes(tried)
        league.versions.go_on(version, "qualifying", ("python3", "bot.py"))
        league.versions.accept(version)
    else:
        league.versions.refuse(version, "the build (make) failed: exit status 2")


def play(league: League, players: tuple[str, str], score: float, opening: int = 0, version: int = 1) -> None:
    """Count a game of the ladder."""
    store = LadderStore(league.accounts, league.data)
    known = {name: LEVEL if name == LEVEL.name else LadderPlayer(name, name) for name in players}
    versions = tuple(0 if name == LEVEL.name else version for name in players)
    for name, number in zip(players, versions, strict=True):
        store.seat(known[name], number, known)
    count_result(league.data, store, result_of(next(MATCHES), players, score, opening=opening), known)


def filled(data: Path, accounts: Accounts) -> League:
    """Return a league: ann has two bots, one better than the other; bob's bot was not built; carl has no bot."""
    for name, bots in (("ann", ("ann-1", "ann-2")), ("bob", ("bob-1",)), ("carl", ())):
        person(accounts, name, *bots)
    league = League(data, accounts, Versions(data, accounts))
    submit(league, "ann-1", check_report(34, 0, 1))
    submit(league, "ann-2", check_report(34, 0, 1))
    submit(league, "bob-1", b"")
    for opening, (first, second) in enumerate([(1, 0), (1, 1), (0.5, 0)]):
        play(league, ("ann-2", LEVEL.name), first, opening)
        play(league, (LEVEL.name, "ann-2"), second, opening)
    play(league, (LEVEL.name, "ann-1"), 1)
    return league


@pytest.fixture
def league(tmp_path: Path) -> Iterator[League]:
    with closing(Accounts(tmp_path)) as accounts:
        yield filled(tmp_path, accounts)


def test_students_are_graded_by_the_best_of_their_bots_with_reasons_and_places_to_look_at(league: League) -> None:
    book = league.book
    book.grade(RULE, 0, "teacher")
    last = book.last()
    assert last is not None and not last.is_published
    ann, bob, carl = last.students
    assert (ann.name, ann.bot, [grade.points for grade in ann.grades]) == ("ann", "ann-2", [10, 20, 30.0, 30])
    assert [grade.why for grade in ann.grades] == snapshot(
        ["version 1 was built", "34 of 34 situations passed", "4.5 points in 6 games", "place 1 of 2"]
    )
    page = "/bots/ann-2/versions/1"
    assert [grade.evidence for grade in ann.grades] == [(page,), (page,), ("/ladder/ann-2",), ("/ladder/ann-2",)]
    assert (bob.bot, bob.total, carl.bot, carl.total) == ("bob-1", 0, "", 0)
    assert (bob.grades[0].why, carl.grades[0].why) == snapshot(
        ("version 1 was not built: the build (make) failed: exit status 2", "no report shows anything of this")
    )
    assert [entry.what for entry in league.accounts.audit(1)] == ["graded 3 students"]


def test_only_games_of_the_version_that_plays_count_and_pairs_are_those_from_one_opening(league: League) -> None:
    rule = read('[[points]]\nfor = "elo"\nagainst = "alphabeta:1"\nmost = 1\nnone = -100\nfull = 100\n')
    evidence = league.book.evidence(rule, ["ann-1", "ann-2"], 0)
    key = ("ann-2", "alphabeta-1")
    assert evidence.meetings[key] == Meeting(6, 4.5, (0, 0, 1, 1, 1), ["/ladder/ann-2"])
    assert evidence.meetings[key[::-1]].pairs == (1, 1, 1, 0, 0)
    assert " from 6 games, at least " in evidence.measured["rating", "ann-2"].why
    submit(league, "ann-2", check_report(34, 0, 1))
    play(league, ("ann-2", LEVEL.name), 1, 9, version=2)
    evidence = league.book.evidence(rule, ["ann-1", "ann-2"], 0)
    assert (evidence.meetings[key].games, any(evidence.meetings[key].pairs)) == (1, False)


def test_a_contest_gives_places_and_ratings_to_the_bots_whose_versions_have_played(league: League) -> None:
    report = json.loads(contest_report())
    names = [line["name"] for line in report["stages"][-1]["table"]]
    of = {names[1]: ', version-of = "ann-2"'}
    rows = [f'{{ name = "{name}"{of.get(name, "")} }}' for name in names]
    text = "\n".join(
        [
            'name = "Final"',
            "time = { budget = 1000 }",
            f"entrants = [{', '.join(rows)}]",
            'games = [{ game = "mnk", params = "3 3 3" }]',
            'stages = [{ format = "round-robin" }]',
        ]
    )
    with closing(Store(league.data / FILE)) as store:
        number = store.open_contest(text, read_definition(text), datetime.now(UTC))
    rule = read('[[points]]\nfor = "place"\nmost = 1\n')
    with raises(snapshot("BadReport: there is no report of a contest 1")):
        league.book.evidence(rule, ["ann-2"], number)
    folder_of(league.data, number).mkdir(parents=True, exist_ok=True)
    (folder_of(league.data, number) / "report.json").write_bytes(contest_report())
    evidence = league.book.evidence(rule, ["ann-2"], number)
    place = evidence.measured["place", "ann-2"]
    assert (place.value, place.files) == (2, (f"/contest/{number}",)) and ("place", names[1]) not in evidence.measured


@pytest.mark.parametrize(
    ("state", "report", "counted"),
    [
        ("active", b"", None),
        ("refused", check_report(3, 1), 0.75),
        ("checking", b"", None),
    ],
    ids=["no-report", "refused", "under-way"],
)
def test_situations_count_by_the_report_of_the_conformance_test(
    league: League, state: State, report: bytes, counted: float | None
) -> None:
    owner = league.accounts.owner("bob-1")
    assert owner is not None
    version = league.versions.add(owner, "bob-1", "bot.py", b"play")
    if report:
        (league.versions.folder(version) / CHECK_REPORT).write_bytes(report)
    league.versions.go_on(version, state, ("python3", "bot.py"))
    evidence = league.book.evidence(read(RULE), ["bob-1"], 0)
    found = evidence.measured.get(("conformance", "bob-1"))
    assert (found and found.value) == counted


def test_a_rule_by_which_nobody_can_be_graded_takes_one_sentence(league: League) -> None:
    book = league.book
    for rule, sentence in (
        (
            "points",
            snapshot("BadRule: this is no TOML: Expected '=' after a key in a key/value pair (at end of document)"),
        ),
        (
            RULE.replace("builds", "luck"),
            snapshot("BadRule: points[1].for is one of builds, conformance, score, elo, rating, place, not 'luck'"),
        ),
        (
            RULE.replace(":1", ":2"),
            snapshot("BadRule: points[3] is for score against alphabeta:2, but no report has a result of it"),
        ),
        (f'students = ["ann", "dora"]\n{RULE}', snapshot("BadRule: students has 'dora', and nobody here is called so")),
        (f'students = ["carl"]\n{RULE}', snapshot("BadRule: nobody who is to be graded has a bot yet")),
    ):
        with raises(sentence):
            book.grade(rule, 0, "teacher")
    assert book.last() is None
