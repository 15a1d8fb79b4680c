"""Provers: run proof-number search (`engine.solve.proof_search`) in portions, with a table and an arena that grow.

`Prover` is for games that end, `CyclicProver` is for games that can go on for ever.
"""

from engine.games.interface import DRAWN, LOST, UNDECIDED, WON, Kernel, State
from engine.games.kernels import bind
from engine.solve.proof_search import FUNCTIONS, HORIZON_REACHED, INFINITE, NOTE_NUMBERS, NUMBER, STEP
from engine.solve.proof_table import HORIZON, MAX_NODES, NO_LIMIT, PATH, PATHS, TableSearch


class Prover(TableSearch):
    """Solves positions of one variant of a game that ends, with one table for all of them."""

    is_exhausted = False
    """Whether the search has ended without a value: never, since play ends."""

    within: int | None = None
    """An upper bound of the plies to the win: not known."""

    def __init__(self, kernel: Kernel, *, memory: int) -> None:
        """Make a prover for the variant of a kernel. Its table has at most ``memory`` bytes, or its least size."""
        self._solve, *_, transfer = bind(FUNCTIONS, kernel)
        super().__init__(kernel, transfer, memory=memory)
        self.value: int | None = None
        """The verdict of perfect play on the kernel's position, None while it is not known."""

    def search(self, nodes: int) -> None:
        """Search the kernel's position for ``nodes`` more nodes."""
        self.value = self.solve(self._kernel.state, nodes)

    def cannot_win(self, mover: bool) -> bool:
        """Tell whether a side is proven unable to win while the value is not known: never in this search."""
        return False

    def solve(self, state: State, nodes: int = NO_LIMIT) -> int | None:
        """Return the verdict of perfect play on a position, or None if ``nodes`` were too few.

        Another call continues with the same table. It starts at the root again, so it needs more nodes than a game has
        plies.
        """
        until = self.nodes + nodes
        while True:
            try:
                value = int(self._solve(state, 0, until - self.nodes, self._work))
            except OverflowError:
                self._grow_arena()
                continue
            if value != UNDECIDED:
                return value
            if self._is_full():
                self._grow_table()
            elif self.nodes >= until:
                return None

    def warm_up(self) -> None:
        """Compile everything that the search calls."""
        self._solve(self._kernel.state, 0, 1, self._work)
        self._grow_table()


FIRST_HORIZON, MAX_DEPTH = 10, 256
"""First horizon, which grows by half each time, and largest horizon, in plies. An interpreted search needs a nested
call for each ply, and Python allows a thousand."""


class CyclicProver(TableSearch):
    """Solves one position of a game that can go on for ever.

    It asks in turns whether the side to move forces a win, and whether the other side does.
    """

    NOTE_NUMBERS = NOTE_NUMBERS
    COUNTERS = PATH + STEP * (MAX_DEPTH + 1)

    def __init__(self, kernel: Kernel, *, memory: int) -> None:
        """Make a prover for the position of a kernel. Its table has at most ``memory`` bytes, or its least size."""
        _, self._canonical, self._evaluate, self._prove, transfer = bind(FUNCTIONS, kernel)
        super().__init__(kernel, transfer, memory=memory)
        self._answers: dict[bool, bool | None] = {True: None, False: None}  # by whether the side to move attacks
        self._horizons = dict.fromkeys(self._answers, FIRST_HORIZON)
        self._roots = dict.fromkeys(self._answers, 0)
        self.within: int | None = None
        """An upper bound of the plies to the win, None without a win."""

    @property
    def value(self) -> int | None:
        """The verdict of perfect play on the position, None while it is not known."""
        if self._answers[True]:
            return WON
        if self._answers[False]:
            return LOST
        return DRAWN if self._answers == {True: False, False: False} else None

    def cannot_win(self, mover: bool) -> bool:
        """Tell whether the side to move (``mover``), or the other side, is proven unable to force a win."""
        return self._answers[mover] is False

    @property
    def is_exhausted(self) -> bool:
        """Whether the search has ended without a value: neither question is answered within MAX_DEPTH plies."""
        return self.value is None and not any(self._is_open(attacking) for attacking in self._answers)

    def search(self, nodes: int) -> None:
        """Search for about ``nodes`` more nodes, half of them for each side's win.

        The search starts at the root again, so the portions must grow.
        """
        until = self.nodes + nodes
        for attacking in self._answers:
            while self.value is None and self._is_open(attacking):
                if not self._ask(attacking, (self.nodes + until) // 2 if attacking and self._is_open(False) else until):
                    break

    def lost_within(self, state: State) -> int | None:
        """Return an upper bound of the plies in which the side to move loses, None if the table has no proof."""
        self._evaluate_root(state, False)
        return int(self._work.dependencies[2 * 0]) if self._work.deltas[0] == 0 else None

    def warm_up(self) -> None:
        """Compile everything that the search calls. The prover must not be used after that."""
        self.search(4)
        self._grow_table()

    def _is_open(self, attacking: bool) -> bool:
        return self._answers[attacking] is None and self._horizons[attacking] <= MAX_DEPTH

    def _evaluate_root(self, state: State, attacking: bool) -> bool:
        """Write the known proof numbers of a position into the root's place; tell whether it is decided."""
        self._kernel.rules.store(self._work.arena, 0, self._canonical(state), 0)
        return bool(self._evaluate(0, attacking, 0, self._work))

    def _ask(self, attacking: bool, until: int) -> bool:
        """Search for a side's win until ``until`` nodes were used; tell whether nodes are left."""
        work, counters = self._work, self._work.counters
        counters[HORIZON] = self._horizons[attacking]
        if not self._evaluate_root(self._kernel.state, attacking):
            if self._roots[attacking] == 0:
                counters[PATHS] += 1
                self._roots[attacking] = int(counters[PATHS])
            counters[PATH + NUMBER] = self._roots[attacking]
            counters[MAX_NODES] = until
            try:
                self._prove(0, attacking, 0, INFINITE, INFINITE, 1, work)
            except OverflowError:
                self._grow_arena()
                return True
        proven, disproven = (work.phis[0], work.deltas[0]) if attacking else (work.deltas[0], work.phis[0])
        if proven == 0:
            self._answers[attacking], self.within = True, int(work.dependencies[2 * 0])
        elif disproven == 0 and work.dependencies[2 * 0] == HORIZON_REACHED:
            # stored disproofs hold only for this horizon: a new number of the root makes all paths new
            self._horizons[attacking] += self._horizons[attacking] // 2
            self._roots[attacking] = 0
        elif disproven == 0:
            self._answers[attacking] = False
        elif self._is_full():
            self._grow_table()
        return self.nodes < until
