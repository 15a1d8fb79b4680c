"""Comparisons: one at a time for each author, played when no version waits, and gone on with after a stop."""

import json
import signal
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import trio

from engine import record
from server.config.limits import LeagueRules
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import AUTHOR, NotAllowed, Person
from server.league.comparisons.comparisons import RECORDS, REPORT, RESULTS, Comparison, Comparisons, Result
from server.league.comparisons.playing import ComparisonPlayer
from server.league.pages.comparison_pages import summary
from server.league.submissions import pipeline
from server.league.submissions.pipeline import Pipeline
from server.league.submissions.steps import Ended
from server.league.submissions.turns import Turns
from server.league.submissions.versions import BUILD, Versions
from tests.server.league.test_submissions import EXAMPLES, SEALED
from tests.web.site import Site

LINE = {"wins": 3, "draws": 0, "losses": 1, "score": 0.75, "elo": 190.8, "elo_margin_95": 210.2, "name": "version-1"}


@pytest.fixture
def comparisons(tmp_path: Path, accounts: Accounts, versions: Versions) -> Comparisons:
    return Comparisons(tmp_path, accounts, versions)


def author(accounts: Accounts, versions: Versions, name: str) -> Person:
    """Make an author with a bot of the same name, of which two versions have passed and one has not."""
    accounts.redeem(accounts.invite(name, AUTHOR, "test"), "", "")
    person = accounts.person(name)
    assert person is not None
    accounts.make_token(person, name)
    for number in (1, 2):
        version = versions.add(person, name, "bot.py", b"")
        versions.go_on(version, "qualifying", ("python3", "bot.py"))
        versions.activate(version, "the server")
        (versions.folder(version) / BUILD).mkdir()
        (versions.folder(version) / BUILD / "bot.py").write_bytes((EXAMPLES / "python" / "bot.py").read_bytes())
        assert version.number == number
    versions.refuse(versions.add(person, name, "bot.py", b""), "it has no legs")
    return person


def test_an_author_has_one_comparison_at_a_time_of_versions_that_have_passed(
    accounts: Accounts, versions: Versions, comparisons: Comparisons
) -> None:
    ann, bob = (author(accounts, versions, name) for name in ("ann", "bob"))
    for bot, numbers, game, parameters, games, sentence in (
        ("ann", (1, 3), "gipf", "", 20, "version 3 of ann has not passed"),
        ("ann", (1, 4), "gipf", "", 20, "ann has no version 4"),
        ("ann", (1, 1), "gipf", "", 20, "two different versions"),
        ("bob", (1, 2), "gipf", "", 20, "ann has no bot 'bob'"),
        ("ann", (1, 2), "gpif", "", 20, "there is no game 'gpif'"),
        ("ann", (1, 2), "mnk", "3 3", 20, "the variant: "),
        ("ann", (1, 2), "gipf", "", 3, "an even number of games from 2 to 100"),
    ):
        with pytest.raises(NotAllowed, match=sentence):
            comparisons.ask(ann, bot, numbers, game, parameters, games)
    first = comparisons.ask(ann, "ann", (1, 2), "mnk", "3,3,3", 4)
    assert (first.first, first.second, first.parameters, first.state) == (1, 2, "3 3 3", "waiting")
    assert accounts.audit(1)[0].what == "asked for a comparison of versions 1 and 2 of ann"
    with pytest.raises(NotAllowed, match="a comparison of yours"):
        comparisons.ask(ann, "ann", (2, 1), "gipf", "", 20)
    with pytest.raises(NotAllowed, match="version 1 of ann is playing"):
        versions.delete(versions.of("ann")[2], "ann")
    second = comparisons.ask(bob, "BOB", (2, 1), "gipf", "", 20)
    assert comparisons.next() == first and comparisons.left() == [first, second]
    comparisons.begin(second)
    assert [one.bot for one in comparisons.left()] == ["bob", "ann"], "what was begun comes first"
    comparisons.cancel(first, "teacher")
    comparisons.end(first, Result(1, 0, 0, 1.0))
    cancelled = comparisons.comparison("ann", first.number)
    assert cancelled is not None and (cancelled.state, cancelled.result) == ("cancelled", None)
    with pytest.raises(NotAllowed, match="does not wait"):
        comparisons.cancel(cancelled, "ann")
    versions.delete(versions.of("ann")[2], "ann")
    assert comparisons.of("ann") == [cancelled], "the line stays, with the number of the version"


