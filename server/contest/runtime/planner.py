"""Planners of contests: a planner decides which games are due, from the rows of the ledger and the players present."""

from collections.abc import Collection
from datetime import UTC, datetime

import trio

from server.contest.fixtures import Fixture
from server.contest.hosts.contest_players import ContestPlayers
from server.contest.plan import Plan, PlanCache, Present, make_plan
from server.contest.runtime.ledger import Ledger
from server.contest.scoring import is_harmless
from server.ops.logs import log


class Planner:
    """Base class of planners."""

    def last_plan(self) -> Plan | None:
        """Return the last plan without games that have begun since, if no new plan is needed."""
        return None

    async def plan(self, playing: Collection[Fixture], free: Collection[str]) -> Plan:
        """Return the plan; ``playing`` are the running games, and ``free`` the entrants that could begin one."""
        raise NotImplementedError

    def begun(self, fixtures: Collection[Fixture]) -> None:
        """Note that due games begin."""


class ContestPlanner(Planner):
    """The planner of a contest whose plan follows from its definition and all of its results."""

    def __init__(self, ledger: Ledger, contest_players: ContestPlayers) -> None:
        """Take the ledger, and the players, of which disqualified ones are sent away."""
        self._ledger = ledger
        self._contest_players = contest_players
        self._cache = PlanCache()
        self._planned = 0
        """The number of results that are in the plan of the cache."""
        self._out: set[str] = set()
        """Entrants that are disqualified or withdrawn."""

    def last_plan(self) -> Plan | None:
        """Return the plan from the cache, unless a result since may change which games are due."""
        results = self._ledger.games[self._planned :]
        self._planned += len(results)
        if not all(map(is_harmless, results)):
            self._cache.drop()
        return self._cache.standing(trio.current_time())

    async def plan(self, playing: Collection[Fixture], free: Collection[str]) -> Plan:
        """Return the plan, made in a thread."""
        now, definition, games = datetime.now(UTC), self._ledger.definition, self._ledger.games
        free = [name for name in free if not any(name in fixture.players for fixture in playing)]
        seconds = {stage: (now - began).total_seconds() for stage, began in self._ledger.began.items()}
        present, self._planned = Present(frozenset(playing), tuple(free), seconds), len(games)
        found, outs = await trio.to_thread.run_sync(make_plan, definition, tuple(games), present)
        self._cache.keep(found, definition, trio.current_time())
        for name, out in outs.items():
            if name not in self._out:
                log.warning("entrant_disqualified", contest=definition.name, name=name, reason=out.reason)
            self._contest_players.disqualify(definition, name, out.reason)
        self._out = set(outs)
        for stage in found.stages:
            await self._ledger.stage_began(stage.number, now)
        return found

    def begun(self, fixtures: Collection[Fixture]) -> None:
        """Remove games that begin from the cache."""
        self._cache.begun(fixtures)
