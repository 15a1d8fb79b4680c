"""Versions of bots in contests: which plays after a deadline, and that it plays."""

import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from server.contest.contest_file import BadContest
from server.contest.interventions import Kind
from server.contest.plan import plan
from server.contest.programs.sandbox.choice import NotVisible, view
from server.contest.report.formatting import pause
from server.contest.runtime.organiser_commands import InterventionRequest, intervene
from server.contest.runtime.snapshot import take_snapshot
from server.contest.store.store import FILE, Store
from server.league.accounts.accounts import Accounts
from server.league.submissions.entering import check_versions, enter_due, is_settled, version_at
from server.league.submissions.versions import BUILD, State, Version, Versions
from tests.server.contest.runtime.bots import SANDBOX, read_definition, running_contest, wait_until_over
from tests.server.league.people import person

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


def test_a_version_that_came_in_time_and_has_steps_left_is_waited_for() -> None:
    assert not is_settled([version(2, "checking", 1), version(1, "active", 9)], UNTIL)
    assert is_settled([version(2, "checking", -1), version(1, "active", 9)], UNTIL)


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
        self.versions.activate(made, "test")
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
        (waits,) = take_snapshot(store, number, UNTIL).report().pauses
        assert pause(waits).endswith("which versions of bots play is chosen at 2026-11-27 17:00 UTC")
        league.enter(UNTIL)
        definition = store.definition(number)
        entered, withdrawn = definition.interventions
        assert (entered.kind, entered.name, entered.version) == (Kind.VERSION, "Ann", 1)
        assert entered.sha256 == made.sha256
        assert entered.sentence == f"version 1 plays as Ann, sent as a file with the SHA-256 {made.sha256}"
        assert (withdrawn.kind, withdrawn.name) == (Kind.WITHDRAW, "bob")
        assert definition.awaited_versions == ()
        ann = definition.entrants[0]
        assert ann.command == (sys.executable, "bot.py")
        league.versions.retire(made, "ann")
        league.versions.delete(made, "ann")
        assert (Path(ann.folder) / "bot.py").read_text() == "play", "its author may delete it"
        elsewhere = replace(definition, folder="/")  # of the contest file
        assert view(elsewhere, ann, league.data).folder == Path(ann.folder)
        (Path(ann.folder) / "bot").touch()
        assert view(elsewhere, replace(ann, command=("./bot",)), league.data).folder == Path(ann.folder)
        with pytest.raises(NotVisible):
            view(elsewhere, replace(ann, command=("python3", "bot.py"), version_of=""), league.data)
        league.enter(UNTIL + timedelta(days=1))
        assert len(store.interventions(number)) == 2
        assert plan(definition, []).over, "who is left alone has nobody to play"
        assert take_snapshot(store, number, UNTIL).report().pauses == ()
    told = [entry.what for entry in league.accounts.audit(10) if entry.who == "the server"]
    assert "Final: version 1 of ann-2 plays as Ann" in told
    assert "Final: bob-1 has no version that passed in time; bob was withdrawn" in told


def test_a_contest_that_is_cancelled_before_its_versions_are_chosen_is_no_fault(league: League) -> None:
    league.submit("ann-2", {"bot.py": "play"}, ("python3", "bot.py"))
    with closing(Store(league.data / FILE)) as store:
        number = store.open_contest(CONTEST, read_definition(CONTEST), UNTIL - timedelta(days=1))
        intervene(store, number, InterventionRequest(Kind.CANCEL), UNTIL)
        league.enter(UNTIL)
        assert [one.kind for one in store.interventions(number)] == [Kind.CANCEL]


@pytest.mark.parametrize("fault", ["", "the build (make) failed: exit status 2"])
def test_a_version_whose_built_program_was_removed_is_built_again_first_or_said_to_be_lost(
    league: League, fault: str
) -> None:
    bob, old = (league.submit(bot, {"bot.py": "play"}, ("python3", "bot.py")) for bot in ("bob-1", "ann-2"))
    late = Versions(league.data, league.accounts, lambda: UNTIL + timedelta(hours=1))
    new = league._replace(versions=late).submit("ann-2", {}, ("python3", "bot.py"))
    assert league.versions.remove_build(old)
    with closing(Store(league.data / FILE)) as store:
        number = store.open_contest(CONTEST, read_definition(CONTEST), UNTIL - timedelta(days=1))
        for _ in range(2):
            league.enter(UNTIL)
        (entered,) = store.interventions(number)
        assert (entered.name, entered.version) == ("bob", bob.number), "only the other one waits"
        again = league.versions.under_way()[0]
        assert (again.bot, again.number) == ("ann-2", old.number)
        if fault:
            league.versions.refuse(again, fault)
        else:
            (league.versions.folder(old) / BUILD).mkdir()
            league.versions.accept(again)
        for _ in range(2):
            league.enter(UNTIL)
        last = store.interventions(number)[1:]
        assert [(one.kind, one.name) for one in last] == [(Kind.WITHDRAW if fault else Kind.VERSION, "Ann")]
    assert [(one.bot, one.number) for one in league.versions.active()] == [("ann-2", new.number), ("bob-1", 1)]
    told = [entry.what for entry in league.accounts.audit(20)]
    assert told.count("had version 1 of ann-2 built again, which a contest needs") == 1
    assert (f"version 1 of ann-2 cannot be built again: {fault}" in told) == bool(fault)


def test_a_bot_that_nobody_has_is_refused_and_so_is_a_deadline_that_is_over(league: League) -> None:
    before = UNTIL - timedelta(seconds=1)
    check_versions(league.accounts, read_definition(CONTEST), before)
    with pytest.raises(BadContest, match=r"entrants\[2\].version-of is 'eve', and no account has a bot of this name"):
        check_versions(league.accounts, read_definition(CONTEST.replace("bob-1", "eve")), before)
    with pytest.raises(BadContest, match=r"versions-until is 2026-11-27T18:00:00\+01:00, which is over"):
        check_versions(league.accounts, read_definition(CONTEST), UNTIL)


async def test_entered_versions_play_their_contest(league: League) -> None:
    dice = Path(__file__).parents[1] / "contest" / "runtime" / "dice.py"
    for bot in ("ann-2", "bob-1"):
        league.submit(bot, {"dice.py": dice.read_text()}, ("python3", "dice.py"))
    async with running_contest(league.data, CONTEST) as (_, store, contest):
        assert store.begun(contest) == {}
        league.enter(UNTIL)
        games = await wait_until_over(store, contest)
    assert len(games) == 2 and all(game.played and game.plies for game in games)


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
    assert told.endswith("; another version is still under way, and was waited for in vain")
