"""Planners of contests: a planner decides which games are due, from the rows of the ledger and the players present."""

from collections.abc import Collection
from datetime import UTC, datetime

import trio

from server.contest.definition import Definition
from server.contest.fixtures import QUALIFICATION, Fixture
from server.contest.hosts.contest_players import ContestPlayers
from server.contest.plan import Plan, Present, plan
from server.contest.runtime.ledger import Ledger
from server.contest.scoring import find_disqualified, is_harmless
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


class ContestPlanner(Planner):
    """The planner of a contest whose plan follows from its definition and all of its results.

    To plan costs more the more games there were. In a round robin all games are known from the start. While no result
    can disqualify a player, those that have not begun are still due. So the last plan stands for a second at most.
    """

    def __init__(self, ledger: Ledger, contest_players: ContestPlayers) -> None:
        """Take the ledger, and the players; disqualified ones are disconnected."""
        self._ledger = ledger
        self._contest_players = contest_players
        self._plan: Plan | None = None
        """The last plan, if later results do not change it."""
        self._made = 0.0
        """When it was made, by trio's clock."""
        self._due: dict[Fixture, None] = {}
        """Its games that have not begun."""
        self._planned = 0
        """The number of results that are in it."""
        self._out: set[str] = set()
        """Entrants that are disqualified or withdrawn."""

    def last_plan(self) -> Plan | None:
        """Return the last plan without games that have begun since; None if it is outdated."""
        results = self._ledger.games[self._planned :]
        self._planned += len(results)
        if not all(map(is_harmless, results)):
            self._plan = None
        if self._plan is None or not self._due or trio.current_time() - self._made >= STANDS_SECONDS:
            return None
        return self._plan._replace(due=tuple(self._due))

    async def plan(self, playing: Collection[Fixture], free: Collection[str]) -> Plan:
        """Return the plan, made in a thread, since a long contest takes long."""
        now, definition, games = datetime.now(UTC), self._ledger.definition, tuple(self._ledger.games)
        free = tuple(name for name in free if not any(name in fixture.players for fixture in playing))
        seconds = {stage: (now - began).total_seconds() for stage, began in self._ledger.began.items()}
        present, self._planned = Present(frozenset(playing), free, seconds), len(games)
        found, outs = await trio.to_thread.run_sync(
            lambda: (plan(definition, games, present), find_disqualified(definition, games))
        )
        self._keep(found, definition)
        for name, out in outs.items():
            if name not in self._out:
                log.warning("entrant_disqualified", contest=definition.name, name=name, reason=out.reason)
            self._contest_players.disqualify(definition, name, out.reason)
        self._out = set(outs)
        for stage in found.stages:
            await self._ledger.stage_began(stage.number, now)
        return found

    def _keep(self, found: Plan, definition: Definition) -> None:
        """Keep a plan, unless later results may change the games that are due."""
        number = found.stages[-1].number
        format = None if number == QUALIFICATION else definition.stages[number].format
        changes = found.forfeited or (format is not None and (format.by_rounds or format.is_open))
        self._plan, self._made, self._due = None if changes else found, trio.current_time(), dict.fromkeys(found.due)

    def begun(self, fixtures: Collection[Fixture]) -> None:
        """Remove games that begin from the due ones."""
        for fixture in fixtures:
            self._due.pop(fixture, None)
