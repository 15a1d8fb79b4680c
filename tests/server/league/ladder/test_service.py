"""A ladder: its file, its players, and what its pages show."""

import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import Any

import pytest
from inline_snapshot import snapshot
from inline_snapshot.extra import raises

from engine.statistics.online import DAY, LadderPlayer, OnlineRating
from server.contest.definition import Bounds, Entrant
from server.contest.hosts.contest_players import ContestPlayers
from server.contest.hosts.host import CoreQueue
from server.contest.store.folders import errors_of, kept_by_contest
from server.contest.store.store import FILE as STORE, LADDER
from server.league.accounts import AUTHOR, Accounts
from server.league.ladder.definition import LEVEL_ELO, LadderDefinition, LadderEntrant, read
from server.league.ladder.service import LadderService, free_games
from server.league.ladder.store import (
    CountedGame,
    LadderStanding,
)
from server.league.pages.ladder_pages import (
    standing_rows,
)
from server.league.submissions.versions import Versions
from tests.server.league.ladder.counted import count_result, result_of

FILE = 'time = { budget = 1000 }\ngames = [{ game = "mnk", params = "3 3 3" }]\n[[levels]]\nlevel = 2\n'


@pytest.fixture
def accounts(tmp_path: Path) -> Iterator[Accounts]:
    with closing(Accounts(tmp_path)) as accounts:
        for name in ("ann", "bob"):
            accounts.redeem(accounts.invite(name, AUTHOR, "test"), "")
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
    versions.accept(version)


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
    assert ladder.why_not("ann-1") == snapshot(
        "this bot is called Ann-1: log in by that name, in capital and small letters as there"
    )
    for name in ("nobody", "bob-1", "tom-1"):  # without an account, with a closed one, with another token
        assert ladder.why_not(name) == snapshot(
            "the ladder rates bots of people with accounts: log in by a token of the page /me"
        )
    for name in ("ann-2", "alphabeta-2"):
        assert ladder.why_not(name).removeprefix(name) == snapshot(
            " is on the ladder already, as a program that the server starts; take a bot of another name"
        )
    ladder.store.seat(LadderPlayer("Ann-1", "ann"), 0, {})
    lost = result_of(7, ("Ann-1", "alphabeta-2"), 0.0, "no connection", failed=0)
    count_result(tmp_path, ladder.store, lost, {}, 1)
    assert ladder.why_not("Ann-1") == snapshot(
        "Ann-1 rests, since it has failed: no connection; let it play again on the page /ladder/Ann-1"
    )
    ladder.store.wake("Ann-1", "ann")
    accounts.revoke_token(ann, "Ann-1")
    assert ladder.why_not("Ann-1")


def test_what_a_program_has_written_is_found_for_its_author(tmp_path: Path, ladder: LadderService) -> None:
    count_result(tmp_path, ladder.store, result_of(7, ("Ann-1", "alphabeta-2"), 1.0), {})
    found = kept_by_contest(tmp_path, tmp_path / STORE, 7, "ann-1")
    assert found is not None and (found.path, found.token) == (errors_of(tmp_path, LADDER, 7, "Ann-1"), "")
    assert kept_by_contest(tmp_path, tmp_path / STORE, 7, "bob-1") is None
    assert kept_by_contest(tmp_path, tmp_path / STORE, 8, "ann-1") is None


DOCUMENT = Path(__file__).parents[4] / "docs" / "league.md"

LEAST = 'time = { budget = 1000 }\ngames = [{ game = "mnk", params = "3 3 3" }]\n'

WHOLE = """
seed = 7
cores = 4
failures = 5
start-seconds = 20
sandbox = "none"
visible = ["data"]
[bounds]
memory = 64
[time]
budget = 10_000
increment = 100
[[games]]
game = "gipf"
params = "3,3,9,9"
weight = 3
openings = { plies = 2, number = 5 }
[[games]]
game = "mnk"
params = "3,3,3"
[[levels]]
level = 1
[[levels]]
level = 3
elo = 1400
[[programs]]
name = "base"
owner = "teacher"
command = ["python3", "base.py"]
folder = "base"
"""


