"""A data directory that the first version of the league has left goes on: people, tokens, versions and games.

It is frozen: made once, by a server of that version with its ladder, and never again.
"""

import json
import shutil
import sqlite3
import sys
import time
import zipfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from server.commands.upkeep.finding import GOOD, WRONG
from server.commands.upkeep.league_files import league_findings
from server.config.limits import LeagueRules
from server.contest.export.container import BadExport
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import ORGANISER
from server.league.database import FILE, MIGRATIONS
from server.league.ladder.players import LadderPlayer
from server.league.ladder.store import LadderStore
from server.league.ladder_control import LadderControl
from server.league.months.writing import export_month
from server.league.submissions.versions import BUILD, FOLDER, Versions
from tests.server.league.ladder.counted import check_counted, counted_games
from tests.server.league.ladder.test_ladder_walk import DICE, END_SECONDS
from tests.server.league.test_account_pages import Visitor, logs_in
from tests.web.site import Site

FROZEN = Path(__file__).with_name("first_format.zip")

DAY_AFTER = datetime(2026, 11, 26, tzinfo=UTC)
"""When links and sessions of it are still good."""

SESSION, LINK, TOKEN = "gxsM2utJzUAK9ttYWNk9Vg", "I7ms6l0A8mKL55I5ILh58Q", "k0EmzBJIAX7kMSkUWkETqw"
"""Of ann, of bob who has not come yet, and of ann-1."""

FIXED = {"alphabeta-1": LadderPlayer("alphabeta-1", "", 500.0)}

LADDER = """
sandbox = "none"
time = {{ budget = 60_000 }}
games = [{{ game = "mnk", params = "3 3 3", openings = {{ plies = 2, number = 50 }} }}]
levels = [{{ level = 1 }}]
[[programs]]
name = "dice"
owner = "teacher"
folder = "dice"
command = {command}
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The directory, with what others may not look at as the server had left it."""
    data = tmp_path / "data"
    with zipfile.ZipFile(FROZEN) as frozen:
        frozen.extractall(data)
    (data / FILE).chmod(0o600)
    (data / FOLDER).chmod(0o700)
    return data


def format_of(data: Path) -> int:
    with closing(sqlite3.connect(data / FILE)) as database:
        (version,) = database.execute("PRAGMA user_version").fetchone()
    return int(version)


def test_it_is_of_the_first_format_and_brought_to_this_one(data: Path) -> None:
    findings = list(league_findings(data, LeagueRules()))
    assert findings[0].state == GOOD and not [one for one in findings if one.state == WRONG]
    assert format_of(data) == 4, "the doctor only looks"
    Accounts(data).close()
    assert format_of(data) == len(MIGRATIONS) > 4
    assert list(league_findings(data, LeagueRules())) == findings


def test_people_and_their_bots_come_in_as_before(data: Path) -> None:
    with closing(Accounts(data, lambda: DAY_AFTER)) as accounts:
        assert [(one.name, one.role) for one in accounts.people()] == [
            ("ann", "author"), ("bob", "author"), ("teacher", ORGANISER),
        ]  # fmt: skip
        ann = accounts.signed_in(SESSION)
        assert ann is not None and ann.name == "ann"
        assert [bot.name for bot in accounts.bots(ann)] == ["ann-1", "ann-2"]
        invited = accounts.invitation(LINK).person
        assert invited is not None and invited.name == "bob"
        accounts.redeem(LINK, "", "")
        assert [(one.who, one.what) for one in accounts.audit(2)] == [
            ("bob", "opened an invitation"),
            ("ann", "submitted version 2 of ann-1"),
        ]


def test_versions_are_there_and_can_be_compared(data: Path) -> None:
    with closing(Accounts(data)) as accounts:
        versions = Versions(data, accounts)
        refused, active = versions.of("ann-1")
        assert (refused.state, refused.sentence) == ("refused", "the conformance test found something: exit status 1")
        assert versions.active() == [active] and active.command == ("python3", "bot.py")
        assert (versions.folder(active) / BUILD / "bot.py").is_file() and versions.size(active) > 10_000
        ann = accounts.person("ann")
        assert ann is not None
        assert versions.add(ann, "ann-1", "bot.py", b"print()").number == 3


def test_games_of_the_ladder_have_their_records_and_ratings(data: Path) -> None:
    games = check_counted(data, [], FIXED)
    assert len(games) == 20 and {name for game in games for name in game.ended.game.players} == {
        "alphabeta-1", "ann-1", "dice",
    }  # fmt: skip
    with closing(Accounts(data)) as accounts:
        standing = LadderStore(accounts).standing("ann-1")
        assert standing is not None and (standing.version, standing.rating.games) == (1, 12)
        assert LadderControl(accounts, str).set_aside() == []
        with pytest.raises(BadExport, match="before the database kept the ladder files that they belong to"):
            export_month(data, accounts, "2026-11")


@pytest.mark.slow
def test_a_server_plays_the_ladder_on(data: Path, tmp_path: Path) -> None:
    (tmp_path / "dice").mkdir()
    shutil.copy(DICE, tmp_path / "dice")
    file = tmp_path / "ladder.toml"
    file.write_text(LADDER.format(command=json.dumps([sys.executable, DICE.name])))
    before = check_counted(data, [], FIXED)
    with Site(data, "--ladder", str(file)) as site:
        assert logs_in(site, "ann-1", TOKEN) and not logs_in(site, "ann-1", TOKEN[::-1])
        deadline = time.monotonic() + END_SECONDS
        while not any("ann-1" in game.ended.game.players for game in counted_games(data)[len(before) :]):
            assert time.monotonic() < deadline, site.log
            time.sleep(0.05)
        visitor = Visitor(site)
        told = {row["name"]: row for row in json.loads(visitor.get("/ladder.json").text)["players"]}
        assert told.keys() == {"alphabeta-1", "ann-1", "dice"} and told["ann-1"]["games"] >= 12
        for path in ("/ladder", "/ladder/ann-1"):
            page = visitor.get(path)
            assert page.status == 200 and "ann-1" in page.text
        assert site.stop() == 0
    assert "level=error" not in site.log
    check_counted(data, before, FIXED)
