"""Versions of bots in contests: which plays after a deadline, and two versions of a bot that are compared."""

import signal
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from inline_snapshot import snapshot
from inline_snapshot.extra import raises
from msgspec.structs import replace

from engine.match import verification
from server.contest.fixtures import Intervention, Kind
from server.contest.plan import plan
from server.contest.programs.sandbox.seal import view
from server.contest.report.contents import make_report
from server.contest.report.structure import ContestState
from server.contest.runtime.organiser_commands import intervene
from server.contest.runtime.service import take_snapshot
from server.contest.store.folders import folder_of
from server.contest.store.store import FILE, Store
from server.league import contests as module
from server.league.accounts import Accounts, Person
from server.league.contests import ENTERED, Comparison, Comparisons, check_versions, enter_due, version_at
from server.league.submissions.versions import BUILD, State, Version, Versions
from tests.server.conftest import Run
from tests.server.contest.runtime.bots import DICE, SANDBOX, read_definition
from tests.server.league.people import person, refused
from tests.server.league.test_submissions import SEALED
from tests.server.process import wait_until
from tests.web.site import Site

UNTIL = datetime(2026, 11, 27, 17, 0, tzinfo=UTC)

CONTEST = f"""{SANDBOX}
name = "Final"
versions-until = 2026-11-27T18:00:00+01:00
time = {{ budget = 60_000 }}
entrants = [{{ name = "Ann", version-of = "ann-2" }}, {{ name = "bob", version-of = "bob-1" }}]
games = [{{ game = "mnk", params = "3 3 3" }}]
stages = [{{ format = "round-robin" }}]
"""


def version(number: int, state: State, minutes: int) -> Version:
    """Return a version that was received so many minutes before the deadline."""
    return Version(number, "ann-2", number, UNTIL - timedelta(minutes=minutes), "bot.py", "", state, "", ("bot",))


@pytest.mark.parametrize(
    ("found", "number"),
    [
        ([version(2, "active", 1), version(1, "retired", 9)], 2),
        ([version(2, "retired", 1), version(1, "active", 9)], 1),
        ([version(3, "active", -1), version(2, "refused", 1), version(1, "retired", 9)], 1),
        ([version(2, "refused", -1), version(1, "active", 9)], 1),
        ([version(1, "active", -1)], None),
        ([version(1, "retired", 9)], None),
        ([], None),
    ],
)
def test_the_active_version_plays_or_the_last_one_in_time_where_that_came_too_late(
    found: list[Version], number: int | None
) -> None:
    chosen = version_at(found, UNTIL)
    assert (None if chosen is None else chosen.number) == number


class League(NamedTuple):
    data: Path
    accounts: Accounts
    versions: Versions

    def submit(self, bot: str, files: dict[str, str], command: tuple[str, ...]) -> Version:
        """Keep a version that is active at once."""
        owner = self.accounts.person(bot.partition("-")[0])
        assert owner is not None
        made = self.versions.add(owner, bot, "bot.zip", b"")
        folder = self.versions.folder(made) / BUILD
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text)
        self.versions.go_on(made, "qualifying", command)
        self.versions.accept(made)
        return made

    def enter(self, now: datetime) -> None:
        enter_due(self.data, self.versions, self.accounts, now, UNTIL)


@pytest.fixture
def league(tmp_path: Path) -> Iterator[League]:
    with closing(Accounts(tmp_path)) as accounts:
        for name, bot in (("ann", "ann-2"), ("bob", "bob-1")):
            person(accounts, name, bot)
        yield League(tmp_path, accounts, Versions(tmp_path, accounts, lambda: UNTIL - timedelta(hours=1)))


def test_versions_are_entered_at_the_deadline_and_who_has_none_is_withdrawn(league: League) -> None:
    made = league.submit("ann-2", {"bot.py": "play"}, ("python3", "bot.py"))
    with closing(Store(league.data / FILE)) as store:
        number = store.open_contest(CONTEST, read_definition(CONTEST), UNTIL - timedelta(days=1))
        league.enter(UNTIL - timedelta(seconds=1))
        assert store.interventions(number) == ()
        waits = make_report(*take_snapshot(store, number, UNTIL))
        assert (waits.state, waits.pauses) == (ContestState.PLANNED, ()) and "2026-11-27 17:00 UTC" in waits.status
        league.enter(UNTIL)
        definition = store.definition(number)
        entered, withdrawn = definition.interventions
        assert (entered.kind, entered.name, entered.version) == (Kind.VERSION, "Ann", 1)
        assert entered.sha256 == made.sha256
        assert entered.describe().replace(made.sha256, "SHA-256") == snapshot(
            "version 1 plays as Ann, sent as a file with the SHA-256 SHA-256"
        )
        assert (withdrawn.kind, withdrawn.name) == (Kind.WITHDRAW, "bob")
        assert definition.awaited_versions == ()
        ann = definition.entrants[0]
        assert ann.command == (sys.executable, "bot.py")
        league.versions.retire(made, "ann")
        league.versions.delete(made, "ann")
        assert (Path(ann.folder) / "bot.py").read_text() == "play", "its author may delete it"
        assert view(replace(definition, folder="/"), ann, league.data).folder == Path(ann.folder)
        league.enter(UNTIL + timedelta(days=1))
        assert len(store.interventions(number)) == 2
        assert plan(definition, []).over, "who is left alone has nobody to play"
    told = [entry.what for entry in league.accounts.audit(10) if entry.who == "the server"]
    assert told == snapshot(
        [
            "Final: bob-1 has no version that passed in time; bob was withdrawn",
            "Final: version 1 of ann-2 plays as Ann",
            "version 1 of ann-2 plays",
        ]
    )


