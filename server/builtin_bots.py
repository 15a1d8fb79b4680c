"""Built-in bots: processes that the server starts, so that a newcomer finds an opponent at once."""

import os
import secrets
import subprocess

import structlog
import trio

from engine.games.catalogue import USUAL_GAME
from server.arena.arena import Arena
from server.config.settings import Settings
from server.contest.programs.command import Seat, builtin_bot_command, filled, variables
from server.net.os_faults import machine_fault
from server.ops.backoff import pause_seconds

log = structlog.get_logger()

MAX_OF_A_KIND = 4
"""Bots of one kind that play at a time. Each takes a processor while it thinks."""

LOOK_SECONDS = 0.1
"""Time between two looks whether a bot of each kind waits."""

FIRST_PAUSE_SECONDS = 1.0
"""Pause before a bot that has failed is started again; it doubles with each further failure."""

MAX_PAUSE_SECONDS = 60.0
"""Longest of these pauses."""

MAX_FAILURES = 5
"""After so many starts in a row that came to no login a kind of bots is given up."""


async def keep_builtin_bots(arena: Arena, settings: Settings) -> None:
    """Keep a bot of each kind waiting for an opponent, until cancelled; then end them all.

    A kind whose bots cannot be started is given up: it is logged, and its names are free for others.
    """
    async with trio.open_nursery() as nursery:
        for kind, game in settings.builtin_bots:
            nursery.start_soon(_BotKind(arena, kind, game).keep)


class _BotKind:
    """The bots of one kind: up to `MAX_OF_A_KIND` that play, and one that waits."""

    def __init__(self, arena: Arena, kind: str, game: str) -> None:
        """Take the names that these bots have."""
        self._arena = arena
        self._kind = kind
        self._game = game
        self._first = kind if game == USUAL_GAME else f"{kind}-{game}"
        self._names = [self._first, *(f"{self._first}-{number}" for number in range(2, MAX_OF_A_KIND + 1))]
        for name in self._names:
            arena.builtin_tokens[name.lower()] = secrets.token_hex(16)
            arena.builtin_kinds[name.lower()] = self._first.lower()
        self._alive: set[str] = set()
        """Names whose bot runs."""
        self._failures = 0
        """Bots that have failed since one has ended in order."""
        self._stillborn = 0
        """Bots that have failed before they were logged in, since one was."""

    async def keep(self) -> None:
        """Start a bot whenever none waits, until cancelled, or until it is of no use."""
        async with trio.open_nursery() as nursery:
            while self._stillborn < MAX_FAILURES:
                playing = {name.lower() for match in self._arena.matches.values() for name in match.header.players}
                idle = [name for name in self._alive if name.lower() not in playing]
                free = [name for name in self._names if name not in self._alive and name.lower() not in playing]
                if not idle and free:
                    if self._failures:
                        await trio.sleep(pause_seconds(self._failures, FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS))
                    self._alive.add(free[0])
                    nursery.start_soon(self._run, free[0])
                await trio.sleep(LOOK_SECONDS)
                if any(name.lower() in self._arena.sessions for name in self._alive):
                    self._stillborn = 0
        for name in self._names:
            del self._arena.builtin_tokens[name.lower()], self._arena.builtin_kinds[name.lower()]
        log.error("builtin_bot_abandoned", bot=self._first, times=self._stillborn)

    async def _run(self, name: str) -> None:
        """Run one bot, and learn from how it ends; what the machine lacks to start it is no fault of the kind."""
        status, lack = 1, ""
        try:
            status = await _run_bot(self._arena, self._kind, self._game, name)
        except (OSError, RuntimeError, MemoryError) as error:
            lack = machine_fault(error)
            log.warning("builtin_bot_start_failed", bot=name, reason=lack or str(error))
        finally:
            self._alive.discard(name)
        if status == 0:
            self._failures = self._stillborn = 0
            return
        self._give_up(name, status)
        self._failures += 1
        if not lack:
            self._stillborn += 1  # until one is seen that has logged in
        log.warning("builtin_bot_failed", bot=name, status=status, times=self._failures)

    def _give_up(self, name: str, status: int) -> None:
        """Let a bot that has failed lose the match that it plays: nobody comes back to it."""
        for match in list(self._arena.matches.values()):
            if name.lower() in match.names:
                self._arena.end_crashed(match.number, match.names.index(name.lower()), f"it ended with status {status}")


async def _run_bot(arena: Arena, kind: str, game: str, name: str) -> int:
    """Run a bot for one match, and return its exit status; raises OSError where it cannot be started."""
    seat = Seat(*arena.own_address, name, game, arena.builtin_tokens[name.lower()])
    command, environment = filled((*builtin_bot_command(kind), "--quiet"), seat), {**os.environ, **variables(seat)}
    quiet = subprocess.DEVNULL
    # Ctrl-C is for the server, which ends its bots
    ended = await trio.run_process(
        command, check=False, stdin=quiet, stdout=quiet, env=environment, start_new_session=True
    )
    return ended.returncode
