"""Shares the cores of the machine between the contests of a server."""

from collections.abc import Callable


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
        self._games = 0

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
        """Note whether a contest has games of programs left to begin, whoever has the cores: itself, perhaps."""
        (self._wants.add if wants else self._wants.discard)(contest)

    def contested(self, contest: int) -> bool:
        """Tell whether another contest has a use for any core that is free, or will be."""
        return bool((self._waits | self._wants) - {contest})

    @property
    def idle(self) -> bool:
        """Tell whether there is no contest."""
        return not self._wake

    @property
    def quiet(self) -> bool:
        """Tell whether no contest has a running game."""
        return self._games == 0

    def waits(self, contest: int, waits: bool) -> None:
        """Note whether a contest has games that could begin if there were cores for their programs."""
        (self._waits.add if waits else self._waits.discard)(contest)

    def take(self, contest: int, programs: int) -> None:
        """Take cores for a game of a contest, one for each program."""
        self._games += 1
        self._taken[contest] += programs
        if programs:
            self._begun += 1
            self._last[contest] = self._begun

    def give_back(self, contest: int, programs: int) -> None:
        """Give back the cores of a game when its programs have ended."""
        self._games -= 1
        if contest in self._taken:
            self._taken[contest] -= programs
        self.tell()

    def tell(self) -> None:
        """Wake all contests."""
        for wake in list(self._wake.values()):
            wake()
