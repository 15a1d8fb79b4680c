"""A server plays a ladder of programs, is killed when a game has ended, and everybody looks at the pages.

With ARENA_CAMPAIGN=1 it is killed a hundred times.
"""

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

from server.commands import administration as commands
from server.league.accounts import ORGANISER, Accounts
from server.league.ladder.store import CountedGame
from tests.server.contest.runtime.bots import DICE
from tests.server.league.ladder.counted import (
    check_counted,
    check_nothing_left,
    counted_games,
)
from tests.server.league.test_account_pages import Visitor, sign_in
from tests.server.process import wait_until
from tests.waiting import BUILD_SECONDS
from tests.web.site import Site

pytestmark = pytest.mark.slow

KILLS = 100 if os.environ.get("ARENA_CAMPAIGN") else 1


FILE = """
sandbox = "none"
time = { budget = 60_000 }
[[games]]
game = "mnk"
params = "3 3 3"
openings = { plies = 2, number = 50 }
"""


PROGRAMS = (("p0", "ann"), ("crash", "bob"), ("p1", "cat"))
"""Names and owners."""


def program(name: str, owner: str) -> str:
    command = json.dumps([sys.executable, str(DICE)])
    return f'[[programs]]\nname = "{name}"\nowner = "{owner}"\ncommand = {command}\nfolder = "{owner}"\n'


wait = partial(wait_until, most=BUILD_SECONDS)


class Ladder(Site):
    """A server with a ladder, which three people have programs on."""

    def __init__(self, folder: Path, data: Path | None = None) -> None:
        folder.mkdir(exist_ok=True)
        file = folder / "ladder.toml"
        file.write_text(FILE + "".join(program(*one) for one in PROGRAMS), encoding="utf-8")
        for _, owner in PROGRAMS:
            (folder / owner).mkdir()
        super().__init__(data or folder / "data", "--ladder", str(file))

    def counted(self) -> list[CountedGame]:
        """Return all games that are counted, the first one first."""
        return counted_games(self.data)

    def told(self) -> dict[str, Any]:
        """Return what programs are told of the ladder."""
        told: dict[str, Any] = json.loads(Visitor(self).get("/ladder.json").text)
        return told

    def wait_for(self, games: int) -> None:
        """Wait until so many games are counted."""
        wait(lambda: len(self.counted()) >= games)

    def wait_for_end(self) -> None:
        """Wait until one more game is over."""
        ended = self.log.count("match_ended")
        wait(lambda: self.log.count("match_ended") > ended)


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ladder]:
    with Ladder(tmp_path_factory.mktemp("ladder")) as ladder:
        yield ladder


@pytest.mark.thorough
def test_an_organiser_pauses_the_ladder(ladder: Ladder, capsys: pytest.CaptureFixture[str]) -> None:
    data = ladder.data

    def status() -> list[str]:
        commands.status(data=data)
        return capsys.readouterr().out.splitlines()

    ladder.wait_for(2)
    assert status()[0] == "not paused"
    with closing(Accounts(data)) as accounts:
        teacher = sign_in(ladder, accounts, "teacher", ORGANISER)
        form = teacher.get("/organise").form
        assert teacher.post("/organise/ladder/pause", form=form).status == 303
        assert "<li>Paused</li>" in teacher.get("/organise").text
        assert teacher.post("/organise/ladder/pause", form=form).status == 400
        wait(lambda: "An organiser has paused the ladder" in Visitor(ladder).get("/ladder").text)
        wait(lambda: status()[0] == "paused" and status()[1].startswith("games: 0 being played"))
        counted = len(ladder.counted())
        commands.resume(data=data)
        assert capsys.readouterr().out == snapshot("the ladder was resumed; games begin again.\n")
        ladder.wait_for(counted + 2)
        assert [entry.who for entry in accounts.audit(2)] == ["the command line", "teacher"]


def test_a_server_that_is_killed_again_and_again_loses_no_counted_game_and_counts_none_twice(ladder: Ladder) -> None:
    games: list[CountedGame] = []
    for kill in range(KILLS):
        ladder.wait_for_end()
        time.sleep(0.003 * (kill % 10))  # just about when a game is counted
        ladder.kill()
        games = check_counted(ladder.data, games, {})
        ladder.start()
        ladder.wait()
    ladder.wait_for(len(games) + 1)
    assert ladder.stop() == 0
    games = check_counted(ladder.data, games, {})
    check_nothing_left(ladder.data, games)
    assert "level=error" not in ladder.log
