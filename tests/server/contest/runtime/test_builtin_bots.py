"""Bots that the server starts itself: one of a kind always waits, and who cannot be started is named."""

import errno
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import trio

from engine.wire import messages as m
from server.config.builtin_bot import BuiltinBot
from server.config.settings import Settings
from server.contest.programs import builtin_bots
from server.ops import descendants
from server.ops.supervisor import pause_seconds
from tests.server.harness import ArenaHarness, open_arena, until
from tests.waiting import WAIT_SECONDS

SETTINGS = Settings(builtin_bots=(BuiltinBot("alfabeta"),))


async def bot_is_met(arena: ArenaHarness, nursery: trio.Nursery) -> None:
    """Keep the bots of the server, and let a newcomer meet one."""
    nursery.start_soon(builtin_bots.keep_builtin_bots, arena.arena, SETTINGS)
    newcomer = await arena.connect("newcomer")
    with trio.fail_after(WAIT_SECONDS):
        match = await newcomer.ask(m.Seek("gipf", m.Text("opponent=alfabeta")), m.Match)
    assert match.opponent == "alfabeta"
    nursery.cancel_scope.cancel()


@pytest.mark.parametrize("starts", [True, False], ids=["ends", "cannot-start"])
async def test_a_bot_is_started_again_however_it_ends_and_whatever_the_machine_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, starts: bool
) -> None:
    """As after a match that the server could not begin, for lack of room on its disk."""
    monkeypatch.setattr(builtin_bots, "pause_seconds", lambda _failures: 0.0)
    monkeypatch.setattr(builtin_bots, "CHECK_SECONDS", 0.001)
    began = 0

    async with open_arena(tmp_path) as arena, trio.open_nursery() as nursery:

        async def run_process(*_words: object, **_options: object) -> Any:
            nonlocal began
            began += 1
            fails = began <= 10
            if fails and not starts:
                raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
            client = await arena.connect("alfabeta", arena.arena.builtin_tokens["alfabeta"])
            if fails:
                await trio.sleep(0.01)
                await client.stream.aclose()
                await until(lambda: "alfabeta" not in arena.arena.sessions)
                return subprocess.CompletedProcess((), 1, b"", b"")
            await client.say(m.Seek("gipf"))
            return await trio.sleep_forever()

        monkeypatch.setattr(trio, "run_process", run_process)
        await bot_is_met(arena, nursery)


def test_pauses_grow_to_their_bound_however_often_something_fails() -> None:
    seconds = [pause_seconds(failures, 0.5, 60.0) for failures in (1, 2, 3, 8, 9, 10_000)]
    assert seconds == [0.5, 1.0, 2.0, 60.0, 60.0, 60.0]


async def test_a_builtin_bot_has_the_marker_by_which_the_guard_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = descendants.home_of(tmp_path)
    check = f'case "${descendants.VARIABLE}" in {home}.{descendants.INSTANCE}.*) exit 7;; esac'
    monkeypatch.setattr(builtin_bots, "builtin_bot_command", lambda bot: ("sh", "-c", check))
    async with open_arena(tmp_path) as harness:
        harness.arena.builtin_tokens["alfabeta"] = "token"
        assert await builtin_bots._run_bot(harness.arena, BuiltinBot("alfabeta"), "alfabeta") == 7
