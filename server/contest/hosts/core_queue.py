"""Whose turn it is to take cores: all contests of a server share those of the machine."""

from collections.abc import Callable


class CoreQueue:
    """Which contest begins a game of programs next, and how many programs of each there are. Decides at once."""

    def __init__(self, cores: int) -> None:
        """Take how many programs can think at a time."""
        self.cores = cores
        self.alone = False
        """Set while a game is played beside which there is to be no other one, of any contest."""
        self._taken: dict[int, int] = {}
        self._last: dict[int, int] = {}
        self._waits: set[int] = set()
        self._wake: dict[int, Callable[[], None]] = {}
        self._begun = 0
        self._games = 0

    def enter(self, contest: int, wake: Callable[[], None]) -> None:
        """A contest is played from now on; ``wake`` is called when it may be its turn."""
        self._wake[contest] = wake
        self._last[contest], self._taken[contest] = 0, 0

    def leave(self, contest: int) -> None:
        """A contest is not played any more."""
        for table in (self._wake, self._last, self._taken):
            table.pop(contest, None)
        self._waits.discard(contest)
        self.tell()

    def others(self, contest: int) -> int:
        """Count the cores that a contest leaves to others: all where one of them waits that began less recently."""
        waits = [other for other in self._waits if other != contest and self._last[other] < self._last[contest]]
        return self.cores if waits else sum(taken for other, taken in self._taken.items() if other != contest)

    @property
    def idle(self) -> bool:
        """Tell whether no contest is played."""
        return not self._wake

    @property
    def quiet(self) -> bool:
        """Tell whether no game is played in any contest."""
        return self._games == 0

    def waits(self, contest: int, waits: bool) -> None:
        """Note whether a contest has games that could begin if there were cores for their programs."""
        (self._waits.add if waits else self._waits.discard)(contest)

    def take(self, contest: int, programs: int) -> None:
        """A contest begins a game of so many programs."""
        self._games += 1
        self._taken[contest] += programs
        if programs:
            self._begun += 1
            self._last[contest] = self._begun

    def give_back(self, contest: int, programs: int) -> None:
        """A game is over, and its programs are gone."""
        self._games -= 1
        if contest in self._taken:
            self._taken[contest] -= programs
        self.tell()

    def tell(self) -> None:
        """Let all contests look whether they can go on."""
        for wake in list(self._wake.values()):
            wake()
