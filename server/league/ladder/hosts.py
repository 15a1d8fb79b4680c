"""Where games of the ladder are played: on cores of this machine that no contest wants, and by workers of a cluster."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

import trio

from server.arena.arena import Arena
from server.contest.fixtures import Finished
from server.contest.hosts.arena_host import ArenaHost
from server.contest.hosts.core_queue import CoreQueue
from server.contest.hosts.dask_cluster import Cluster, ClusterGame
from server.contest.hosts.host import GameTask, HostedGame, NotPlayed, PlayerMissing
from server.contest.hosts.seating import GameSeating
from server.contest.hosts.worker_job import PROGRAMS
from server.match.match import Match

LADDER = 0
"""Its number among the contests, which count from 1."""

LOOK_SECONDS = 1.0
"""How often to look whether a cluster has workers."""

LOST_SECONDS = 5.0
"""A cluster without a worker for so long gives its games back."""


AWAY_SECONDS = 20
"""A bot on its author's machine that has no connection for so long during a game has lost it."""


class WorkersLeft(NotPlayed):
    """The last worker has left the cluster, and with it the game: nothing is wrong with anything."""


class LadderHost(Protocol):
    """A place where games are played, with room for some of them."""

    @property
    def seats_connected(self) -> bool:
        """Whether bots that connect by themselves can play there."""

    def free(self) -> int:
        """Return how many games can begin now."""

    def take(self) -> None:
        """Take the room for a game that is about to begin."""

    def give_back(self) -> None:
        """Give back the room of a game that is over."""

    def play(self, task: GameTask) -> AbstractAsyncContextManager[HostedGame | None]:
        """Play a game; as `server.contest.hosts.host.Host.play`."""


class CoresOfThisMachine:
    """Plays on the cores that no contest uses, or waits for."""

    seats_connected = True

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


class WorkersOfCluster:
    """Plays on whatever workers a cluster has at the moment."""

    seats_connected = False

    def __init__(self, arena: Arena, cluster: Cluster) -> None:
        """Take a cluster that runs, and the arena that keeps the records."""
        self._arena = arena
        self._cluster = cluster
        self._games = 0

    def free(self) -> int:
        """Return how many games can begin now."""
        return max(0, self._cluster.games - self._games)

    def take(self) -> None:
        """Take the room for a game."""
        self._games += 1

    def give_back(self) -> None:
        """Give back the room of a game."""
        self._games -= 1

    @asynccontextmanager
    async def play(self, task: GameTask) -> AsyncIterator[HostedGame | None]:
        """Let a worker play a game; it is given back where all workers have left."""
        yield _GameOfWorkers(self._arena, self._cluster, task)


class _GameOfWorkers(ClusterGame):
    """A game of a cluster that is not waited for without workers."""

    async def result(self) -> Finished:
        found: Finished | None = None
        failure: PlayerMissing | NotPlayed | None = None
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._notice_empty_cluster, nursery.cancel_scope)
            try:
                found = await super().result()
            except (PlayerMissing, NotPlayed) as error:
                failure = error
            nursery.cancel_scope.cancel()
        if failure is not None:
            raise failure
        if found is None:
            raise WorkersLeft("the last worker has left the cluster")
        return found

    async def _notice_empty_cluster(self, scope: trio.CancelScope) -> None:
        since = trio.current_time()
        while trio.current_time() - since < LOST_SECONDS:
            await trio.sleep(LOOK_SECONDS)
            if self._cluster.games:
                since = trio.current_time()
        scope.cancel()
