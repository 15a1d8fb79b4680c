"""Results that the database stores permanently."""

import sys
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import trio
from structlog.testing import capture_logs

from server.contest.fixtures import SET_ASIDE, Fixture, GameResult, counted_games
from server.contest.formats.meetings import RoundRobin
from server.contest.hosts import arena_host
from server.contest.hosts.host import MAX_FAILURES
from server.contest.programs.program import Program, run
from server.contest.runtime import ledger, runner
from server.contest.runtime.ledger import Ledger, sync_result
from server.contest.store.store import FILE, Store
from server.storage.record_store import RecordStore
from tests.server.contest.played import contest
from tests.server.contest.runtime.bots import DICE, running_contest, wait_until_over
from tests.server.harness import until

DATE = datetime(2026, 11, 22, tzinfo=UTC)
GAME = GameResult(Fixture(0, 1, 0, 0, 0, ("a1", "a2")), 3, 0, "line")


def test_results_are_synced_before_they_stand(tmp_path: Path) -> None:
    """Contests and results are synced with all earlier writes (PRAGMA synchronous: 2 is FULL). Pairings are not."""
    with closing(Store(tmp_path / FILE)) as store:
        modes: list[tuple[str, int]] = []

        def look(statement: str) -> None:
            if statement.startswith(("INSERT", "UPDATE")):
                modes.append((statement.split()[2], mode()))

        def mode() -> int:
            store._connection.set_trace_callback(None)
            found = int(store._connection.execute("PRAGMA synchronous").fetchone()[0])
            store._connection.set_trace_callback(look)
            return found

        store._connection.set_trace_callback(look)
        store.open_contest("", contest(2, RoundRobin()), DATE)
        store.begin(1, GAME.fixture, 3)
        store.finish(1, GAME, "0a" * 32)
        store._connection.set_trace_callback(None)
        assert dict(modes) == {"contests": 2, "pairings": 1, "games": 2}
        assert store.records(1) == {3: "0a" * 32}
        store.sync()


class _Seats:
    """Reads and writes the store at once, as the host of a server does in a thread."""

    async def stored(self, work: Callable[..., Any], *arguments: Any) -> Any:
        return work(*arguments)


async def test_a_game_that_fails_again_and_again_is_set_aside_also_by_the_next_server(tmp_path: Path) -> None:
    with closing(Store(tmp_path / FILE)) as store:
        store.open_contest("", contest(2, RoundRobin()), DATE)
        seats: Any = _Seats()
        record_store: Any = None  # no record stands behind a game that was not played
        for failures in range(1, MAX_FAILURES + 1):
            if failures in (1, 3):  # the third time it is another server
                account = Ledger(1, store, record_store, seats)
            assert account.games == [] and account.failures.get(GAME.fixture, 0) == failures - 1
            await account.count_failure(GAME.fixture)
            assert store.failures(1) == {GAME.fixture: failures}
        (aside,) = account.games
        assert (aside.fixture, aside.winner, aside.termination) == (GAME.fixture, None, SET_ASIDE)
        assert store.games(1) == account.games


PROGRAMS = """
name = "Dice"
sandbox = "none"
cores = 2
time = { budget = 60_000 }
games = [{ game = "mnk", params = "3 3 3" }]
stages = [{ format = "round-robin", pairs = 2 }]
""" + "".join(
    f"[[entrants]]\nname = '{name}'\ncommand = ['{sys.executable}', '-S', '{DICE}']\n" for name in ("one", "two")
)


class _Slow:
    """Keeps results only when it is let go, and runs programs meanwhile; counts both."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.free, self.waiting, self.running, self.most = Event(), 0, 0, 0
        self.fails = False
        monkeypatch.setattr(ledger, "sync_result", self._sync_when_let_go)
        monkeypatch.setattr(arena_host, "run", self._run)

    def _sync_when_let_go(self, record_store: RecordStore, game: GameResult) -> tuple[GameResult, str]:
        self.waiting += 1
        self.free.wait()
        return sync_result(record_store, game)

    async def _run(self, *arguments: Any, task_status: trio.TaskStatus[Program]) -> None:
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await run(*arguments, task_status=task_status)
        finally:
            self.running -= 1
            if self.fails:
                self.fails = False
                raise RuntimeError("something fails when a program has ended")


@pytest.mark.slow
async def test_other_games_begin_while_results_are_on_their_way_to_the_disk_up_to_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "MAX_LEFT", 3)
    slow = _Slow(monkeypatch)
    async with running_contest(tmp_path, PROGRAMS) as (_house, store, contest):
        await until(lambda: slow.waiting >= 3 and not slow.running)
        assert store.games(contest) == [], "a result that is not on the disk is in no table"
        assert len(store.begun(contest)) == 3
        await trio.sleep(0.1)
        assert (slow.waiting, slow.running, slow.most) == (3, 0, 2), "no more than two programs have ever run at a time"
        slow.free.set()
        games = await wait_until_over(store, contest)
    assert len(games) == len(counted_games(games)) == 4, "no game is played twice"
    assert all(one is not None and two is not None for one, two in (game.programs for game in games))


@pytest.mark.slow
async def test_what_fails_when_programs_end_costs_no_result_that_is_on_its_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "pause_seconds", lambda _: 0.05)
    slow = _Slow(monkeypatch)
    slow.fails = True
    with capture_logs() as logs:
        async with running_contest(tmp_path, PROGRAMS.replace(", pairs = 2", "")) as (_house, store, contest):
            await until(lambda: slow.waiting and not slow.running and not slow.fails)
            slow.free.set()
            games = await wait_until_over(store, contest)
    assert "contest_game_failed" in {line["event"] for line in logs}
    assert len(games) == len(counted_games(games)) == 2, "the first game has its result, and is not played again"