def test_a_contest_that_is_cancelled_before_its_versions_are_chosen_is_no_fault(league: League) -> None:
    league.submit("ann-2", {"bot.py": "play"}, ("python3", "bot.py"))
    with closing(Store(league.data / FILE)) as store:
        number = store.open_contest(CONTEST, read_definition(CONTEST), UNTIL - timedelta(days=1))
        intervene(store, number, Intervention(0, UNTIL, Kind.CANCEL))
        league.enter(UNTIL)
        assert [one.kind for one in store.interventions(number)] == [Kind.CANCEL]


def test_a_bot_that_nobody_has_is_refused_and_so_is_a_deadline_that_is_over(league: League) -> None:
    before = UNTIL - timedelta(seconds=1)
    check_versions(league.accounts, read_definition(CONTEST), before)
    with raises(snapshot("BadContest: entrants[2].version-of is 'eve', and no account has a bot of this name")):
        check_versions(league.accounts, read_definition(CONTEST.replace("bob-1", "eve")), before)
    with raises(
        snapshot(
            "BadContest: versions-until is 2026-11-27T18:00:00+01:00, which is over: name a later moment, or leave it out"
        )
    ):
        check_versions(league.accounts, read_definition(CONTEST), UNTIL)


@pytest.mark.parametrize("older", [True, False])
def test_a_version_under_way_is_waited_for_as_long_as_the_file_says(league: League, older: bool) -> None:
    if older:
        league.submit("ann-2", {"bot.py": "play"}, ("python3", "bot.py"))
    ann = league.accounts.person("ann")
    assert ann is not None
    league.versions.add(ann, "ann-2", "bot.zip", b"")
    with closing(Store(league.data / FILE)) as store:
        number = store.open_contest(CONTEST, read_definition(CONTEST), UNTIL - timedelta(days=1))
        league.enter(UNTIL + timedelta(seconds=3599))
        assert [one.name for one in store.definition(number).awaited_versions] == ["Ann"]
        league.enter(UNTIL + timedelta(seconds=3600))
        definition = store.definition(number)
        assert definition.awaited_versions == ()
        assert {done.name: done.kind for done in definition.interventions} == {
            "Ann": Kind.VERSION if older else Kind.WITHDRAW,
            "bob": Kind.WITHDRAW,
        }
    (told,) = [entry.what for entry in league.accounts.audit(10) if "Ann" in entry.what]
    assert told.rpartition("; ")[2] == snapshot("another version is still under way, and was waited for in vain")


NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)


@pytest.fixture
def comparisons(tmp_path: Path, accounts: Accounts, versions: Versions, monkeypatch: pytest.MonkeyPatch) -> Comparisons:
    monkeypatch.setattr(module, "contest_obstacle", lambda definition: "")
    return Comparisons(tmp_path, accounts, versions, lambda: NOW)


def author(accounts: Accounts, versions: Versions, name: str) -> tuple[Person, str]:
    """Make an author with a bot of the same name, of which two versions have passed and one has not."""
    owner = person(accounts, name)
    token = accounts.make_token(owner, name)
    for number in (1, 2):
        version = versions.add(owner, name, "bot.py", b"")
        versions.go_on(version, "qualifying", ("python3", "bot.py"))
        versions.accept(version)
        (versions.folder(version) / BUILD).mkdir()
        (versions.folder(version) / BUILD / "bot.py").write_bytes(DICE.read_bytes())
        assert version.number == number
    versions.refuse(versions.add(owner, name, "bot.py", b""), "it has no legs")
    return owner, token


