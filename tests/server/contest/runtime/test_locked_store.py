"""Another process holds the database of contests: they wait for it, nobody else does, and nobody loses by it."""

import subprocess
import sys
from pathlib import Path

import pytest
import trio
from structlog.testing import capture_logs
from structlog.typing import EventDict

from engine.wire import messages as m
from server.contest.hosts import arena_host
from server.contest.runtime import ledger
from server.contest.store.store import FILE
from server.storage import database
from tests.server.contest.runtime.bots import play_by_seed, running_contest, wait_until_over
from tests.server.harness import ArenaHarness, until

LOCKED = """
name = "Ann and Bob"
time = { budget = 60_000 }
entrants = [{ name = "ann" }, { name = "bob" }]
games = [{ game = "mnk", params = "3 3 3" }]
stages = [{ format = "round-robin", cycles = 3 }]
"""

HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None)
connection.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.read()
"""
"""Holds the database until its input ends."""


async def answers(harness: ArenaHarness) -> None:
    """Show that others play a match from its beginning to its end."""
    carol, dave = await harness.connect("carol"), await harness.connect("dave")
    await carol.say(m.Seek("mnk", m.Text("opponent=dave")))
    await dave.ask(m.Seek("mnk", m.Text("opponent=carol")), m.Board)
    await dave.say(m.Resign())
    assert (await carol.hear(m.Result)).reason == "resign"


def database_events(logs: list[EventDict]) -> list[str]:
    return [line["event"] for line in logs if line["event"].startswith("contest_database")]


async def test_a_database_that_is_locked_holds_up_contests_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.5)
    monkeypatch.setattr(arena_host, "STORE_SECONDS", 0.1)
    monkeypatch.setattr(ledger, "MAX_PAUSE_SECONDS", 0.1)
    data = tmp_path / "data"
    with capture_logs() as logs:
        async with running_contest(data, LOCKED) as (harness, store, contest), trio.open_nursery() as bots:
            command = [sys.executable, "-c", HOLD, str(data / FILE)]
            with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
                assert other.stdin is not None and other.stdout is not None
                assert await trio.to_thread.run_sync(other.stdout.readline) == "held\n"
                bots.start_soon(play_by_seed, harness, "ann")
                bots.start_soon(play_by_seed, harness, "bob")
                await until(lambda: {"contest_database_stalled", "contest_paused"} <= {line["event"] for line in logs})
                await answers(harness)
                held = len(store.games(contest))
                other.stdin.close()
                other.wait()
            games = await wait_until_over(store, contest)
            bots.cancel_scope.cancel()
            await until(lambda: database_events(logs)[-1] == "contest_database_recovered")
    assert held == 0, "no result is made up while none can be kept"
    assert len(games) == 6 and all(game.played for game in games)
    paused = [line for line in logs if line["event"] == "contest_paused"]
    assert "is locked" in paused[0]["reason"]