def test_a_comparison_during_which_three_servers_have_died_is_set_aside(
    accounts: Accounts, versions: Versions, comparisons: Comparisons
) -> None:
    ann = author(accounts, versions, "ann")
    comparison = comparisons.ask(ann, "ann", (1, 2), "mnk", "3,3,3", 4)
    for _ in range(4):
        comparisons.begin(comparison)
        comparisons.stop(comparison)  # in order, as for a version that comes
        assert comparisons.note_deaths() == []
    for _ in range(2):
        comparisons.begin(comparison)
        assert comparisons.note_deaths() == [] and comparisons.left() != []
    comparisons.begin(comparison)
    assert [one.number for one in comparisons.note_deaths()] == [comparison.number]
    (failed,) = comparisons.of("ann")
    assert (failed.state, failed.sentence) == ("failed", "the server has died 3 times while it was played")
    assert comparisons.note_deaths() == [] and comparisons.next() is None
    assert accounts.audit(1)[0].what == "set comparison 1 of ann aside: 3 servers have died during it"


def test_records_of_comparisons_count_in_the_quota_until_they_are_deleted(
    tmp_path: Path, accounts: Accounts, comparisons: Comparisons
) -> None:
    versions = Versions(tmp_path, accounts, rules=LeagueRules(quota=1))
    ann = author(accounts, versions, "ann")
    comparison = comparisons.ask(ann, "ann", (1, 2), "mnk", "3,3,3", 4)
    before = versions.kept_bytes(ann)
    (comparisons.folder(comparison) / RECORDS).mkdir(parents=True)
    (comparisons.folder(comparison) / RECORDS / "1.txt").write_bytes(bytes(1 << 20))
    assert versions.kept_bytes(ann) >= before + (1 << 20)
    with pytest.raises(NotAllowed, match="versions and comparisons of yours have 1 MB"):
        versions.check_quota(ann)
    with pytest.raises(NotAllowed, match="comparison 1 has games left to play; cancel it first"):
        comparisons.delete_records(comparison, "ann")
    comparisons.cancel(comparison, "ann")
    comparisons.delete_records(comparisons.of("ann")[0], "ann")
    versions.check_quota(ann)
    assert versions.kept_bytes(ann) == before
    assert accounts.audit(1)[0].what == "deleted the records of comparison 1 of ann"


class Matches:
    """Plays a game each time that it is called, until there are enough, or it is told to stop."""

    def __init__(self, games: int) -> None:
        self.games = games
        self.commands: list[list[str]] = []
        self.stopped = 0

    async def play(self, words: list[str], folder: Path, log: Path, _home: str, _seconds: float) -> Ended:
        self.commands.append(words)
        results = folder / RESULTS
        lines = results.read_text() if results.exists() else "setting\n"
        results.write_text(lines + "game\n")
        if len(self.commands) < self.games:
            try:
                await trio.sleep_forever()
            finally:
                self.stopped += 1
        (folder / REPORT).write_text(json.dumps({"players": [LINE, {**LINE, "score": 0.25}], "games": []}))
        return Ended(0)


