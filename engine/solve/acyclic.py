"""Perfect play in games that cannot go on for ever: who wins, or whether it is a draw.

The searches ask whether one side reaches its aim. The attacker's aim is a win; a draw is as good as a win for the
defender. Every position has two numbers, seen from the side to move: the least number of leaves to settle in its favour
that settles the position so (``phi``), and the least number to settle against it (``delta``).

Two searches take turns with portions of nodes that double, and share one table of settled positions:

- `try_all` searches depth first, in the order of the kernel's moves. Where the order is good it is many times as fast
  as proof-number search: a node needs no look at children that are never searched. Where the order is bad, the search
  can lose itself behind the first bad move.
- `prove` is depth-first proof-number search (df-pn): it goes on where the least is missing to settle a question. A
  position needs one move that succeeds, so its phi is the least delta of its children. It needs all of them refuted, so
  its delta ought to be the sum of their phi. In games where many orders of moves lead to the same position the sum
  counts the same work over and over. So delta is the largest phi of the open children, and one more for each other open
  child (weak proof-number search).

Only for games with ``plies_left``: a position never stands on the path to itself there.

Sources: Allis, van der Meulen and van den Herik 1994 (proof numbers), Nagai 2002 (df-pn), Pawlewicz and Lew 2007
(thresholds that leave room for a quarter more), Ueda, Hashimoto, Hashimoto and Iida 2008 (weak proof-number search).
"""

from typing import NamedTuple

from engine.compiling.binding import Numbers, zeros
from engine.games.interface import DRAWN, LOST, MINE, THEIRS, UNDECIDED, WON, Arena, Kernel, State
from engine.games.kernels import Purpose, bind
from engine.search.capabilities import can_still_win, candidates, canonical, load, store, verdict
from engine.solve.proof_table import (
    ANSWER,
    EFFORT,
    ENTRY,
    MORE,
    NO_LIMIT,
    NODES,
    NODES_ALLOWED,
    STORED,
    STORED_ALLOWED,
    TableSearch,
    claim,
    entry_of,
    is_of,
    is_over,
    transfer,
)

PHI, DELTA = ANSWER, MORE
"""What the table knows of a question: 1, does the side to move win, or 2, does it at least not lose. The effort is the
number of positions whose moves were made for it."""

NEVER = 1 << 28
"""The number that stands for: this cannot be any more. With a 0 it makes a settled position."""

FIRST_PORTION = 1 << 9
"""Nodes that the first question is given before the other has its turn; each time twice as many."""

PROOF_SHARE = 8
"""So many nodes of the exhaustive search go to one of proof-number search, which looks at all children of each."""


class Work(NamedTuple):
    """What the searches work on."""

    arena: Arena
    """The children of every node on the path, one behind the other."""
    phis: Numbers
    """Numbers of the positions in the arena's places."""
    deltas: Numbers
    table: Numbers
    """An arena with the positions of the table, see `engine.solve.proof_table`…"""
    entries: Numbers
    """… and the numbers beside them."""
    tally: Numbers
    """Counters: see there."""


def judge(at: int, attacking: bool, work: Work) -> bool:
    """Note the numbers of the position in a place as far as they are known without its moves; tell if it is settled.

    ``attacking`` tells whether the side to move is the one whose win is in question.
    """
    state = load(work.arena, at)
    outcome = verdict(state)
    if outcome == UNDECIDED and can_still_win(state) & (MINE if attacking else THEIRS) == 0:
        outcome = DRAWN
    if outcome == DRAWN:
        outcome = LOST if attacking else WON
    phi = delta = 1
    if outcome == WON:
        phi, delta = 0, NEVER
    elif outcome == LOST:
        phi, delta = NEVER, 0
    else:
        question = 1 if attacking else 2
        entry = entry_of(work.arena, at, question, work.table, work.entries)
        if is_of(entry, work.arena, at, question, work.table, work.entries):
            phi, delta = work.entries[entry * ENTRY + PHI], work.entries[entry * ENTRY + DELTA]
    work.phis[at], work.deltas[at] = phi, delta
    return phi == 0 or delta == 0


def note(at: int, attacking: bool, phi: int, delta: int, effort: int, work: Work) -> None:
    """Write the numbers of the position in a place, and what it took to find them, where `judge` will find them."""
    work.phis[at], work.deltas[at] = phi, delta
    question = 1 if attacking else 2
    entry = entry_of(work.arena, at, question, work.table, work.entries)
    base = entry * ENTRY
    if not is_of(entry, work.arena, at, question, work.table, work.entries):
        work.tally[STORED] += 1 if claim(entry, work.arena, at, question, work.table, work.entries) else 0
        work.entries[base + EFFORT] = 0
    work.entries[base + PHI] = phi
    work.entries[base + DELTA] = delta
    work.entries[base + EFFORT] = min(NEVER, work.entries[base + EFFORT] + effort)


