"""Proof-number search where play can go round: who can force a win, or whether neither side can.

Among many moves without threats deepening is faster (`engine.solve.forced_wins`); this one finds long wins against few
answers, and shows that a side cannot win without looking at all positions that can be reached.

It is the depth-first search of `engine.solve.proof_number.df_pn`, with weak proof numbers, over what
`engine.solve.proof_number.path_results` knows: a question is settled for good or only on the path, and how the two are
kept apart stands there.

Why it comes to an end however little the table holds: a path is never longer than the horizon, and a node keeps the
numbers of its children in the arena while it is searched. Each visit to a child raises its delta to the second least
and beyond, settles it, or raises its phi so far that the node itself is left. What the table has forgotten is searched
again, but inside a node nothing is.

A proof comes with a number of plies that suffices for the win: one more than that of the child that was proven first,
or than the greatest one, where all had to be.
"""

from collections.abc import Callable

from engine.compiling.binding import zeros
from engine.games.interface import DRAWN, LOST, WON, Kernel, State
from engine.search.binding import bind
from engine.search.capabilities import candidates, canonical, load, store
from engine.solve.backend_interface import SIGNS, Settled
from engine.solve.proof_number.df_pn import weigh
from engine.solve.proof_number.goals import NEVER, is_over
from engine.solve.proof_number.path_results import (
    HORIZON,
    NOTE,
    NUMBER,
    PATHS,
    STEP,
    WANT_OF_DEPTH,
    Work,
    enter,
    judge,
    note,
    transfer_notes,
)
from engine.solve.proof_number.proof_table import (
    ENTRY,
    FIRST_ENTRIES,
    FIRST_PLACES,
    GROWTH,
    MAX_PLACES,
    NO_LIMIT,
    NODES,
    NODES_ALLOWED,
    STORED,
    STORED_ALLOWED,
    most_entries,
    transfer,
)


def conclude(at: int, attacking: bool, phi: int, delta: int, first: int, end: int, work: Work) -> None:
    """Write the numbers of a node into its place, and what a proof or disproof takes from its children."""
    work.phis[at], work.deltas[at] = phi, delta
    if phi != 0 and delta != 0:
        return
    proven = (phi if attacking else delta) == 0
    chosen = first
    if phi == 0:
        # one child is enough: that with the shortest proof, or with the disproof that rests on least
        for child in range(first, end):
            nearer = work.least[child] < work.least[chosen]
            if work.deltas[child] == 0 and (work.deltas[chosen] != 0 or nearer == proven):
                chosen = child
    least, deepest = work.least[chosen], work.deepest[chosen]
    if phi != 0:
        for child in range(first + 1, end):
            least = max(least, work.least[child]) if proven else min(least, work.least[child])
            deepest = max(deepest, work.deepest[child])
    work.least[at] = least + 1 if proven else least
    work.deepest[at] = deepest


