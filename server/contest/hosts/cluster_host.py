"""Hosts games on the workers of a cluster, and verifies and keeps their records."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import trio

from server.arena.arena import Arena
from server.contest.fixtures import ABSENT, Finished, Programs
from server.contest.hosts.dask_cluster import Cluster
from server.contest.hosts.host import GameTask, NotPlayed, PlayerMissing
from server.contest.hosts.worker_answers import make_job
from server.contest.scoring.game_result import game_result
from server.contest.store.folders import keep_written
from server.ops.faults import server_fault


class ClusterGame:
    """A game that a worker of the cluster plays."""

    lacked = ""
    programs: Programs = (None, None)

    def __init__(self, arena: Arena, cluster: Cluster, task: GameTask) -> None:
        """Take the arena to whose records that of the game is added."""
        self.recorded = False
        self._arena = arena
        self._cluster = cluster
        self._task = task

    async def result(self) -> Finished:
        """Return the result when the record of the game is saved here; raises `PlayerMissing` and `NotPlayed`."""
        fixture, number = self._task.fixture, self._task.number
        try:
            played = await self._cluster.play(make_job(self._task, self._arena.server))
            keep = partial(keep_written, self._arena.settings.data, self._task.contest, number, played.answer.wrote)
            await trio.to_thread.run_sync(keep)
            if played.state is not None:
                await trio.to_thread.run_sync(self._arena.record_store.import_record, number, played.answer.record)
                self.recorded = True
        except OSError as error:
            raise NotPlayed(server_fault(error) or str(error)) from error
        if played.state is None:
            answer = played.answer
            missing = PlayerMissing(answer.why, answer.names, termination=answer.termination or ABSENT)
            missing.programs = played.programs
            raise missing
        return game_result(fixture, played.state, played.gone)._replace(programs=played.programs)

    def leave_cores(self) -> bool:
        """Return False: a cluster assigns its workers itself."""
        return False

    def cut_off(self) -> None:
        """Return None: a game that is not finished leaves nothing here."""


class ClusterHost:
    """The host that plays games on a cluster, which chooses the workers."""

    def __init__(self, arena: Arena, cluster: Cluster) -> None:
        """Take a running cluster, and the arena that keeps the records."""
        self._arena = arena
        self._cluster = cluster

    @asynccontextmanager
    async def play(self, task: GameTask) -> AsyncIterator[ClusterGame]:
        """Send a game to a worker when its result is asked for; as `Host.play`. The worker ends the programs."""
        yield ClusterGame(self._arena, self._cluster, task)