def try_all(at: int, attacking: bool, first: int, work: Work) -> bool:
    """Search the position in a place, of which the numbers are known, until it is settled; tell if that was so.

    Places from ``first`` on are free.
    """
    if work.phis[at] == 0 or work.deltas[at] == 0:
        return True
    if is_over(work):
        return False
    began = work.tally[NODES]
    work.tally[NODES] += 1
    end = candidates(load(work.arena, at), work.arena, first)
    if end > len(work.phis):
        raise OverflowError("the arena is full")
    phi, delta = NEVER, 0
    for child in range(first, end):
        store(work.arena, child, canonical(load(work.arena, child)), 0)
        judge(child, not attacking, work)
        if not try_all(child, not attacking, end, work):
            return False
        if work.deltas[child] == 0:
            phi, delta = 0, NEVER
            break
    note(at, attacking, phi, delta, work.tally[NODES] - began, work)
    return True


def weigh(first: int, end: int, phis: Numbers, deltas: Numbers) -> tuple[int, int, int, int, int]:
    """Return the best child, phi and delta of the parent, the second least delta, and how many children are open.

    The best one is that with which least is missing.
    """
    best, second, hardest, still_open = first, NEVER, 0, 0
    for child in range(first, end):
        if deltas[child] < deltas[best]:
            second = deltas[best]
            best = child
        elif child != best and deltas[child] < second:
            second = deltas[child]
        if deltas[child] < NEVER:
            still_open += 1
            hardest = max(hardest, phis[child])
    phi = deltas[best]
    delta = NEVER if phi == 0 else 0 if still_open == 0 else min(NEVER - 1, hardest + still_open - 1)
    return best, phi, delta, second, still_open


def prove(at: int, attacking: bool, phi_limit: int, delta_limit: int, first: int, work: Work) -> None:
    """Search the position in a place until one of its numbers reaches its limit, or the search is over.

    Places from ``first`` on are free. The numbers of the position have to be known when the search begins.
    """
    phis, deltas = work.phis, work.deltas
    began = work.tally[NODES]
    work.tally[NODES] += 1
    end = candidates(load(work.arena, at), work.arena, first)
    if end > len(phis):
        raise OverflowError("the arena is full")
    for child in range(first, end):
        store(work.arena, child, canonical(load(work.arena, child)), 0)
        judge(child, not attacking, work)
    while True:
        best, phi, delta, second, still_open = weigh(first, end, phis, deltas)
        if phi >= phi_limit or delta >= delta_limit or is_over(work):
            break
        # the limits of the best child's search keep it the best
        phi_room = min(NEVER, delta_limit - still_open + 1)
        delta_room = min(phi_limit, second + second // 4 + 1)
        prove(best, not attacking, phi_room, delta_room, end, work)
    note(at, attacking, phi, delta, work.tally[NODES] - began, work)


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

PROVING = Purpose("solve", lambda kernel: [FUNCTIONS])
"""Settling positions by this search alone."""


class Prover(TableSearch[Work]):
    """Settles positions of one variant, and remembers from each what may be of use for the next."""

    PLACE_NUMBERS = "phis", "deltas"

    hopeless = False
    """Whether there is nothing left to search, though the value is not known: play always ends."""

    within: int | None = None
    """A number of plies that suffices for the win: none is known."""

    def __init__(self, kernel: Kernel, *, memory: int) -> None:
        """Make a prover for the variant of a kernel; its table takes at most ``memory`` bytes, or its least size."""
        self._settle, transfer_bound = bind(FUNCTIONS, kernel)
        nothing = zeros("q", 0)
        work = Work(nothing, nothing, nothing, nothing, nothing, zeros("q", 4))
        super().__init__(kernel, work, transfer_bound, memory=memory)
        self.value: int | None = None
        """The verdict of perfect play on the kernel's position, None while `search` has not found it."""

    def search(self, nodes: int) -> None:
        """Search the kernel's position for so many more nodes."""
        self.value = self.settle(self._kernel.state, nodes)

    def cannot_win(self, mover: bool) -> bool:
        """Tell whether a side is known not to win though the value is not known: this search tells the value."""
        return False

    def settle(self, state: State, nodes: int = NO_LIMIT) -> int | None:
        """Return the verdict of perfect play on a position, or None where ``nodes`` were too few to find out.

        What was settled remains known, so that asking again goes on; but the way to where it was left is gone, so
        that fewer nodes than a game has plies may bring nothing new.
        """
        until = self.nodes + nodes
        while True:
            try:
                value = int(self._settle(state, 0, until - self.nodes, self._work))
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
        """Have everything compiled that the search calls; any answer will do."""
        self._settle(self._kernel.state, 0, 1, self._work)
        self._grow_table()
