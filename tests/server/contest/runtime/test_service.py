"""The contest service beyond games: reports on a failing disk, verification of finished contests."""

import errno
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import msgspec
import pytest
import trio
from structlog.testing import capture_logs

from engine.wire import messages as m
from server.contest.fixtures import Intervention, Kind
from server.contest.report import files
from server.contest.report.structure import Verdict
from server.contest.runtime import ledger, service
from server.contest.runtime.organiser_commands import intervene
from server.contest.store.store import FILE
from server.contest.store.verifier import verify
from server.ops import supervisor
from server.storage import database
from server.web.views.contests import ReportIndex
from tests.server.contest.runtime.bots import play_by_seed, running_contest, wait_until_over
from tests.server.harness import ArenaHarness, until

SMALL = """
name = "Small"
time = { budget = 60_000 }
entrants = [{ name = "ann" }, { name = "Bob" }]
games = [{ game = "mnk", params = "3 3 3", openings = { plies = 1, number = 2 } }]
stages = [{ format = "round-robin" }]
"""


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("REPORT_SECONDS", "VERIFY_SECONDS", "POLL_SECONDS"):
        monkeypatch.setattr(service, name, 0.02)
    monkeypatch.setattr(supervisor, "pause_seconds", lambda _: 0.02)


def report(folder: Path) -> dict[str, Any]:
    """Return the report as it is now; empty where there is none."""
    path = folder / "contests" / "1" / "report.json"
    return msgspec.json.decode(path.read_bytes()) if path.exists() else {}


@pytest.mark.slow
async def test_a_disk_that_takes_no_report_costs_no_game_and_is_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[object] = []

    def full(**options: object) -> None:
        tries.append(options)
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with capture_logs() as logs:
        async with running_contest(tmp_path, SMALL, "ann", "bob") as (_, store, contest):
            with monkeypatch.context() as patch:
                patch.setattr(files, "TemporaryDirectory", full)
                games = await wait_until_over(store, contest)
                count = len(tries)
                await until(lambda: len(tries) > count + 3)
                assert report(tmp_path) == {}
            await until(lambda: report(tmp_path).get("state") == "over")
    assert len(games) == 2 and all(game.played for game in games)
    told = [line for line in logs if line["event"] == "service_failed"]
    assert told[0]["service"] == "report 1" and told[0]["reason"] and "exc_info" not in told[0]


@pytest.mark.slow
async def test_the_state_on_pages_follows_at_once_though_the_disk_takes_no_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "REPORT_SECONDS", 3600.0)
    index = ReportIndex(tmp_path)

    def full(**_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    async with running_contest(tmp_path, SMALL) as (_, store, contest):
        await until(lambda: [entry.state for entry in index._entries()] == ["waiting"])
        with monkeypatch.context() as patch:
            patch.setattr(files, "TemporaryDirectory", full)
            intervene(store, contest, Intervention(0, datetime.now(UTC), Kind.PAUSE))
            await until(lambda: [entry.state for entry in index._entries()] == ["paused"])
            assert report(tmp_path)["state"] == "waiting"
        intervene(store, contest, Intervention(0, datetime.now(UTC), Kind.RESUME))
        await until(lambda: report(tmp_path)["interventions"] and index._entries()[0].state == "waiting")


@pytest.mark.slow
async def test_a_contest_that_is_over_is_verified_by_itself_and_the_report_says_what_was_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "verify", lambda data, contest, told, _: verify(data, contest, told, 0))
    async with running_contest(tmp_path, SMALL, "ann", "bob") as (_, store, contest):
        await wait_until_over(store, contest)
        await until(lambda: any(note.startswith("verified: 2 games") for note in report(tmp_path).get("notes", ())))


@pytest.mark.slow
async def test_a_contest_whose_server_died_after_the_last_game_is_reported_and_verified_by_the_next_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "verify", lambda data, contest, told, _: verify(data, contest, told, 0))
    with monkeypatch.context() as patch:
        patch.setattr(service, "write_report", Mock(side_effect=OSError(errno.EIO, os.strerror(errno.EIO))))
        async with running_contest(tmp_path, SMALL, "ann", "bob") as (_, store, contest):
            await wait_until_over(store, contest)
    assert report(tmp_path) == {}
    async with running_contest(tmp_path) as (_, store, contest):
        await until(lambda: any(note.startswith("verified: 2 games") for note in report(tmp_path).get("notes", ())))
        assert report(tmp_path)["state"] == "over" and len(store.games(contest)) == 2


@pytest.mark.slow
async def test_what_the_verification_finds_is_an_error_in_the_log_and_stands_in_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Verdict(2, 0, ("match 1: its record is missing",))
    monkeypatch.setattr(service, "verify", lambda *_: found)
    with capture_logs() as logs:
        async with running_contest(tmp_path, SMALL, "ann", "bob") as (_, store, contest):
            await wait_until_over(store, contest)
            await until(lambda: found.differences[0] in report(tmp_path).get("notes", ()))
    assert [line["log_level"] for line in logs if line["event"] == "contest_verified"] == ["error"]


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


@pytest.mark.slow
async def test_a_database_that_is_locked_holds_up_contests_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.5)
    monkeypatch.setattr(ledger, "pause_seconds", lambda _: 0.1)
    data = tmp_path / "data"
    with capture_logs() as logs:
        async with running_contest(data, LOCKED) as (harness, store, contest), trio.open_nursery() as bots:
            command = [sys.executable, "-c", HOLD, str(data / FILE)]
            with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
                assert other.stdin is not None and other.stdout is not None
                assert await trio.to_thread.run_sync(other.stdout.readline) == "held\n"
                bots.start_soon(play_by_seed, harness, "ann")
                bots.start_soon(play_by_seed, harness, "bob")
                await until(lambda: "contest_paused" in {line["event"] for line in logs})
                await answers(harness)
                held = len(store.games(contest))
                other.stdin.close()
                other.wait()
            games = await wait_until_over(store, contest)
            bots.cancel_scope.cancel()
    assert held == 0, "no result is made up while none can be kept"
    assert len(games) == 6 and all(game.played for game in games)
    paused = [line for line in logs if line["event"] == "contest_paused"]
    assert "is locked" in paused[0]["reason"]
