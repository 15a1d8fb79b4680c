"""The ladder takes the active versions of bots, and finds what their programs have written."""

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine.statistics.online import LadderPlayer
from server.contest.hosts.contest_players import ContestPlayers
from server.contest.store.folders import errors_of
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import AUTHOR
from server.league.ladder.definition import read
from server.league.ladder.runner import LADDER
from server.league.ladder.service import LadderService, kept_by_ladder
from server.league.ladder.store import BegunGame
from server.league.submissions.versions import Versions
from tests.server.league.ladder.counted import result_of

FILE = 'time = { budget = 1000 }\ngames = [{ game = "mnk", params = "3 3 3" }]\n[[levels]]\nlevel = 2\n'


@pytest.fixture
def accounts(tmp_path: Path) -> Iterator[Accounts]:
    with closing(Accounts(tmp_path)) as accounts:
        for name in ("ann", "bob"):
            accounts.redeem(accounts.invite(name, AUTHOR, "test"), "", "")
        yield accounts


@pytest.fixture
def ladder(tmp_path: Path, accounts: Accounts) -> LadderService:
    settings = SimpleNamespace(data=tmp_path, tokens={"tom-1": "5a"})
    arena: Any = SimpleNamespace(settings=settings, contest_players=ContestPlayers())
    store: Any = None
    return LadderService(read(FILE, tmp_path, str), arena, store, accounts, Versions(tmp_path, accounts))


def activate(accounts: Accounts, versions: Versions, person: str, bot: str) -> None:
    found = accounts.person(person)
    assert found is not None
    if accounts.owner(bot) is None:
        accounts.make_token(found, bot)
    version = versions.add(found, bot, "bot.py", b"print()")
    versions.go_on(version, "qualifying", ("python3", "bot.py"))
    versions.activate(version, "test")


def test_the_active_version_of_each_bot_plays_as_it_was_built(
    tmp_path: Path, accounts: Accounts, ladder: LadderService
) -> None:
    versions = Versions(tmp_path, accounts)
    assert list(ladder.listed()) == ["alphabeta-2"]
    activate(accounts, versions, "ann", "Ann-1")
    activate(accounts, versions, "ann", "Ann-1")
    activate(accounts, versions, "bob", "bob-1")
    accounts.close_account("bob", "test")
    listed = ladder.listed()
    assert list(listed) == ["alphabeta-2", "Ann-1"]
    one = listed["Ann-1"]
    assert (one.player.owner, one.player.anchor, one.version) == ("ann", None, 2)
    assert one.entrant is not None and one.entrant.command == (sys.executable, "bot.py")
    assert one.entrant.folder == str((tmp_path / "submissions" / "ann-1" / "2" / "build").resolve())


def test_only_bots_of_accounts_that_are_not_on_the_ladder_already_can_connect_to_it(
    tmp_path: Path, accounts: Accounts, ladder: LadderService
) -> None:
    ann, bob = accounts.person("ann"), accounts.person("bob")
    assert ann is not None and bob is not None
    for bot in ("Ann-1", "ann-2", "alphabeta-2", "tom-1"):
        accounts.make_token(ann, bot)
    accounts.make_token(bob, "bob-1")
    accounts.close_account("bob", "test")
    activate(accounts, Versions(tmp_path, accounts), "ann", "ann-2")
    assert ladder.why_not("Ann-1") == ""
    assert "called Ann-1" in ladder.why_not("ann-1")
    for name in ("nobody", "bob-1", "tom-1"):  # without an account, with a closed one, with another token
        assert "log in by a token of the page /me" in ladder.why_not(name)
    for name in ("ann-2", "alphabeta-2"):
        assert "is on the ladder already" in ladder.why_not(name)
    game = BegunGame(7, "mnk 3 3 3", 0, ("Ann-1", "alphabeta-2"), (0, 0))
    ladder.store.seat(LadderPlayer("Ann-1", "ann"), 0, {})
    ladder.store.count(game, result_of(game, 0.0, detail="no connection", failed=0), "5a", {}, 1)
    assert "Ann-1 rests, since it has failed: no connection" in ladder.why_not("Ann-1")
    ladder.store.wake("Ann-1", "ann")
    accounts.revoke_token(ann, "Ann-1")
    assert "log in by a token" in ladder.why_not("Ann-1")


def test_what_a_program_has_written_is_found_for_its_author(tmp_path: Path, ladder: LadderService) -> None:
    ladder.store.begin([BegunGame(7, "mnk 3 3 3", 0, ("Ann-1", "alphabeta-2"), (1, 0))])
    found = kept_by_ladder(tmp_path, ladder.store, 7, "ann-1")
    assert found is not None and (found.path, found.token) == (errors_of(tmp_path, LADDER, 7, "Ann-1"), "")
    assert kept_by_ladder(tmp_path, ladder.store, 7, "bob-1") is None
    assert kept_by_ladder(tmp_path, ladder.store, 8, "ann-1") is None
