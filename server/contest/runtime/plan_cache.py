"""Which games of a contest are due, for as long as what is played changes nothing in that.

To plan costs more the more games there were. In a round robin or a gauntlet all games are known from the start, and
where nobody could be disqualified by what was played since, those that have not begun are still due: so a contest is
planned once a second at most where its games are shorter, and each of its games costs the same.
"""

from collections import deque
from collections.abc import Collection, Sequence

from server.contest.definition import Definition, Gauntlet, RoundRobin
from server.contest.fixtures import QUALIFICATION, Finished, Fixture
from server.contest.formats.plan import Plan, Present, plan
from server.contest.scoring.disqualification import Disqualification, find_disqualified, is_harmless

STANDS_SECONDS = 1.0
"""How long a plan is gone by at most: the organiser may have changed something."""

MAX_LEFT = 8
"""Games whose results may be on their way to the disk while others begin: a disk that does not answer ends that."""


class PlanCache:
    """The last plan of a contest, and what of it has begun since."""

    def __init__(self) -> None:
        """Begin without a plan."""
        self._plan: Plan | None = None
        self._definition: Definition | None = None
        self._games: list[Finished] = []
        self._planned = self._seen = 0
        """How many of the games there were for the plan, and how many have been looked at since."""
        self._made = 0.0
        self._waiting: deque[Fixture] = deque()
        self._begun: set[Fixture] = set()

    def planned(self, found: Plan, definition: Definition, games: list[Finished], count: int, now: float) -> None:
        """Take a plan that was made from the first ``count`` games of a list, which others are added to."""
        self._plan, self._definition, self._games, self._made = found, definition, games, now
        self._planned = self._seen = count
        self._waiting = deque(found.due)
        self._begun.clear()

    def begun(self, fixtures: Collection[Fixture]) -> None:
        """Take note of games that begin."""
        self._begun.update(fixtures)

    def ended(self, fixture: Fixture) -> None:
        """A game is not played any more: where it has no result since the plan, there has to be another plan."""
        if all(game.fixture != fixture for game in self._games[self._planned :]):
            self._plan = None

    def standing(self, definition: Definition, games: Sequence[Finished], now: float) -> Plan | None:
        """Return the plan without what has begun since; None where there has to be another one."""
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
    """Tell whether the games of the stage that is played do not depend on results."""
    number = found.stages[-1].number
    return number == QUALIFICATION or isinstance(definition.stages[number].format, RoundRobin | Gauntlet)


def make_plan(
    definition: Definition, games: tuple[Finished, ...], present: Present
) -> tuple[Plan, dict[str, Disqualification]]:
    """Return what is to be played, and who may play no more; for a thread: that of a long contest takes long."""
    return plan(definition, games, present), find_disqualified(definition, games)
