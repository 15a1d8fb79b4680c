"""A match in its private arena on a scripted host: its ledger, and when it cannot be played."""

import io
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
from msgspec.structs import replace
from rich.console import Console

from engine.commands.program import Rejected
from engine.games.interface import Termination
from server.commands.match import run
from server.commands.match.results import Progress
from server.commands.match.run import hold
from server.commands.match.setup import MatchSetup, Setting
from server.contest.fixtures import ENDED_AT_START, GameResult
from server.contest.hosts.arena_host import ArenaHost
from server.contest.hosts.host import GameTask, HostedGame, NotPlayed, PlayerMissing
from server.contest.store.folders import errors_of
from tests.server.commands.match.made import setup
from tests.server.league.ladder.test_planner import FakeHost

SETTING = setup().setting


class ScriptedHost(FakeHost):
    """A host whose games end as a test says, and whose programs write to stderr."""

    recorded = False

    def __init__(self, data: Path, ends: Callable[[GameTask], GameResult]) -> None:
        async def play(task: GameTask) -> GameResult:
            await trio.lowlevel.checkpoint()
            return ends(task)

        super().__init__(1, play)
        self._data = data

    @asynccontextmanager
    async def play(self, task: GameTask) -> AsyncIterator[HostedGame | None]:
        log = errors_of(self._data, task.contest, task.number, "bob")
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text("Traceback\nImportError: no module named tables\n")
        async with super().play(task) as game:
            yield game


def won(task: GameTask) -> GameResult:
    return GameResult(task.fixture, None, 0, "three_in_a_row", "", 5)


Hold = Callable[..., "tuple[Progress, ScriptedHost, str]"]


@pytest.fixture
def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hold:
    """Return a function that holds a match on a scripted host: its end or why not, the host, what it has said."""

    def hold_match(
        made: MatchSetup, ends: Callable[[GameTask], GameResult] = won, results: Path | None = None, look: float = 20.0
    ) -> tuple[Progress, ScriptedHost, str]:
        hosts: list[ScriptedHost] = []

        def play(host: Any, task: GameTask) -> Any:
            hosts[:] = hosts or [ScriptedHost(host._arena.settings.data, ends)]
            return hosts[0].play(task)

        monkeypatch.setattr(ArenaHost, "play", play)
        monkeypatch.setattr(run, "LOOK_SECONDS", look)
        said = io.StringIO()
        end, _ = trio.run(
            hold, made, results, None, "", Console(file=said, width=200),
            clock=trio.testing.MockClock(autojump_threshold=0.05),
        )  # fmt: skip
        return end, hosts[0] if hosts else ScriptedHost(tmp_path, ends), said.getvalue()

    return hold_match


def counted(end: Progress) -> list[int]:
    return [game.number for game in end.tally.games]


def test_a_match_goes_on_where_its_ledger_ends(tmp_path: Path, held: Hold) -> None:
    results = tmp_path / "results.sqlite3"
    end, host, said = held(setup(games=4), results=results)
    assert counted(end) == [1, 2, 3, 4] and len(host.tasks) == 4
    end, host, said = held(setup(games=8), results=results)
    assert counted(end) == list(range(1, 9)), "more games may be asked for"
    assert [task.fixture for task in host.tasks] == list(setup(games=8).fixtures[4:])
    assert "\ngoing on after 4 games\n" in said
    end, host, said = held(setup(games=8), results=results)
    assert counted(end) == list(range(1, 9)) and host.tasks == []


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (replace(SETTING, budget=7), "(different: budget)"),
        (replace(SETTING, variants=("4 4 4",)), "(different: variants)"),
        (replace(SETTING, openings="2 plies, seed 2"), "(different: openings)"),
        (replace(SETTING, players=SETTING.players[::-1]), "(different: players)"),
        (
            replace(SETTING, players=(replace(SETTING.players[0], digest="1" * 64), SETTING.players[1])),
            "(different: players)",
        ),
    ],
)
def test_the_ledger_of_another_match_is_refused(tmp_path: Path, held: Hold, changed: Setting, sentence: str) -> None:
    results = tmp_path / "results.sqlite3"
    held(setup(games=2), results=results)
    with pytest.raises(Rejected) as caught:
        held(setup(games=2)._replace(setting=changed), results=results)
    assert sentence in str(caught.value) and "this file holds another match" in str(caught.value)
    assert counted(held(setup(games=2), results=results)[0]) == [1, 2]


