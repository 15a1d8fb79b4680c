"""Built-in bots: processes that the server starts, so that a newcomer finds an opponent at once."""

import os
import secrets
import subprocess

import structlog
import trio

from engine.wire.seat import Seat, environment_variables, fill_command
from server.arena.arena import Arena
from server.config.builtin_bot import BuiltinBot, builtin_bot_command
from server.config.process_settings import with_low_priority
from server.config.settings import Settings
from server.contest.programs.sandbox.cores import NICENESS
from server.ops import descendants
from server.ops.faults import machine_fault, pause_seconds

log = structlog.get_logger()

MAX_OF_A_KIND = 4
"""Bots of one kind that run at a time. Each one takes a processor core while it searches."""

CHECK_SECONDS = 0.1
"""Time between two checks that a bot of a kind waits for an opponent."""

MAX_FAILURES = 5
"""Starts in a row without a login after which a kind of bots is abandoned."""


async def keep_builtin_bots(arena: Arena, settings: Settings) -> None:
    """Keep a bot of each kind waiting for an opponent, until cancelled; then end all bots.

    A kind whose bots cannot be started is abandoned: that is logged, and other players may use its names.
    """
    async with trio.open_nursery() as nursery:
        for bot in settings.builtin_bots:
            nursery.start_soon(_BotKind(arena, bot).keep)


class _BotKind:
    """The bots of one kind, at most `MAX_OF_A_KIND`: those that play, and one that waits."""

    def __init__(self, arena: Arena, bot: BuiltinBot) -> None:
        """Reserve the names of these bots."""
        self._arena = arena
        self._bot = bot
        self._names = [bot.name, *(f"{bot.name}.{number}" for number in range(2, MAX_OF_A_KIND + 1))]
        for name in self._names:
            arena.builtin_tokens[name.lower()] = secrets.token_hex(16)
            arena.builtin_kinds[name.lower()] = bot.name.lower()
        self._running: set[str] = set()
        """Names of the running bots."""
        self._failures = 0
        """Failed bots since the last one that ended in order."""
        self._failed_starts = 0
        """Failed bots since the last login of one."""

    async def keep(self) -> None:
        """Start a bot whenever none waits, until cancelled or the kind is abandoned."""
        async with trio.open_nursery() as nursery:
            while self._failed_starts < MAX_FAILURES:
                playing = {name.lower() for match in self._arena.matches.values() for name in match.header.players}
                idle = [name for name in self._running if name.lower() not in playing]
                free = [name for name in self._names if name not in self._running and name.lower() not in playing]
                if not idle and free:
                    if self._failures:
                        await trio.sleep(pause_seconds(self._failures))
                    self._running.add(free[0])
                    nursery.start_soon(self._run, free[0])
                await trio.sleep(CHECK_SECONDS)
                if any(name.lower() in self._arena.sessions for name in self._running):
                    self._failed_starts = 0
        for name in self._names:
            del self._arena.builtin_tokens[name.lower()], self._arena.builtin_kinds[name.lower()]
        log.error("builtin_bot_abandoned", bot=self._bot.name, times=self._failed_starts)

    async def _run(self, name: str) -> None:
        """Run one bot, and count its failure, unless the machine lacks what a start needs."""
        status, machine_reason = 1, ""
        try:
            status = await _run_bot(self._arena, self._bot, name)
        except (OSError, RuntimeError, MemoryError) as error:
            machine_reason = machine_fault(error)
            log.warning("builtin_bot_start_failed", bot=name, reason=machine_reason or str(error))
        finally:
            self._running.discard(name)
        if status == 0:
            self._failures = self._failed_starts = 0
            return
        for match in list(self._arena.matches.values()):  # nobody resumes it
            if name.lower() in match.names:
                self._arena.end_crashed(match.number, match.names.index(name.lower()), f"it ended with status {status}")
        self._failures += 1
        if not machine_reason:
            self._failed_starts += 1
        log.warning("builtin_bot_failed", bot=name, status=status, times=self._failures)


async def _run_bot(arena: Arena, bot: BuiltinBot, name: str) -> int:
    """Run a bot for one match, and return its exit status; raises OSError if it cannot be started."""
    seat = Seat(*arena.own_address, name, bot.game, arena.builtin_tokens[name.lower()])
    command = with_low_priority(NICENESS, *fill_command((*builtin_bot_command(bot), "--quiet"), seat))
    marker = descendants.marker(descendants.home_of(arena.settings.data))
    environment = {**os.environ, **environment_variables(seat), descendants.VARIABLE: marker}
    # a session of its own: Ctrl-C goes to the server, which ends its bots
    ended = await trio.run_process(
        command,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,
    )
    return ended.returncode