def load(name: str) -> str:
    raise FileNotFoundError(name)


def definition(text: str) -> LadderDefinition:
    return read(text, PurePosixPath("/etc/arena"), load)


def test_a_whole_file_is_read_with_folders_seen_from_it() -> None:
    found = definition(WHOLE)
    assert found.weights == {"gipf 3 3 9 9": 3.0, "mnk 3 3 3": 1.0}
    assert [len(variant.openings) for variant in found.contest.variants] == [5, 1]
    assert [(one.player, one.entrant) for one in found.listed] == [
        (LadderPlayer("alphabeta-1", "", LEVEL_ELO[0]), None),
        (LadderPlayer("alphabeta-3", "", 1400.0), None),
        (LadderPlayer("base", "teacher"), Entrant("base", ("python3", "base.py"), folder="/etc/arena/base")),
    ]
    assert (found.contest.visible, found.contest.bounds) == (("/etc/arena/data",), Bounds(memory=64))


@pytest.mark.slow
def test_the_file_of_the_document_can_be_played() -> None:
    text = DOCUMENT.read_text(encoding="utf-8").partition("```toml\n")[2].partition("```")[0]
    found = definition(text)
    assert len(found.weights) == 2 and found.contest.entrants and found.games_a_day == 10_000


PROGRAM = '[[programs]]\nname = "a"\nowner = "ann"\ncommand = ["x"]\nfolder = "a"\n'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("games = ", snapshot("BadTable: this is no TOML: Invalid value (at end of document)")),
        (
            'games = [{ game = "mnk" }]',
            snapshot("BadTable: time is missing: a table with budget and increment in milliseconds"),
        ),
        (
            "time = { budget = 1000 }",
            snapshot(
                "BadTable: games is missing: one [[games]] or more, each with its game, and a weight where they differ"
            ),
        ),
        (
            'game = [{ game = "mnk" }]',
            snapshot(
                "BadTable: game is no key of a ladder file; these are seed, move-limit, cores, start-seconds, sandbox, bounds, visible, failures, games-a-day, time, games, levels, programs; did you mean games?"
            ),
        ),
        (
            LEAST + "speed = 3",
            snapshot(
                "BadTable: speed is no key of a ladder file; these are seed, move-limit, cores, start-seconds, sandbox, bounds, visible, failures, games-a-day, time, games, levels, programs; did you mean seed?"
            ),
        ),
        (
            LEAST.replace("params", "weight = 0, params"),
            snapshot("BadTable: games[1].weight is a number from 0.001 to 1000, not 0"),
        ),
        (
            LEAST.replace("3 3 3", "3"),
            snapshot(
                "BadContest: games[1].params is '3': m,n,k-games take three numbers, rows, columns and K, as in 3 3 3; not '3'"
            ),
        ),
        (LEAST + "[[levels]]\nlevel = 10", snapshot("BadTable: levels[1].level is a whole number from 1 to 9, not 10")),
        (
            LEAST + "[[levels]]\nlevel = 1\n[[levels]]\nlevel = 1",
            snapshot("BadTable: two players of the ladder are called alphabeta-1, in capital or small letters"),
        ),
        (
            LEAST + PROGRAM.replace('folder = "a"\n', ""),
            snapshot(
                "BadTable: programs[1].folder is missing: the program's folder, seen from the ladder file, which is all that it sees"
            ),
        ),
        (
            LEAST + PROGRAM.replace('["x"]', "[]"),
            snapshot("BadTable: programs[1].command is the list of a program and its arguments, not []"),
        ),
        (
            LEAST + PROGRAM.replace('"ann"', '"a b"'),
            snapshot(
                "BadTable: programs[1].owner is the name of its author, 1 to 32 letters, digits, and any of _ . - behind the first, not 'a b'"
            ),
        ),
        (
            LEAST + PROGRAM + PROGRAM.replace('"a"', '"A"'),
            snapshot("BadTable: two players of the ladder are called A, in capital or small letters"),
        ),
        (
            LEAST.replace("}]", '}, { game = "mnk", params = "3,3,3" }]'),
            snapshot("BadTable: games[2] is mnk 3 3 3, which another one of games is already: take one out"),
        ),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(text: str, sentence: str) -> None:
    with raises(sentence):
        definition(text)


