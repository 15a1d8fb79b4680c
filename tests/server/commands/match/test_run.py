"""A match in its private arena: its ledger, and when it cannot be played."""

import io
import sys
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
import trio
from inline_snapshot import snapshot
from inline_snapshot.extra import raises
from msgspec.structs import replace
from rich.console import Console

from engine.commands.game_file import opened_alone
from engine.commands.program import Rejected
from server.commands.match import run
from server.commands.match.results import MatchProgress
from server.commands.match.run import hold
from server.commands.match.setup import MatchSetup, Setting
from server.contest.fixtures import SET_ASIDE, GameResult
from server.contest.hosts import arena_host
from server.contest.store.store import Store
from tests.server.commands.match.made import setup
from tests.server.contest.runtime.bots import DICE

SETTING = setup().setting

PLAYS: dict[str, tuple[str, ...]] = {name: (sys.executable, str(DICE)) for name in ("ann", "bob")}


def hold_match(made: MatchSetup, results: Path | None = None) -> MatchProgress:
    return trio.run(hold, made, results, None, "", Console(file=io.StringIO()))[0]


def begin(results: Path, made: MatchSetup, *games: GameResult) -> None:
    """Make the ledger of a match, with the games that are over."""
    store = Store(results)
    now = datetime.now(UTC)
    contest = store.open_contest(msgspec.json.encode(made.setting).decode(), made.definition, now)
    for game in games:
        store.finish(contest, game)
    store.close()


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (
            replace(SETTING, budget=7),
            snapshot(
                "Rejected: --results results.sqlite3: this file holds another match (different: budget); name another file, or ask for the same"
            ),
        ),
        (
            replace(SETTING, variants=("4 4 4",)),
            snapshot(
                "Rejected: --results results.sqlite3: this file holds another match (different: variants); name another file, or ask for the same"
            ),
        ),
        (
            replace(SETTING, openings="2 plies, seed 2"),
            snapshot(
                "Rejected: --results results.sqlite3: this file holds another match (different: openings); name another file, or ask for the same"
            ),
        ),
        (
            replace(SETTING, players=SETTING.players[::-1]),
            snapshot(
                "Rejected: --results results.sqlite3: this file holds another match (different: players); name another file, or ask for the same"
            ),
        ),
        (
            replace(SETTING, players=(replace(SETTING.players[0], digest="1" * 64), SETTING.players[1])),
            snapshot(
                "Rejected: --results results.sqlite3: this file holds another match (different: players); name another file, or ask for the same"
            ),
        ),
    ],
)
def test_the_ledger_of_another_match_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: Setting, sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    results = Path("results.sqlite3")
    begin(results, setup())
    with raises(sentence):
        hold_match(setup()._replace(setting=changed, definition=replace(setup().definition, move_limit=7)), results)


def test_a_foreign_file_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    results.write_text('{"type": "match"}\n' * 100)
    with pytest.raises(Rejected, match="is no database"):
        hold_match(setup(), results)
    assert results.read_text() == '{"type": "match"}\n' * 100


def test_two_matches_cannot_write_to_one_ledger(tmp_path: Path) -> None:
    results = tmp_path / "results.sqlite3"
    with opened_alone(results, "", "match"), pytest.raises(Rejected, match="another match"):
        hold_match(setup(), results)


def test_a_match_with_a_game_that_was_set_aside_does_not_go_on(tmp_path: Path) -> None:
    results, made = tmp_path / "results.sqlite3", setup()
    begin(results, made, GameResult(made.fixtures[0], None, None, SET_ASIDE, "a bug"))
    with raises(snapshot("Rejected: game 1 cannot be played: a bug")):
        hold_match(made, results)


@pytest.mark.slow
def test_a_fault_of_the_machine_that_lasts_ends_the_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "GIVE_UP_SECONDS", 0.0)
    with pytest.raises(Rejected) as refused:
        hold_match(setup(commands=PLAYS, folder=str(tmp_path / "gone")))
    assert refused.value.status == 1


BY_SOCKET_WITHOUT_TOKEN = """
import os, socket

stream = socket.create_connection((os.environ["ARENA_HOST"], int(os.environ["ARENA_PORT"]))).makefile("rw")
print(f"LOGIN {os.environ['ARENA_NAME']}", file=stream, flush=True)
while stream.readline():
    pass
"""


@pytest.mark.slow
def test_a_program_that_cannot_log_in_is_told_why_soon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena_host, "REFUSED_SECONDS", 0)
    (tmp_path / "ann.py").write_text(BY_SOCKET_WITHOUT_TOKEN)
    commands = PLAYS | {"ann": (sys.executable, "ann.py", "{port}")}
    with pytest.raises(Rejected, match="ARENA_TOKEN") as refused:
        hold_match(setup(commands=commands, games=2, folder=str(tmp_path)))
    assert "after 60 seconds" not in str(refused.value)


@pytest.mark.slow
def test_a_player_that_has_not_started_yet_ends_the_match_and_one_that_has_loses_the_game(tmp_path: Path) -> None:
    starts = '[ -e works ] || { echo no tables >&2; exit 1; }; [ -e broken ] && exit 1; touch $0; exec "$@"'
    commands = PLAYS | {"bob": ("/bin/sh", "-c", starts, "broken", *PLAYS["bob"])}
    made, results = setup(commands=commands, games=2, folder=str(tmp_path)), tmp_path / "results.sqlite3"
    with pytest.raises(Rejected, match=r"\n  \| no tables$"):
        hold_match(made, results)
    (tmp_path / "works").touch()
    games = hold_match(made, results).tally.games
    assert [game.causes[game.players.index("bob")] for game in games[1:]] == ["crashed"] and games[0].plies
