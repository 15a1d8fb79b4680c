"""Commands that ask the running server over its socket."""

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from stat import S_IFSOCK, S_IMODE
from unittest.mock import Mock

import pytest
import trio
from inline_snapshot import snapshot
from msgspec import structs

from engine.wire import messages as m
from server.commands import administration
from server.commands.administration import audit
from server.league.accounts import AUDITED, Accounts
from server.league.console.actions import answer_commands
from tests.server.harness import ArenaHarness, open_arena, ready

DATE = datetime(2026, 11, 25, 18, 5, tzinfo=UTC)

NOW = {
    "contests": [
        {"contest": 1, "name": "Autumn\x1b[2J", "status": "paused since 18:05",
         "progress": {"done": 2, "known": 6, "running": 1}},
        {"contest": 2, "name": "Spring", "status": "over: ann has won", "progress": None},
    ],
    "ladder": {"is_paused": True, "running": 1},
    "matches": [{"match": 17, "game": "mnk", "parameters": "3 3 3", "players": ["ann", "bob"], "plies": 4}],
    "players": [{"name": "ann", "doing": "plays", "match": 17}, {"name": "carl", "doing": "rests", "match": None}],
    "playing": 2, "present": 3, "seeking": 0, "guests": 1,
    "machine": {"processors": 8, "load": 1.26, "free_bytes": 7 << 30, "cores": 1, "cores_taken": 1, "processes": 0},
    "uploads": [{"bot": "dora", "number": 3, "state": "building"}],
}  # fmt: skip


@asynccontextmanager
async def answered(folder: Path, accounts: Accounts) -> AsyncIterator[ArenaHarness]:
    """Run an arena that answers commands."""
    async with open_arena(folder) as harness, trio.open_nursery() as nursery:
        await nursery.start(answer_commands, harness.arena, accounts, lambda: NOW)
        yield harness
        nursery.cancel_scope.cancel()


async def command(capsys: pytest.CaptureFixture[str], work: object, *words: object, data: Path) -> str:
    """Return what a command prints; on stderr where it fails."""
    with suppress(SystemExit):
        await trio.to_thread.run_sync(lambda: work(*words, data=data))  # type: ignore[operator]
    said = capsys.readouterr()
    return (said.out or said.err.removeprefix("arena-server: ")).strip()


async def test_links_of_invitations_have_the_port_that_is_served(
    tmp_path: Path, accounts: Accounts, capsys: pytest.CaptureFixture[str]
) -> None:
    def invite(data: Path) -> None:
        administration.invite("ann", data=data)

    async with answered(tmp_path, accounts) as harness:
        assert "ann  http://127.0.0.1:8080/join/" in await command(capsys, invite, data=tmp_path)
        harness.arena.settings = structs.replace(harness.arena.settings, web=("0.0.0.0", 0))
        harness.arena.web_ports = [8123]
        assert "ann  http://127.0.0.1:8123/join/" in await command(capsys, invite, data=tmp_path)
    assert "ann  http://127.0.0.1:8080/join/" in await command(capsys, invite, data=tmp_path)


async def test_a_running_match_is_annulled_once(
    tmp_path: Path, accounts: Accounts, capsys: pytest.CaptureFixture[str]
) -> None:
    async with answered(tmp_path, accounts) as harness:
        ann, bob = await harness.pair()
        await ready(ann, bob)
        annul = administration.annul
        done = await command(capsys, annul, 1, "the wrong  variant", data=tmp_path)
        assert done.splitlines()[-1] == "Match 1 was annulled."
        for client in (ann, bob):
            result = await client.hear(m.Result)
            assert (result.reason, result.sentence.partition(": ")[2]) == ("organiser", "the wrong variant")
        assert "annulled" not in await command(capsys, annul, 1, data=tmp_path)
    assert [(entry.who, entry.what) for entry in accounts.audit(9)] == [("the command line", "annulled match 1")]


async def test_what_goes_on_is_printed_a_line_each(
    tmp_path: Path, accounts: Accounts, capsys: pytest.CaptureFixture[str]
) -> None:
    async with answered(tmp_path, accounts):
        printed = await command(capsys, administration.now, data=tmp_path)
        told = await command(capsys, partial(administration.now, json=True), data=tmp_path)
    assert json.loads(told) == NOW
    assert printed.splitlines() == snapshot(
        [
            "contest 1, Autumn\\x1b[2J: paused since 18:05; 2 of 6 games",
            "contest 2, Spring: over: ann has won; 0 of 0 games",
            "ladder: paused, 1 games running",
            "match 17: ann – bob, m,n,k 3 3 3, 4 moves",
            "ann plays match 17",
            "carl rests",
            "2 matches running, 3 players logged in, 0 of them waiting",
            "1 connection not logged in",
            "1 of 1 cores taken by programs of contests",
            "8 processors, load 1.3, 7 GB free on the disk",
            "version 3 of dora: building",
        ]
    )


async def test_nonsense_and_silence_harm_nobody_nor_does_a_lack_of_threads(
    tmp_path: Path, accounts: Accounts, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with answered(tmp_path, accounts):
        for sent in (b"", b"nonsense\n", b'{"kind": "stop", "by": "x"}\n'):
            async with await trio.open_unix_socket(str(tmp_path / "server.socket")) as stream:
                await stream.send_all(sent)
                await stream.send_eof()
                assert json.loads(await stream.receive_some())["is_refused"]
        async with await trio.open_unix_socket(str(tmp_path / "server.socket")):
            assert "processors" in await command(capsys, administration.now, data=tmp_path)
        monkeypatch.setattr(trio.to_thread, "run_sync", Mock(side_effect=RuntimeError("can't start new thread")))
        async with await trio.open_unix_socket(str(tmp_path / "server.socket")) as stream:
            await stream.send_eof()
            assert await stream.receive_some() == b""


def test_without_a_server_one_sentence_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path, tmp_path / "none", tmp_path / "file"):
        with pytest.raises(SystemExit, match="1"):
            administration.annul(1, data=folder)
        assert capsys.readouterr().err.replace(str(folder), "DATA") == snapshot(
            "arena-server: no server uses DATA now; give the data directory of the one that is running with --data\n"
        )


async def test_a_server_in_a_long_path_answers_its_user_alone_also_after_a_kill(
    tmp_path: Path, accounts: Accounts, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / ("d" * 120) / "data"
    data.mkdir(parents=True)
    os.mknod(data / "server.socket", S_IFSOCK)  # as a server that was killed leaves it
    assert "no server uses" in await command(capsys, administration.now, data=data)
    async with answered(data, accounts):
        assert S_IMODE((data / "server.socket").stat().st_mode) == 0o600
        assert "processors" in await command(capsys, administration.now, data=data)


def test_the_audit_log_is_printed_the_newest_last(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        audit(data=tmp_path)
    assert (
        capsys.readouterr().err.replace(str(tmp_path), "DATA")
        == snapshot(
            "arena-server: DATA has no audit log: there is no league.sqlite3 in it; give the directory of the server with --data\n"
        )
        and [*tmp_path.iterdir()] == []
    )
    with closing(Accounts(tmp_path, lambda: DATE)) as accounts:
        for number in range(25):
            accounts.note("teacher", f"annulled match {number}")
        accounts.note("the command line", "announced: \x1b[2J")
    audit(data=tmp_path)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == AUDITED and lines[-2:] == snapshot(
        [
            "2026-11-25 18:05 UTC, teacher: annulled match 24",
            "2026-11-25 18:05 UTC, the command line: announced: \\x1b[2J",
        ]
    )