NOW = 1000 * DAY

LISTED = {"alphabeta-1": LadderEntrant(LadderPlayer("alphabeta-1", "", 500.0), 0, None)} | {
    f"{owner}-1": LadderEntrant(LadderPlayer(f"{owner}-1", owner), 1, Entrant(f"{owner}-1", command))
    for owner, command in (("ann", ("./bot",)), ("bob", ("./bot",)), ("cat", ("./bot",)), ("dan", ()))
}


def standing(name: str, elo: float, deviation: float, days: float = 0, rests: str = "") -> LadderStanding:
    last = NOW - days * DAY
    return LadderStanding(name, name[:3], 1, OnlineRating(elo, deviation, 9, last), 3 if rests else 0, rests)


def game(number: int, first: str, second: str, elo: float, version: int, score: float | None = 1.0) -> CountedGame:
    ratings = (0.0, 0.0), (elo, 50.0)
    result = result_of(number, (first, second), score)
    return CountedGame(number, result, "mnk 3 3 3", (1, version), score, NOW, ratings)


def test_only_who_plays_and_is_known_well_enough_has_a_rank() -> None:
    standings = [
        standing("gone-1", 1500, 40),
        standing("ann-1", 1400, 40),
        standing("bob-1", 1300, 101),
        standing("cat-1", 1200, 40, rests="broken"),
        standing("dan-1", 1100, 99),
        standing("alphabeta-1", 500, 0),
    ]
    here, left = standing_rows(standings, LISTED, NOW)
    assert [(row["name"], row["rank"], row["state"]) for row in here] == [
        ("ann-1", 1, "plays"),
        ("bob-1", None, "plays"),
        ("cat-1", None, "rests"),
        ("dan-1", 2, "plays"),
        ("alphabeta-1", None, "fixed"),
    ]
    assert [(row["name"], row["rank"], row["state"]) for row in left] == [("gone-1", None, "left")]
    assert [row["name"] for row in here if row["connected"]] == ["dan-1"]
    assert here[0]["last"] == datetime.fromtimestamp(NOW, UTC)


def test_who_has_not_played_for_long_becomes_uncertain_and_loses_the_rank() -> None:
    (row,), _ = standing_rows([standing("dan-1", 1100, 99, days=30)], LISTED, NOW)
    assert row["rank"] is None and row["deviation"] > 100 and row["elo"] == 1100


def test_contests_go_first() -> None:
    turns = CoreQueue(8)
    turns.enter(LADDER, lambda: None)
    turns.enter(3, lambda: None)
    assert free_games(turns, 0, 0) == 4
    assert free_games(turns, 4, 0) == 2
    assert free_games(turns, 4, 2) == 0
    turns.take(3, 2)
    assert free_games(turns, 0, 1) == 2
    turns.waits(3, True)
    assert free_games(turns, 0, 0) == 0
    turns.waits(3, False)
    turns.wants(3, True)  # it has all cores, and more games
    assert free_games(turns, 0, 0) == 0
    turns.wants(3, False)
    turns.alone = True
    assert free_games(turns, 0, 0) == 0


def test_a_machine_with_one_core_plays_one_game_at_a_time() -> None:
    turns = CoreQueue(1)
    turns.enter(LADDER, lambda: None)
    assert (free_games(turns, 0, 0), free_games(turns, 0, 1)) == (1, 0)
