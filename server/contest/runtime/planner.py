"""Planners of contests: a planner decides which games are due, from the rows of the ledger and the players present."""

from collections.abc import Collection
from datetime import UTC, datetime

import trio

from server.contest.definition import Definition
from server.contest.fixtures import QUALIFICATION, Fixture, GameResult
from server.contest.hosts.contest_players import ContestPlayers
from server.contest.plan import Plan, Present, plan
from server.contest.runtime.ledger import Ledger
from server.contest.scoring import Disqualification, find_disqualified, is_harmless
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


STANDS_SECONDS = 1.0
"""Longest use of a plan: the organiser may have changed something."""


class PlanCache:
    """The last plan of a contest, without the games that have begun since.

    To plan costs more the more games there were. In a round robin all games are known from the start, and where nobody
    could be disqualified by what was played since, those that have not begun are still due. So a contest is planned
    once a second at most where its games are shorter, and each of its games costs the same.
    """

    def __init__(self) -> None:
        """Begin without a plan."""
        self._plan: Plan | None = None
        self._made = 0.0
        self._due: dict[Fixture, None] = {}

    def keep(self, found: Plan, definition: Definition, now: float) -> None:
        """Keep a plan, unless later results may change the games that are due."""
        number = found.stages[-1].number
        format = None if number == QUALIFICATION else definition.stages[number].format
        changes = format is not None and (format.by_rounds or format.is_open)
        self._plan = None if changes or found.forfeited else found
        self._made, self._due = now, dict.fromkeys(found.due)

    def drop(self) -> None:
        """Drop the plan, which is outdated."""
        self._plan = None

    def begun(self, fixtures: Collection[Fixture]) -> None:
        """Remove games that begin from the due ones."""
        for fixture in fixtures:
            self._due.pop(fixture, None)

    def standing(self, now: float) -> Plan | None:
        """Return the plan without games that have begun since; None if it is outdated."""
        if self._plan is None or not self._due or now - self._made >= STANDS_SECONDS:
            return None
        return self._plan._replace(due=tuple(self._due))


class ContestPlanner(Planner):
    """The planner of a contest whose plan follows from its definition and all of its results."""

    def __init__(self, ledger: Ledger, contest_players: ContestPlayers) -> None:
        """Take the ledger, and the players; disqualified ones are disconnected."""
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
        found, outs = await trio.to_thread.run_sync(_make_plan, definition, tuple(games), present)
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


def _make_plan(
    definition: Definition, games: tuple[GameResult, ...], present: Present
) -> tuple[Plan, dict[str, Disqualification]]:
    """Return the plan, and the disqualified entrants; to be called in a thread, since a long contest takes long."""
    return plan(definition, games, present), find_disqualified(definition, games)
