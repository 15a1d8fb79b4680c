"""Caches the plan of a contest while games that begin or end do not change it.

To plan costs more the more games there were. In a round robin or a gauntlet all games are known from the start, and
where nobody could be disqualified by what was played since, those that have not begun are still due: so a contest is
planned once a second at most where its games are shorter, and each of its games costs the same.
"""

from collections import deque
from collections.abc import Collection, Sequence

from server.contest.definition import Definition
from server.contest.fixtures import QUALIFICATION, Fixture, GameResult
from server.contest.plan import Plan, Present, plan
from server.contest.scoring.disqualification import Disqualification, find_disqualified, is_harmless

STANDS_SECONDS = 1.0
"""How long a plan is gone by at most: the organiser may have changed something."""

MAX_LEFT = 8
"""Games whose results may be on their way to the disk while others begin: a disk that does not answer ends that."""


class PlanCache:
    """The last plan of a contest, and the games that have begun since."""

    def __init__(self) -> None:
        """Begin without a plan."""
        self._plan: Plan | None = None
        self._definition: Definition | None = None
        self._games: list[GameResult] = []
        self._planned = self._seen = 0
        """How many of the games there were for the plan, and how many have been looked at since."""
        self._made = 0.0
        self._waiting: deque[Fixture] = deque()
        self._begun: set[Fixture] = set()

    def planned(self, found: Plan, definition: Definition, games: list[GameResult], count: int, now: float) -> None:
        """Keep a plan that was made from the first ``count`` games of a list, to which others are added."""
        self._plan, self._definition, self._games, self._made = found, definition, games, now
        self._planned = self._seen = count
        self._waiting = deque(found.due)
        self._begun.clear()

    def begun(self, fixtures: Collection[Fixture]) -> None:
        """Remove games that begin from the due ones."""
        self._begun.update(fixtures)

    def ended(self, fixture: Fixture) -> None:
        """Note that a game has ended; without a result the plan is outdated."""
        if all(game.fixture != fixture for game in self._games[self._planned :]):
            self._plan = None

    def standing(self, definition: Definition, games: Sequence[GameResult], now: float) -> Plan | None:
        """Return the plan without games that have begun since; None if it is outdated."""
        found = self._plan
        if found is None or definition is not self._definition or games is not self._games:
            return None
        if now - self._made >= STANDS_SECONDS or found.forfeited or not _is_fixed(definition, found):
            return None
        if not all(map(is_harmless, games[self._seen :])):
            return None
        self._seen = len(games)
        while self._waiting and self._waiting[0] in self._begun:
            self._begun.discard(self._waiting.popleft())
        if not self._waiting:
            return None
        due = tuple(self._waiting)
        return found._replace(
            due=tuple(fixture for fixture in due if fixture not in self._begun) if self._begun else due
        )


def _is_fixed(definition: Definition, found: Plan) -> bool:
    """Tell whether the games of the current stage do not depend on results."""
    number = found.stages[-1].number
    return number == QUALIFICATION or definition.stages[number].format.is_fixed


def make_plan(
    definition: Definition, games: tuple[GameResult, ...], present: Present
) -> tuple[Plan, dict[str, Disqualification]]:
    """Return the plan, and the disqualified entrants; to be called in a thread, since a long contest takes long."""
    return plan(definition, games, present), find_disqualified(definition, games)