@pytest.mark.slow
def test_an_author_has_one_comparison_at_a_time_of_versions_that_have_passed(
    tmp_path: Path, accounts: Accounts, versions: Versions, comparisons: Comparisons
) -> None:
    (ann, _), (bob, _) = (author(accounts, versions, name) for name in ("ann", "bob"))
    asked: tuple[tuple[Any, ...], ...] = (
        (
            "ann",
            (1, 3),
            "gipf",
            "",
            20,
            snapshot("ann has no version 3 that has passed and is built; let it play, to have it built"),
        ),
        (
            "ann",
            (1, 4),
            "gipf",
            "",
            20,
            snapshot("ann has no version 4 that has passed and is built; let it play, to have it built"),
        ),
        ("ann", (1, 1), "gipf", "", 20, snapshot("two different versions of a bot are compared")),
        ("bob", (1, 2), "gipf", "", 20, snapshot("ann has no bot 'bob'; make it on the page /me first")),
        ("ann", (1, 2), "gpif", "", 20, snapshot("there is no game 'gpif'; there is gipf, arrows, morris, mnk")),
        ("ann", (1, 2), "gipf", "", 3, snapshot("a comparison has an even number of games from 2 to 100, and not 3")),
        (
            "ann",
            (1, 2),
            "gipf",
            "",
            102,
            snapshot("a comparison has an even number of games from 2 to 100, and not 102"),
        ),
    )
    refused(*((partial(comparisons.begin, ann, *words), sentence) for *words, sentence in asked))
    first = comparisons.begin(ann, "ann", (1, 2), "mnk", "3,3,3", 4)
    name = "ann: version 1 against 2, 2026-11-26 12:00:00"
    assert first == Comparison(1, name, "/contest/1", False) and comparisons.of("ANN") == [first]
    assert accounts.audit(1)[0].what == f"opened the contest {name}"
    comparisons.begin(bob, "bob", (2, 1), "arrows", "", 100)
    refused(
        (
            lambda: comparisons.begin(ann, "ann", (2, 1), "gipf", "", 20),
            snapshot("a comparison of yours is being played; wait until it is over"),
        )
    )
    with closing(Store(tmp_path / FILE)) as store:
        definition = store.definition(1)
        assert [one.name for one in definition.entrants] == ["ann.1", "ann.2"]
        assert (definition.stages[0].pairs, len(definition.variants[0].openings)) == (2, 2)
        store.close_contest(1, NOW)
    assert not comparisons.of("ann")[0].is_over, "its last games are in no report yet"
    comparisons.begin(ann, "ann", (2, 1), "gipf", "", 20)


def test_the_named_versions_are_entered_whichever_is_active(
    tmp_path: Path, accounts: Accounts, versions: Versions, comparisons: Comparisons
) -> None:
    ann, _ = author(accounts, versions, "ann")
    comparisons.begin(ann, "ann", (1, 2), "mnk", "3,3,3", 4)
    enter_due(tmp_path, versions, accounts, NOW, NOW)
    with closing(Store(tmp_path / FILE)) as store:
        assert [(one.name, one.version) for one in store.interventions(1)] == [("ann.1", 1), ("ann.2", 2)]
        entered = folder_of(tmp_path, 1) / ENTERED
        comparisons.remove_programs()
        assert len([*entered.iterdir()]) == 2
        store.close_contest(1, NOW, 2)
    comparisons.remove_programs()
    assert not entered.exists()


@SEALED
@pytest.mark.slow
def test_two_versions_play_a_contest_and_a_killed_server_loses_no_game_that_was_over(tmp_path: Path, run: Run) -> None:
    with closing(Accounts(tmp_path)) as accounts:
        versions = Versions(tmp_path, accounts)
        ann, token = author(accounts, versions, "ann")
        comparisons = Comparisons(tmp_path, accounts, versions)
        comparisons.begin(ann, "ann", (2, 1), "mnk", "3,3,3", 2)
        words = ["compare", "2", "1", "--name", "ann", "--token", token, "--game", "mnk", "--params", "3,3,3"]
        with Site(tmp_path) as site:
            site.logs("match_ended")
            site.stop(signal.SIGKILL)
            site.start()
            wait_until(lambda: comparisons.of("ann")[0].is_over, 0.1)
            (comparison,) = comparisons.of("ann")
            assert comparison.done == 2 and comparison.summary.startswith("ann.2 has "), comparison
            done = run(*words, "--games", "2", "--server", site.url, room="bots")
            assert done.status == 0 and "-- 2 of 2 games: ann.2 has" in done.out[-1], done
            assert site.stop() == 0
        with closing(Store(tmp_path / FILE)) as store:
            games = store.games(1)
        texts = [(tmp_path / "records" / f"{game.match}.txt").read_text() for game in games]
        players = sorted(verification.verify(text).header.players for text in texts)
        assert players == [("ann.1", "ann.2"), ("ann.2", "ann.1")]
