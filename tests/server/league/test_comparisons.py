"""Comparisons: contests of two versions of a bot, one at a time for each author."""

import signal
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.match import verification
from server.contest.formats.round_robin import RoundRobin
from server.contest.report.structure import Comparison as PairsOfGames
from server.contest.store.folders import folder_of
from server.contest.store.store import FILE, Store
from server.league import comparisons as module
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import Person
from server.league.comparisons import Comparison, Comparisons
from server.league.submissions.entering import ENTERED, enter_due
from server.league.submissions.versions import BUILD, Versions
from tests.server.contest.report.samples import sample_report
from tests.server.league.people import person, refused
from tests.server.league.test_submissions import EXAMPLES, SEALED
from tests.server.process import wait_until
from tests.web.site import Site

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
        versions.activate(version, "the server")
        (versions.folder(version) / BUILD).mkdir()
        (versions.folder(version) / BUILD / "bot.py").write_bytes((EXAMPLES / "python" / "bot.py").read_bytes())
        assert version.number == number
    versions.refuse(versions.add(owner, name, "bot.py", b""), "it has no legs")
    return owner, token


def test_an_author_has_one_comparison_at_a_time_of_versions_that_have_passed(
    tmp_path: Path, accounts: Accounts, versions: Versions, comparisons: Comparisons
) -> None:
    (ann, _), (bob, _) = (author(accounts, versions, name) for name in ("ann", "bob"))
    asked: tuple[tuple[Any, ...], ...] = (
        ("ann", (1, 3), "gipf", "", 20, "version 3 of ann has not passed"),
        ("ann", (1, 4), "gipf", "", 20, "ann has no version 4"),
        ("ann", (1, 1), "gipf", "", 20, "two different versions"),
        ("bob", (1, 2), "gipf", "", 20, "ann has no bot 'bob'"),
        ("ann", (1, 2), "gpif", "", 20, "there is no game 'gpif'"),
        ("ann", (1, 2), "mnk", "3 3", 20, "the variant: "),
        ("ann", (1, 2), "gipf", "", 3, "an even number of games from 2 to 100"),
        ("ann", (1, 2), "gipf", "", 102, "an even number of games from 2 to 100"),
    )
    refused(*((partial(comparisons.begin, ann, *words), sentence) for *words, sentence in asked))
    first = comparisons.begin(ann, "ann", (1, 2), "mnk", "3,3,3", 4)
    name = "ann: version 1 against 2, 2026-11-26 12:00:00"
    assert first == Comparison(1, name, False, 0, "", "/contest/1") and comparisons.of("ANN") == [first]
    assert accounts.audit(1)[0].what == f"opened the contest {name}"
    comparisons.begin(bob, "bob", (2, 1), "arrows", "", 100)
    refused(
        (lambda: comparisons.begin(ann, "ann", (2, 1), "gipf", "", 20), "a comparison of yours"),
        (lambda: comparisons.cancel("ann", 2, "ann"), "ann has no comparison 2 that is being played"),
    )
    comparisons.cancel("ann", 1, "ann")
    with closing(Store(tmp_path / FILE)) as store:
        definition = store.definition(1)
        assert [one.name for one in definition.entrants] == ["ann.1", "ann.2"]
        assert (definition.stages[0].pairs, len(definition.variants[0].openings)) == (2, 2)
        store.close_contest(1, NOW, 1)
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
        assert comparisons.remove_programs() == 0 and len([*entered.iterdir()]) == 2
        store.close_contest(1, NOW, 2)
    assert comparisons.remove_programs() == 1 and not entered.exists()


@pytest.mark.parametrize(
    ("one", "pairs", "elo", "margin", "sentence"),
    [
        ("ann.1", (0, 1, 2, 1, 1), 66.0, 120.4, "60.0 % of 10 games: +66 Elo, with 95 % between −54 and +186"),
        ("ann.2", (1, 1, 2, 1, 0), -66.0, 120.4, "60.0 % of 10 games: +66 Elo, with 95 % between −54 and +186"),
        ("ann.1", (0, 0, 0, 0, 3), 0.0, None, "100.0 % of 6 games; all pairs of games have ended alike"),
    ],
)  # fmt: skip
def test_the_result_is_told_from_the_first_version(
    tmp_path: Path, accounts: Accounts, versions: Versions, comparisons: Comparisons,
    one: str, pairs: tuple[int, ...], elo: float, margin: float | None, sentence: str,
) -> None:  # fmt: skip
    ann, _ = author(accounts, versions, "ann")
    comparisons.begin(ann, "ann", (1, 2), "mnk", "3,3,3", 4)
    other = {"ann.1": "ann.2", "ann.2": "ann.1"}[one]
    compared = PairsOfGames(one=one, other=other, pairs=pairs, elo=elo, margin=margin, los=0.9, ratio=1.0, verdict="")
    report = msgspec.structs.replace(
        sample_report(4, RoundRobin()), done=10, entrants=("ann.1", "ann.2"), comparisons=(compared,)
    )
    folder_of(tmp_path, 1).mkdir(parents=True)
    (folder_of(tmp_path, 1) / "report.json").write_bytes(msgspec.json.encode(report))
    (found,) = comparisons.of("ann")
    assert found.summary.startswith(f"ann.1 has {sentence}") and found.is_over and found.done == 10


@SEALED
@pytest.mark.slow
def test_two_versions_play_a_contest_and_a_killed_server_loses_no_game_that_was_over(tmp_path: Path) -> None:
    with closing(Accounts(tmp_path)) as accounts:
        versions = Versions(tmp_path, accounts)
        _, token = author(accounts, versions, "ann")
        words = ["compare", "2", "1", "--name", "ann", "--token", token, "--game", "mnk", "--params", "3,3,3"]
        with Site(tmp_path) as site:
            command = [sys.executable, "-P", "-m", "bots", *words, "--games", "4", "--server", site.url]
            begun = subprocess.run([*command, "--detach"], capture_output=True, text=True)
            assert begun.returncode == 0 and f"{site.url}/contest/1" in begun.stdout, begun.stderr
            site.logs("match_ended")
            site.stop(signal.SIGKILL)
            site.start()
            comparisons = Comparisons(tmp_path, accounts, versions)
            wait_until(lambda: comparisons.of("ann")[0].is_over, 0.1)
            (comparison,) = comparisons.of("ann")
            assert comparison.done == 4 and comparison.summary.startswith("ann.2 has "), comparison
            done = subprocess.run(command, capture_output=True, text=True)
            assert done.returncode == 0 and "-- 4 of 4 games: ann.2 has" in done.stdout, done.stderr
            assert site.stop() == 0
        with closing(Store(tmp_path / FILE)) as store:
            games = store.games(1)
        texts = [(tmp_path / "records" / f"{game.match}.txt").read_text() for game in games]
        players = sorted(verification.verify(text).header.players for text in texts)
        assert players == [("ann.1", "ann.2")] * 2 + [("ann.2", "ann.1")] * 2
