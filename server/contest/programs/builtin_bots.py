"""Keeps the server's own bots waiting in the lobby, so that a newcomer finds an opponent at once."""

import os
import secrets
import subprocess
from collections.abc import Sequence

import trio

from engine.wire.seat import Seat, environment_variables, fill_command
from server.arena.arena import Arena
from server.config.builtin_bot import BuiltinBot, builtin_bot_command
from server.config.process_settings import with_low_priority
from server.config.settings import Settings
from server.contest.programs.sandbox.cores import NICENESS
from server.ops import descendants
from server.ops.faults import machine_fault
from server.ops.logs import log
from server.ops.supervisor import pause_seconds

MAX_OF_A_KIND = 4
"""Bots of one kind that run at a time. Each one takes a processor core while it searches."""

CHECK_SECONDS = 0.1
"""Time between two checks that a bot of a kind waits for an opponent."""


async def keep_builtin_bots(arena: Arena, settings: Settings) -> None:
    """Keep a bot of each kind waiting for an opponent, until cancelled; then end all bots."""
    async with trio.open_nursery() as nursery:
        for bot in settings.builtin_bots:
            names = [bot.name, *(f"{bot.name}.{number}" for number in range(2, MAX_OF_A_KIND + 1))]
            for name in names:
                arena.builtin_tokens[name] = secrets.token_hex(16)
                arena.builtin_kinds[name] = bot.name
            nursery.start_soon(_keep_kind, arena, bot, names)


async def _keep_kind(arena: Arena, bot: BuiltinBot, names: Sequence[str]) -> None:
    """Start a bot of a kind whenever none of them waits, until cancelled."""
    running: set[str] = set()
    failures = 0

    async def run_bot(name: str) -> None:
        nonlocal failures
        status = 1
        try:
            status = await _run_bot(arena, bot, name)
        except (OSError, RuntimeError, MemoryError) as error:
            log.warning("builtin_bot_start_failed", bot=name, reason=machine_fault(error) or str(error))
        finally:
            running.discard(name)
        failures = failures + 1 if status else 0
        if status:
            for match in list(arena.matches.values()):  # nobody resumes it
                if name in match.names:
                    arena.end_crashed(match.number, match.names.index(name), f"it ended with status {status}")
            log.warning("builtin_bot_failed", bot=name, status=status, times=failures)

    async with trio.open_nursery() as nursery:
        while True:
            playing = {name for match in arena.matches.values() for name in match.names}
            free = [name for name in names if name not in running | playing]
            if free and running <= playing:
                if failures:
                    await trio.sleep(pause_seconds(failures))
                running.add(free[0])
                nursery.start_soon(run_bot, free[0])
            await trio.sleep(CHECK_SECONDS)


async def _run_bot(arena: Arena, bot: BuiltinBot, name: str) -> int:
    """Run a bot for one match, and return its exit status; raises OSError if it cannot be started."""
    seat = Seat(*arena.own_address, name, bot.game, arena.builtin_tokens[name], games="1")
    command = with_low_priority(NICENESS, *fill_command((*builtin_bot_command(bot), "--quiet"), seat))
    marker = descendants.marker(descendants.home_of(arena.settings.data))
    ended = await trio.run_process(
        command,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env={**os.environ, **environment_variables(seat), descendants.VARIABLE: marker},
        start_new_session=True,  # Ctrl-C goes to the server, which ends its bots
    )
    return ended.returncode
