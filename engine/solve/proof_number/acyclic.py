"""Perfect play in games that cannot go on for ever: who wins, or whether it is a draw.

Two searches take turns with portions of nodes that double, `engine.solve.proof_number.depth_first` and
`engine.solve.proof_number.df_pn`, and share what they have settled.
"""

from engine.compiling.binding import Numbers, as_numba_takes, zeros
from engine.games.interface import DRAWN, LOST, UNDECIDED, WON, Kernel, Position, State
from engine.search.binding import SOLVING, CompiledCode, bind
from engine.search.capabilities import canonical, store
from engine.solve.proof_number.depth_first import try_all
from engine.solve.proof_number.df_pn import prove
from engine.solve.proof_number.goals import NEVER, Work, judge
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

FIRST_PORTION = 1 << 9
"""Nodes that the first question is given before the other has its turn; each time twice as many."""

PROOF_SHARE = 8
"""So many nodes of the exhaustive search go to one of proof-number search, which looks at all children of each."""


def ask(at: int, attacking: bool, nodes: int, work: Work) -> bool:
    """Search the position in a place for about so many nodes; tell whether it is settled."""
    if not judge(at, attacking, work):
        work.tally[NODES_ALLOWED] = work.tally[NODES] + nodes
        if not try_all(at, attacking, at + 1, work):
            work.tally[NODES_ALLOWED] = work.tally[NODES] + nodes // PROOF_SHARE
            limit = max(NEVER, work.phis[at])  # a literal would make numba compile the search a second time
            prove(at, attacking, limit, limit, at + 1, work)
    return work.phis[at] == 0 or work.deltas[at] == 0


def settle(state: State, at: int, nodes: int, work: Work) -> int:
    """Return the verdict of perfect play on a position; UNDECIDED after about so many nodes, or when the table is full.

    Places from ``at`` on are free.
    """
    tally = work.tally
    store(work.arena, at, canonical(state), 0)
    until = tally[NODES] + nodes
    portion = FIRST_PORTION
    wins_known = keeps_known = False
    while True:
        # a portion for each question in turn: whose attack succeeds is seldom known before
        for turn in range(2):
            attacking = turn == 0
            left = min(portion, until - tally[NODES])
            if attacking and not wins_known:
                wins_known = ask(at, attacking, left, work)
                if wins_known and work.phis[at] == 0:
                    return WON
            if not attacking and not keeps_known:
                keeps_known = ask(at, attacking, left, work)
                if keeps_known and work.phis[at] != 0:
                    return LOST
        if wins_known and keeps_known:
            return DRAWN
        if tally[NODES] >= until or tally[STORED] >= tally[STORED_ALLOWED]:
            return UNDECIDED
        portion *= 2


FUNCTIONS = settle, transfer
"""What is bound to a kernel's rules."""


class Prover:
    """Settles positions of one variant, and remembers from each what may be of use for the next."""

    def __init__(self, kernel: Kernel, *, memory: int) -> None:
        """Make a prover for the variant of a kernel; its table takes at most ``memory`` bytes, or its least size."""
        self._kernel = kernel
        self._settle, self._transfer = bind(FUNCTIONS, kernel)
        self._most_entries = most_entries(FIRST_ENTRIES, kernel, memory)
        nothing = zeros("q", 0)
        self._work = Work(nothing, nothing, nothing, nothing, nothing, zeros("q", 4))
        self._make_arena(FIRST_PLACES)
        self._make_table(FIRST_ENTRIES)

    @property
    def nodes(self) -> int:
        """Positions whose moves were made, for all questions together."""
        return int(self._work.tally[NODES])

    def value(self, state: State, nodes: int = NO_LIMIT) -> int | None:
        """Return the verdict of perfect play on a position, or None where ``nodes`` were too few to find out.

        What was settled remains known, so that asking again goes on; but the way to where it was left is gone, so
        that fewer nodes than a game has plies may bring nothing new.
        """
        until = self.nodes + nodes
        while True:
            try:
                value = int(self._settle(state, 0, until - self.nodes, self._work))
            except OverflowError:
                self._make_arena(4 * len(self._work.phis))
                continue
            if value != UNDECIDED:
                return value
            if self._work.tally[STORED] >= self._work.tally[STORED_ALLOWED]:
                self._grow_table()
            elif self.nodes >= until:
                return None

    def is_lost(self, state: State) -> bool:
        """Tell whether the side to move in a position loses, however long that takes to find out."""
        return self.value(state) == LOST

    def warm_up(self) -> None:
        """Have everything compiled that the search calls; any answer will do."""
        self._settle(self._kernel.state, 0, 1, self._work)
        self._grow_table()

    def _grow_table(self) -> None:
        table, entries = self._work.table, self._work.entries
        self._make_table(len(entries) // ENTRY * GROWTH)
        self._work.tally[STORED] = self._transfer(table, entries, self._work.table, self._work.entries)

    def _make_arena(self, places: int) -> None:
        if places > MAX_PLACES:
            raise OverflowError(f"a line of play has more children than {MAX_PLACES} places hold")
        self._replace(arena=self._kernel.arena(places), phis=zeros("q", places), deltas=zeros("q", places))

    def _replace(self, **arrays: Numbers) -> None:
        """Replace arrays. They are converted here, since the conversion takes longer than most compiled calls."""
        work = self._work._replace(**arrays)
        self._work = as_numba_takes(work) if self._kernel.compiled else work

    def _make_table(self, entries: int) -> None:
        self._replace(table=self._kernel.arena(entries), entries=zeros("i", entries * ENTRY))
        self._work.tally[STORED_ALLOWED] = entries // 2 if entries < self._most_entries else NO_LIMIT


def compiled_code(position: Position) -> CompiledCode:
    """Return what is compiled of a prover for the board of a position."""
    return CompiledCode(position, SOLVING, [FUNCTIONS])