def prove(at: int, attacking: bool, depth: int, phi_limit: int, delta_limit: int, first: int, work: Work) -> None:
    """Search the position in a place until one of its numbers reaches its limit, or the search is over.

    It stands at ``depth`` of the path, and is not settled; what is known of it has to be noted when the search begins.
    Places from ``first`` on are free.
    """
    phis, deltas = work.phis, work.deltas
    began = work.tally[NODES]
    work.tally[NODES] += 1
    enter(at, attacking, depth, work)
    end = candidates(load(work.arena, at), work.arena, first)
    if end > len(phis):
        raise OverflowError("the arena is full")
    for child in range(first, end):
        store(work.arena, child, canonical(load(work.arena, child)), 0)
        judge(child, not attacking, depth + 1, work)
    while True:
        best, phi, delta, second, still_open = weigh(first, end, phis, deltas)
        if phi >= phi_limit or delta >= delta_limit or is_over(work):
            break
        # the limits of the best child's search keep it the best
        phi_room = min(NEVER, delta_limit - still_open + 1)
        delta_room = min(phi_limit, second + second // 4 + 1)
        prove(best, not attacking, depth + 1, phi_room, delta_room, end, work)
    conclude(at, attacking, phi, delta, first, end, work)
    note(at, attacking, depth, work.tally[NODES] - began, work)


FIRST_HORIZON, MAX_DEPTH = 10, 256
"""Plies that a search looks ahead at first, and at most: half as many more when they were too few. Interpreted, a ply
takes one of the thousand calls that Python allows."""

SLICE_COMPILED, SLICE_INTERPRETED = 1 << 14, 1 << 8
"""Nodes after which the clock is looked at: some tenths of a second."""

NODE_COST = 4
"""A node costs as much as so many positions of the other searches: more is asked of each of its children."""


FUNCTIONS = canonical, judge, prove, transfer, transfer_notes
"""What is bound to a kernel's rules."""


class CyclicProver:
    """Settles one position: whether the side to move forces a win, and whether the other one does, in turns."""

    def __init__(self, kernel: Kernel, *, memory: int) -> None:
        """Begin with the position of a kernel; the table takes at most ``memory`` bytes, or its least size."""
        self._kernel = kernel
        self._canonical, self._judge, self._prove, self._transfer, self._transfer_notes = bind(FUNCTIONS, kernel)
        self._most_entries = most_entries(FIRST_ENTRIES, kernel, memory, 8 * NOTE)
        nothing = zeros("q", 0)
        path, tally = zeros("q", STEP * (MAX_DEPTH + 1)), zeros("q", HORIZON + 1)
        self._work = Work(nothing, nothing, nothing, nothing, nothing, nothing, nothing, nothing, path, tally)
        self._make_arena(FIRST_PLACES)
        self._make_table(FIRST_ENTRIES)
        self._answers: dict[bool, bool | None] = {True: None, False: None}  # by whether the side to move attacks
        self._horizons = dict.fromkeys(self._answers, FIRST_HORIZON)
        self._roots = dict.fromkeys(self._answers, 0)
        self.within: int | None = None
        """A number of plies that suffices for the win that was found, None where none was."""

    @property
    def nodes(self) -> int:
        """Positions whose moves were made, for both questions together."""
        return int(self._work.tally[NODES])

    @property
    def value(self) -> int | None:
        """The verdict of perfect play on the position, None while it is not known."""
        if self._answers[True]:
            return WON
        if self._answers[False]:
            return LOST
        return DRAWN if self._answers == {True: False, False: False} else None

    def cannot_win(self, mover: bool) -> bool:
        """Tell whether the side to move, or else the other one, is known not to force a win."""
        return self._answers[mover] is False

    @property
    def hopeless(self) -> bool:
        """Tell whether there is nothing left to search, though the value is not known.

        Play goes too deep; or a draw rests on positions for which as many plies were too few as are left for them now,
        and that does not end before the horizon does.
        """
        return self.value is None and not any(self._is_open(attacking) for attacking in self._answers)

    def search(self, nodes: int) -> None:
        """Search on, for about so many nodes, half of them for either side's win; what was found is remembered.

        Where the search was left is forgotten, so that a few nodes may bring nothing: let the portions grow.
        """
        until = self.nodes + nodes
        for attacking in self._answers:
            while self.value is None and self._is_open(attacking):
                share = (self.nodes + until) // 2 if attacking and self._is_open(False) else until
                if not self._ask(attacking, share):
                    break

    def lost_within(self, state: State) -> int | None:
        """Return within how many plies the side to move loses, as far as the table knows; None where it does not."""
        work, spare = self._work, 0
        self._kernel.rules.store(work.arena, spare, self._canonical(state), 0)
        self._judge(spare, False, 0, work)
        return int(work.least[spare]) if work.deltas[spare] == 0 else None

    def warm_up(self) -> None:
        """Have everything compiled that the search calls, and spoil the search: for one that is thrown away."""
        self.search(4)
        self._grow_table()

    def _is_open(self, attacking: bool) -> bool:
        return self._answers[attacking] is None and self._horizons[attacking] <= MAX_DEPTH

    def _ask(self, attacking: bool, until: int) -> bool:
        """Search for a side's win until so many nodes were used; tell whether there is more to do before."""
        work, tally = self._work, self._work.tally
        tally[HORIZON] = self._horizons[attacking]
        self._kernel.rules.store(work.arena, 0, self._canonical(self._kernel.state), 0)
        self._judge(0, attacking, 0, work)
        if work.phis[0] != 0 and work.deltas[0] != 0:
            if self._roots[attacking] == 0:
                tally[PATHS] += 1
                self._roots[attacking] = int(tally[PATHS])
            work.path[NUMBER] = self._roots[attacking]
            tally[NODES_ALLOWED] = until
            limit = max(NEVER, int(work.phis[0]))  # never a literal: numba would compile the search a second time
            depth = limit - limit
            try:
                self._prove(0, attacking, depth, limit, limit, depth + 1, work)
            except OverflowError:
                self._make_arena(4 * len(work.phis))
                return True
        proven, disproven = (work.phis[0], work.deltas[0]) if attacking else (work.deltas[0], work.phis[0])
        if proven == 0:
            self._answers[attacking], self.within = True, int(work.least[0])
        elif disproven == 0 and work.least[0] == WANT_OF_DEPTH:
            # what rests on paths was true for this horizon: the root becomes the beginning of other paths
            self._horizons[attacking] += self._horizons[attacking] // 2
            self._roots[attacking] = 0
        elif disproven == 0:
            self._answers[attacking] = False
        elif tally[STORED] >= tally[STORED_ALLOWED]:
            self._grow_table()
        return self.nodes < until

    def _grow_table(self) -> None:
        old = self._work
        self._make_table(len(old.entries) // ENTRY * GROWTH)
        work = self._work
        work.tally[STORED] = self._transfer(old.table, old.entries, work.table, work.entries)
        self._transfer_notes(old.table, old.entries, old.notes, work)

    def _make_arena(self, places: int) -> None:
        if places > MAX_PLACES:
            raise OverflowError(f"a line of play has more children than {MAX_PLACES} places hold")
        kernel = self._kernel
        self._work = self._work._replace(
            arena=kernel.arena(places),
            phis=zeros("q", places),
            deltas=zeros("q", places),
            least=zeros("q", places),
            deepest=zeros("q", places),
        )

    def _make_table(self, entries: int) -> None:
        kernel = self._kernel
        self._work = self._work._replace(
            table=kernel.arena(entries),
            entries=zeros("i", entries * ENTRY),
            notes=zeros("q", entries * NOTE),
        )
        self._work.tally[STORED_ALLOWED] = entries // 2 if entries < self._most_entries else NO_LIMIT


class CyclicProof:
    """The prover as one of the searches that settle a position: an `engine.solve.backend_interface.SolverBackend`."""

    method = "proof"

    def __init__(self, kernel: Kernel, memory: int, as_compiled: bool) -> None:
        """Begin with the position of a kernel, and take at most ``memory`` bytes for the table."""
        self.prover = CyclicProver(kernel, memory=memory)
        self._slice = SLICE_COMPILED if as_compiled else SLICE_INTERPRETED

    @property
    def used(self) -> int:
        """Nodes."""
        return self.prover.nodes * NODE_COST

    def search(self, portion: int, late: Callable[[], bool]) -> None:
        """Search for so many more positions."""
        prover = self.prover
        until = prover.nodes + portion // NODE_COST
        while prover.value is None and not prover.hopeless and prover.nodes < until and not late():
            prover.search(min(self._slice, until - prover.nodes))

    def settled(self) -> Settled:
        """Say what is known."""
        value = self.prover.value
        sign = None if value is None else SIGNS[value]
        return Settled(sign, self.prover.within, self.prover.nodes, 0, False, False)

    def warm_up(self) -> None:
        """Have everything compiled."""
        self.prover.warm_up()