def test_a_foreign_file_is_refused_and_left_as_it_is(tmp_path: Path, held: Hold) -> None:
    results = tmp_path / "results.jsonl"
    results.write_text('{"type": "match"}\n' * 100)
    with pytest.raises(Rejected, match=f"--results {results}: this is no file of a match: .* is no database"):
        held(setup(games=2), results=results)
    assert results.read_text() == '{"type": "match"}\n' * 100


def test_two_matches_cannot_write_to_one_ledger(tmp_path: Path, held: Hold) -> None:
    results = tmp_path / "results.sqlite3"
    with run._opened_ledger(results, setup()), pytest.raises(Rejected, match="another match is writing to it"):
        held(setup(games=2), results=results)


@pytest.mark.slow
def test_a_fault_of_the_machine_costs_nobody_the_game(held: Hold) -> None:
    faults = iter([NotPlayed("a worker was lost"), PlayerMissing("no process can be started", (), fault=True)])

    def ends(task: GameTask) -> GameResult:
        for fault in faults:
            raise fault
        return won(task)

    end, host, said = held(setup(games=2), ends, look=0.5)
    assert counted(end) == [1, 2] and len(host.tasks) == 4
    assert "the match waits: a game cannot be played: a worker was lost" in said


@pytest.mark.slow
def test_a_fault_of_the_machine_that_lasts_ends_the_match(held: Hold, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "GIVE_UP_SECONDS", 2.0)

    def ends(task: GameTask) -> GameResult:
        raise NotPlayed("no worker is left")

    with pytest.raises(Rejected, match=r"^a game cannot be played: no worker is left$") as refused:
        held(setup(games=2), ends, look=0.5)
    assert refused.value.status == 1


@pytest.mark.slow
def test_a_game_that_is_annulled_again_and_again_ends_the_match(tmp_path: Path, held: Hold) -> None:
    def ends(task: GameTask) -> GameResult:
        return GameResult(task.fixture, task.number, None, Termination.SERVER_FAULT, "a bug")

    results = tmp_path / "results.sqlite3"
    for end_of_game in (ends, won):  # it counts for nothing when the match goes on
        with pytest.raises(Rejected, match=r"^game 1 cannot be played: "):
            held(setup(games=2), end_of_game, results)


def test_a_player_that_never_starts_ends_the_match_and_is_heard(tmp_path: Path, held: Hold) -> None:
    def ends(task: GameTask) -> GameResult:
        raise PlayerMissing("bob did not come to the game", ("bob",), termination=ENDED_AT_START)

    results = tmp_path / "results.sqlite3"
    with pytest.raises(Rejected) as refused:
        held(setup(games=2), ends, results)
    wrote = "  | Traceback\n  | ImportError: no module named tables"
    assert str(refused.value) == f"bob did not come to the game\n{wrote}"
    end, host, _ = held(setup(games=2), results=results)
    assert counted(end) == [1, 2] and len(host.tasks) == 2, "the game that was lost without a start is played"


def test_a_player_that_has_played_before_loses_a_game_that_it_does_not_come_to(held: Hold) -> None:
    def ends(task: GameTask) -> GameResult:
        if task.fixture == setup(games=4).fixtures[1]:
            raise PlayerMissing("bob did not come to the game", ("bob",), termination=ENDED_AT_START)
        return won(task)

    end, _, _ = held(setup(games=4), ends)
    assert counted(end) == [1, 2, 3, 4]
    lost = end.tally.games[1]
    assert (lost.players, lost.points, lost.causes) == (("bob", "ann"), (0.0, 1.0), ("crashed", ""))
    assert lost.sentence == "bob did not come to the game"
