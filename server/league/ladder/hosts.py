"""The host of ladder games: it plays on the cores of this machine that no contest wants."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from server.arena.arena import Arena
from server.contest.hosts.arena_host import ArenaHost
from server.contest.hosts.core_queue import CoreQueue
from server.contest.hosts.host import GameTask, HostedGame
from server.contest.hosts.seating import GameSeating
from server.contest.hosts.worker_job import PROGRAMS
from server.match.match import Match

LADDER = 0
"""Its number among the contests, which count from 1."""

AWAY_SECONDS = 20
"""A bot on its author's machine that has no connection for so long during a game has lost it."""


class LadderHost:
    """Plays games on the cores that no contest uses or waits for."""

    def __init__(self, arena: Arena, seats: GameSeating, most_cores: int) -> None:
        """Take the arena, the seating that contests share, and how many cores the ladder may use; 0 for all."""
        self._host = ArenaHost(arena, seats)
        self._arena = arena
        self._turns = seats.turns
        self._most_cores = most_cores
        self._games = 0

    def free(self) -> int:
        """Return how many games can begin now."""
        return free_games(self._turns, self._most_cores, self._games)

    def take(self) -> None:
        """Take the cores of a game."""
        self._games += 1
        self._turns.take(LADDER, PROGRAMS)

    def give_back(self) -> None:
        """Give back the cores of a game."""
        self._games -= 1
        self._turns.give_back(LADDER, PROGRAMS)

    @asynccontextmanager
    async def play(self, task: GameTask) -> AsyncIterator[HostedGame | None]:
        """Play a game in the arena, where it can be watched."""
        async with self._host.play(task) as game, trio.open_nursery() as nursery:
            if game is not None:
                for side, name in enumerate(task.fixture.players):
                    entrant = task.definition.entrant(name)
                    if entrant is not None and entrant.connects:
                        nursery.start_soon(end_when_away, self._arena, game.match, side)
            yield game
            nursery.cancel_scope.cancel()


async def end_when_away(arena: Arena, match: Match, side: int) -> None:
    """Let a player lose a match as soon as it has had no connection for too long.

    Seconds are counted one by one: one in which the server stood still counts once.
    """
    seconds = 0
    while seconds < AWAY_SECONDS:
        await trio.sleep(1)
        seconds = 0 if match.players[side] is not None else seconds + 1
    arena.end_crashed(match.number, side, f"it had no connection for {AWAY_SECONDS} seconds")


def free_games(turns: CoreQueue, most_cores: int, games: int) -> int:
    """Return how many games of the ladder can begin beside those that it plays. Contests go first."""
    if turns.alone or turns.contested(LADDER):
        return 0
    taken = turns.others(LADDER) + PROGRAMS * games
    if taken == 0:
        return max(1, min(turns.cores, most_cores or turns.cores) // PROGRAMS)
    room = turns.cores - taken
    if most_cores:
        room = min(room, most_cores - PROGRAMS * games)
    return max(0, room // PROGRAMS)