def test_a_comparison_stops_for_each_version_that_comes_and_goes_on_behind_it(
    accounts: Accounts, versions: Versions, comparisons: Comparisons, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = author(accounts, versions, "ann")
    comparison = comparisons.ask(ann, "ann", (1, 2), "mnk", "3,3,3", 4)
    matches = Matches(games=3)
    player = ComparisonPlayer(comparisons, versions, tmp_path, matches.play)

    async def tried(version_number: int) -> None:
        while len(matches.commands) < version_number:
            await trio.sleep(0.01)
        versions.add(ann, "ann", "bot.zip", b"this is no archive")
        while any(one.is_under_way for one in versions.of("ann")):
            await trio.sleep(0.01)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(Pipeline(versions, Turns(), tmp_path, (), player.play_next).run)
            for number in (1, 2):
                await tried(number)
            while comparisons.left():
                await trio.sleep(0.01)
            nursery.cancel_scope.cancel()

    monkeypatch.setattr(pipeline, "LOOK_SECONDS", 0.01)
    trio.run(main)
    over = comparisons.comparison("ann", comparison.number)
    assert over is not None and over.state == "over" and matches.stopped == 2
    assert [one.state for one in versions.of("ann")][:2] == ["refused", "refused"]
    assert comparisons.games_played(over) == 3
    words = matches.commands[0]
    assert words == matches.commands[2], "the same match, which goes on by its file of results"
    assert words[words.index("match") + 1].startswith("version-1=/") and "--sandbox" in words
    folders = [words[place + 1] for place, word in enumerate(words) if word == "--folder"]
    assert folders == [str(versions.folder(versions.of("ann")[place]) / BUILD) for place in (-1, -2)]
    assert summary(over) == "75.0 % for version 1: 3 won, 0 drawn, 1 lost; +191 Elo, with 95 % between −19 and +401"


def test_a_match_that_cannot_be_played_says_why(
    accounts: Accounts, versions: Versions, comparisons: Comparisons, tmp_path: Path
) -> None:
    ann = author(accounts, versions, "ann")

    async def play(_words: list[str], _folder: Path, log: Path, _home: str, _seconds: float) -> Ended:
        log.write_text("no game has begun\narena-bot: version-1 never came\n  | a line\n")
        return Ended(1)

    def played(comparison: Comparison) -> str:
        assert trio.run(ComparisonPlayer(comparisons, versions, tmp_path, play).play_next)
        found = comparisons.comparison("ann", comparison.number)
        assert found is not None and found.state == "failed" and summary(found) == ""
        return found.sentence

    assert played(comparisons.ask(ann, "ann", (1, 2), "mnk", "", 2)) == "version-1 never came"
    assert not trio.run(ComparisonPlayer(comparisons, versions, tmp_path, play).play_next)


@SEALED
@pytest.mark.slow
def test_two_versions_play_in_their_folders_and_a_killed_server_loses_no_game_that_was_over(tmp_path: Path) -> None:
    with closing(Accounts(tmp_path)) as accounts:
        versions = Versions(tmp_path, accounts)
        comparisons = Comparisons(tmp_path, accounts, versions)
        ann = author(accounts, versions, "ann")
        comparison = comparisons.ask(ann, "ann", (2, 1), "mnk", "3,3,3", 4)
        results = comparisons.folder(comparison) / RESULTS

        def wait(enough: Callable[[], bool]) -> None:
            deadline = time.monotonic() + 600
            while not enough():
                assert time.monotonic() < deadline, comparisons.of("ann")
                time.sleep(0.05)

        with Site(tmp_path) as site:
            wait(lambda: comparisons.games_played(comparison) > 0)
            site.stop(signal.SIGKILL)
            before = results.read_text().splitlines()
            site.start()
            wait(lambda: not comparisons.left())
            assert site.stop() == 0
        (over,) = comparisons.of("ann")
        assert over.state == "over", over
        assert over.result is not None and over.result.wins + over.result.draws + over.result.losses == 4
        whole = [line for line in before if line.endswith("}")]
        assert len(whole) > 1 and results.read_text().splitlines()[: len(whole)] == whole, (
            "what was over is not played again"
        )
        records = [path.read_text() for path in (comparisons.folder(over) / RECORDS).glob("*.txt")]
        players = sorted(record.verify(text).header.players for text in records)
        assert players == [("version-1", "version-2")] * 2 + [("version-2", "version-1")] * 2
        assert accounts.rows("SELECT deaths, under_way FROM comparisons") == [(1, 0)]
