"""The interface of hosts, and the queue for the cores of this machine.

A host leases the players of a game, lets it be played, and returns a verified result.

There are two: an arena in the server's process, for players that connect and for programs whose games are watched
there (`server.contest.hosts.arena_host`), and the workers of a cluster (`server.contest.hosts.dask_cluster`), each of
which has such an arena for each game (`server.contest.hosts.game_worker`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import NamedTuple, Protocol

from engine.wire.words import without_folders
from server.contest.definition import Definition
from server.contest.fixtures import ABSENT, Fixture, GameResult, Programs

PROGRAMS = 2
"""Programs that play a game."""

MAX_FAILURES = 5
"""A game in which the server has died so often, or that failed otherwise through no lack of the machine, is given up.

A contest sets it aside. From its first failure on it is played after all others, and alone: so it takes no other one
with it. A cluster gives it back to the contest.
"""


class GameTask(NamedTuple):
    """A game that a host is to play."""

    contest: int
    definition: Definition
    fixture: Fixture
    number: int
    """Number of the match and its record."""
    kept: bool = False
    """Whether the match goes on when the server is started again."""
    wanted: Callable[[], bool] = lambda: True
    """Tells whether the game is to begin, when its players are there: the organiser may have changed something."""
    away_seconds: int = 0
    """A player that connects by itself loses when it had no connection for so long; 0: only its clock runs."""


class PlayerMissing(Exception):
    """A game cannot begin because a player did not come. ``str(error)`` says why."""

    programs: Programs = (None, None)
    """Resource usage of the programs that were started."""

    def __init__(
        self, sentence: str, names: tuple[str, ...], *, fault: bool = False, termination: str = ABSENT
    ) -> None:
        """Keep who is to blame: entrants, nobody, or, with ``fault``, the server.

        ``termination`` is how the game ends for those who are to blame, a word of `server.contest.fixtures.UNPLAYED`.
        """
        super().__init__(without_folders(sentence))
        self.names = names
        self.fault = fault
        self.termination = termination


class NotPlayed(Exception):
    """A game could not be played anywhere, and no player is to blame. ``str(error)`` says why."""


class HostedGame(ABC):
    """A game of a host whose players are leased."""

    recorded = False
    """Whether there is a record with the number of the game."""

    @property
    def programs(self) -> Programs:
        """Resource usage of the programs, if the result lacks it; complete when the lease has ended."""
        return None, None

    @property
    def lacked(self) -> str:
        """The missing resource of the machine because of which the match was annulled; empty if there was none."""
        return ""

    @abstractmethod
    async def result(self) -> GameResult:
        """Return the result as soon as the game is over; raises `PlayerMissing` and `NotPlayed`."""

    def leave_cores(self) -> bool:
        """Let another game use the cores of this one, which is over, while its programs are being ended.

        Tell whether it can be; else the cores are left when the lease has ended.
        """
        return False

    def cut_off(self) -> GameResult | None:
        """End a game that is not over, and return it as annulled; None if nothing of it is kept."""
        return None


class Host(Protocol):
    """A player of games for contests."""

    def play(self, task: GameTask) -> AbstractAsyncContextManager[HostedGame | None]:
        """Lease the players of a game until the context is left; then their programs end and their cores are free.

        None where the game is not to begin after all: the server stops, or a player was withdrawn. Raises
        `PlayerMissing` where a player did not come.
        """


class CoreQueue:
    """The queue for cores: which contest begins a game of programs next, and how many cores each has."""

    def __init__(self, cores: int) -> None:
        """Take the number of programs that can think at the same time."""
        self.cores = cores
        self.alone = False
        """Set while a game is played beside which there is to be no other one, of any contest."""
        self._taken: dict[int, int] = {}
        self._last: dict[int, int] = {}
        self._waits: set[int] = set()
        self._wants: set[int] = set()
        self._wake: dict[int, Callable[[], None]] = {}
        self._begun = 0
        self.games = 0
        """Running games of all contests."""

    def enter(self, contest: int, wake: Callable[[], None]) -> None:
        """Add a contest; ``wake`` is called when it may be its turn."""
        self._wake[contest] = wake
        self._last[contest], self._taken[contest] = 0, 0

    def leave(self, contest: int) -> None:
        """Remove a contest."""
        for table in (self._wake, self._last, self._taken):
            table.pop(contest, None)
        self._waits.discard(contest)
        self._wants.discard(contest)
        self.tell()

    def others(self, contest: int) -> int:
        """Return how many cores a contest leaves to others: all if one waits that began a game less recently."""
        waits = [other for other in self._waits if other != contest and self._last[other] < self._last[contest]]
        return self.cores if waits else sum(taken for other, taken in self._taken.items() if other != contest)

    @property
    def taken(self) -> int:
        """Return how many cores programs of all contests have now."""
        return sum(self._taken.values())

    def wants(self, contest: int, wants: bool) -> None:
        """Note whether a contest has games of programs left to begin, even if it has all cores itself."""
        (self._wants.add if wants else self._wants.discard)(contest)

    def contested(self, contest: int) -> bool:
        """Tell whether another contest has a use for any core that is free, or will be."""
        return bool((self._waits | self._wants) - {contest})

    @property
    def idle(self) -> bool:
        """Tell whether there is no contest."""
        return not self._wake

    def waits(self, contest: int, waits: bool) -> None:
        """Note whether a contest has games that could begin if there were cores for their programs."""
        (self._waits.add if waits else self._waits.discard)(contest)

    def take(self, contest: int, programs: int) -> None:
        """Take cores for a game of a contest, one for each program."""
        self.games += 1
        self._taken[contest] += programs
        if programs:
            self._begun += 1
            self._last[contest] = self._begun

    def give_back(self, contest: int, programs: int) -> None:
        """Give back the cores of a game when its programs have ended."""
        self.games -= 1
        if contest in self._taken:
            self._taken[contest] -= programs
        self.tell()

    def tell(self) -> None:
        """Wake all contests."""
        for wake in list(self._wake.values()):
            wake()
