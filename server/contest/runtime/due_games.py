"""The games that can begin: whose players are present, from a plan that is cached while results do not change it.

To plan costs more the more games there were. In a round robin all games are known from the start, and where nobody
could be disqualified by what was played since, those that have not begun are still due. So a contest is planned once a
second at most where its games are shorter, and each of its games costs the same.
"""

from collections.abc import Collection, Mapping

import trio

from server.contest.definition import Definition
from server.contest.fixtures import QUALIFICATION, Fixture, GameResult
from server.contest.hosts.contest_players import ContestPlayers
from server.contest.plan import Plan, Present, plan
from server.contest.scoring import Disqualification, absence_result, find_disqualified, missing_sentence

LOOK_SECONDS = 1.0
"""How often to look whether something has changed that nobody tells."""

STEADY_SECONDS = 2.0
"""An entrant that was missing is there again when it has waited for so long, or a match of it has begun.

One that comes and goes all the time is there at some looks, and never long enough to play."""


class Attendance:
    """The attendance of the entrants of a contest that connect by themselves."""

    def __init__(self, contest_players: ContestPlayers, connecting: frozenset[str]) -> None:
        """Take the names, and the contest players that wait."""
        self.connecting = connecting
        self.absent: tuple[str, ...] = ()
        """Those who were not there at the last look."""
        self._contest_players = contest_players
        self._missing: dict[str, float] = {}
        """For how many seconds entrants have been missing."""
        self._looked = float("-inf")

    def absent_from(self, definition: Definition, fixture: Fixture) -> list[str]:
        """Return the players of a game that should connect, and do not wait."""
        return [
            name
            for name in fixture.players
            if name in self.connecting and not self._contest_players.connected(name, fixture, definition)
        ]

    def look(
        self, definition: Definition, due: Collection[Fixture], running: Mapping[Fixture, int | None], *, counts: bool
    ) -> list[Fixture]:
        """Return the games whose players are present; measure how long others have been missing.

        Time in which the server stood still does not count, nor that before a look that does not ``count``.
        """
        if not self.connecting:
            return list(due)
        playing = {name for fixture, match in running.items() if match is not None for name in fixture.players}
        absent = {fixture: self.absent_from(definition, fixture) for fixture in due}
        missing = {name for names in absent.values() for name in names} - playing
        now = trio.current_time()
        passed, self._looked = min(now - self._looked, 2 * LOOK_SECONDS), now
        if not counts:
            passed = 0.0
        since = {name: self._contest_players.waiting_since(name) for name in self._missing}
        steady = {name for name, began in since.items() if began is not None and now - began >= STEADY_SECONDS}
        known = {name: seconds for name, seconds in self._missing.items() if name not in playing | steady - missing}
        self._missing = known | {name: known[name] + passed if name in known else 0.0 for name in missing}
        self.absent = tuple(sorted(missing))
        return [fixture for fixture, names in absent.items() if not names]

    def given_up(self, definition: Definition, due: Collection[Fixture]) -> list[GameResult]:
        """Return the games that entrants lose by missing longer than the contest's patience."""
        out = {name for name in self.absent if self._missing[name] >= definition.patience}
        lost = {one: [name for name in self.absent_from(definition, one) if name in out] for one in due}
        return [
            absence_result(fixture, names, missing_sentence(names, definition.patience))
            for fixture, names in lost.items()
            if names
        ]


STANDS_SECONDS = 1.0
"""How long a plan is gone by at most: the organiser may have changed something."""

MAX_LEFT = 8
"""Games whose results may be on their way to the disk while others begin: a disk that does not answer ends that."""


class PlanCache:
    """The last plan of a contest, without the games that have begun since."""

    def __init__(self) -> None:
        """Begin without a plan."""
        self._plan: Plan | None = None
        self._made = 0.0
        self._due: dict[Fixture, None] = {}

    def keep(self, found: Plan, definition: Definition, now: float) -> None:
        """Keep a plan, unless later results may change the games that are due."""
        number = found.stages[-1].number
        changes = number != QUALIFICATION and definition.stages[number].format.follows_results
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


def make_plan(
    definition: Definition, games: tuple[GameResult, ...], present: Present
) -> tuple[Plan, dict[str, Disqualification]]:
    """Return the plan, and the disqualified entrants; to be called in a thread, since a long contest takes long."""
    return plan(definition, games, present), find_disqualified(definition, games)
