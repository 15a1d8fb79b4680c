"""Forced wins within a number of plies: AND/OR search, one ply deeper at a time.

Does the side to move win within n plies, whatever the other does? Then one of its moves leads to a position
that is lost within n - 1 plies for the side to move there; and a position is lost so when every move from it
leads to one that is won within n - 2. A table remembers for each position and question the least n that is
known to suffice and the greatest that is known not to, so that a deeper search begins where the last one ended.

A search that finds nothing has sometimes shown more than it was asked: that no number of plies is enough. Where
that is so for both sides the game is a draw.

In positions that come up in play no move of a game here loses on the spot: it never leaves the opponent, now to move,
with a game already won. So the side to move can win in odd numbers of plies only, and lose in even ones.

Where a kernel knows a number of plies before which the game cannot end so (`least_plies`), fewer are not searched at
all: in GIPF that leaves out all play in which the loser collects pieces that there is no time to use up.

Source: depth-first AND/OR search with iterative deepening and a transposition table (Slate and Atkin 1977).
"""

from typing import NamedTuple

from engine.games.interface import DRAWN, LOST, UNDECIDED, WON, Kernel, State
from engine.games.kernels import bind
from engine.search.capabilities import candidates, least_plies, load, store, verdict
from engine.solve.proof_table import (
    ANSWER,
    EFFORT,
    ENTRY,
    MORE,
    NO_LIMIT,
    NODES,
    NODES_ALLOWED,
    STORED,
    TableSearch,
    Work,
    claim,
    entry_of,
    is_of,
    is_over,
    transfer,
)

ENDLESS = 1 << 20
"""A bound on plies that stands for: however many there are."""

STOPPED = -(1 << 30)
"""Answer of a search that was stopped before it knew."""

SUFFICE, REFUTED = ANSWER, MORE
"""What the table knows: the least number of plies known to suffice, ENDLESS where none is, and the greatest known not
to suffice, -1 where none is. Questions are 1, does the side to move win, and 2, does it lose; the effort is the number
of plies that was searched."""


def prove(at: int, left: int, winning: bool, first: int, work: Work) -> int:
    """Search whether the side to move wins (``winning``) or loses within ``left`` plies.

    The position stands in place ``at`` of the arena, with path 0; places from ``first`` on are free. Returns a
    number of plies, at most ``left``, that suffices; or the complement ``~n`` of a number of plies, at least
    ``left``, that does not; or STOPPED.
    """
    arena, entries = work.arena, work.entries
    state = load(arena, at)
    judged = verdict(state)
    if judged != UNDECIDED:
        return 0 if judged == (WON if winning else LOST) else ~ENDLESS
    least = least_plies(state, winning)
    if left < max(1, least):
        return ~max(0, least - 1)
    question = 1 if winning else 2
    entry = entry_of(arena, at, question, work.table, entries)
    base = entry * ENTRY
    if is_of(entry, arena, at, question, work.table, entries):
        suffices: int = entries[base + SUFFICE]
        refuted: int = entries[base + REFUTED]
        if suffices <= left:
            return suffices
        if refuted >= left:
            return ~refuted
    if is_over(work):
        return STOPPED
    work.tally[NODES] += 1
    end = candidates(state, arena, first)
    # how long the moves hold out: the longest loss, or what refutes the best attempt at a win
    bound = ENDLESS if winning else 0
    decided = False
    for child in range(first, end):
        store(arena, child, load(arena, child), 0)
        result = prove(child, left - 1, not winning, end, work)
        if result == STOPPED:
            return STOPPED
        plies = result if result >= 0 else ~result
        if winning == (result >= 0):
            bound = plies
            decided = True
            break
        bound = min(bound, plies) if winning else max(bound, plies)
    bound = min(bound + 1, ENDLESS)
    answer = bound if winning == decided else ~bound
    if left > 1:  # the search of the children may have taken the entry
        entry = entry_of(arena, at, question, work.table, entries)
        base = entry * ENTRY
    if not is_of(entry, arena, at, question, work.table, entries):
        work.tally[STORED] += claim(entry, arena, at, question, work.table, entries)
        entries[base + SUFFICE] = ENDLESS
        entries[base + REFUTED] = -1
    entries[base + EFFORT] = left
    if answer >= 0:
        entries[base + SUFFICE] = min(entries[base + SUFFICE], answer)
    else:
        entries[base + REFUTED] = max(entries[base + REFUTED], ~answer)
    return answer


FUNCTIONS = prove, transfer
"""What is bound to a kernel's rules."""


class ForcedWin(NamedTuple):
    """The side to move, or the other one, forces a win within so many plies and not within fewer."""

    for_mover: bool
    plies: int


class Deepening(TableSearch):
    """The search for the shortest forced win from a position, in portions.

    ``found`` is the win when one was found. ``refuted`` is the greatest number of plies within which neither side
    can force a win, -1 before anything is known. ``drawn`` says that neither side can ever win.
    """

    # only boards set up to that end fill the largest arena: their positions have thousands of children, which take a
    # kernel too long to tell apart
    FIRST_ENTRIES, FIRST_PLACES, MAX_PLACES = 1 << 10, 1 << 12, 1 << 15

    def __init__(self, kernel: Kernel, *, memory: int) -> None:
        """Begin with the position of a kernel; the table takes at most ``memory`` bytes, but for its least size."""
        self.found: ForcedWin | None = None
        self.refuted = -1
        self.drawn = False
        self._search, transfer_bound = bind(FUNCTIONS, kernel)
        self._ruled_out = [False, False]  # by parity of the plies: wins of the other side, of the side to move
        super().__init__(kernel, transfer_bound, memory=memory)

    @property
    def decided(self) -> bool:
        """Tell whether there is nothing left to search."""
        return self.found is not None or self.drawn

    def run(self, nodes: int, most: int = ENDLESS) -> None:
        """Search on, until decided, until no win within ``most`` plies is known to exist, or for ``nodes`` nodes.

        A portion that ends with its nodes leaves an unfinished depth, which the next one begins again with the
        table it has: let the portions grow, so that every depth ends some time.
        """
        allowed = self.nodes + nodes
        while not self.decided and self.refuted < most and self.nodes < allowed:
            if self.refuted < 0:
                self._judge()
            elif not self._deepen(self.refuted + 1, allowed):
                return

    def rule_out(self, for_mover: bool) -> None:
        """Look no more for wins of the side to move, or of the other one: it is known that there are none."""
        self._ruled_out[for_mover] = True
        self.drawn = self.drawn or (self.found is None and all(self._ruled_out))

    def loses(self, state: State, plies: int) -> bool:
        """Tell whether the side to move in another position of the variant loses within so many plies."""
        return self._prove(state, plies, False, NO_LIMIT) >= 0

    def warm_up(self) -> None:
        """Have everything compiled that the search calls, and spoil the search: for one that is thrown away."""
        self.run(1, 1)
        self._grow_table()

    def _judge(self) -> None:
        """Look whether the game is over."""
        verdict = self._kernel.rules.verdict(self._kernel.state)
        if verdict in (WON, LOST):
            self.found = ForcedWin(verdict == WON, 0)
        self.drawn = verdict == DRAWN
        self.refuted = 0

    def _deepen(self, plies: int, allowed: int) -> bool:
        """Search a ply deeper, until so many nodes are used up; return whether the search came to its end."""
        winning = plies % 2 == 1
        result = ~plies if self._ruled_out[winning] else self._prove(self._kernel.state, plies, winning, allowed)
        if result == STOPPED:
            return False
        if result >= 0:
            self.found = ForcedWin(winning, result)
            return True
        self.refuted = plies
        if result == ~ENDLESS:
            self.rule_out(winning)
        return True

    def _prove(self, state: State, plies: int, winning: bool, allowed: int) -> int:
        """Search to one depth, with a larger table or arena where the one there is proves too small."""
        tally = self._work.tally
        tally[NODES_ALLOWED] = allowed
        while True:
            self._kernel.rules.store(self._work.arena, 0, state, 0)
            try:
                result = int(self._search(0, plies, winning, 1, self._work))
            except OverflowError:
                self._grow_arena()
                continue
            if self._is_full():
                self._grow_table()
            if result != STOPPED or self.nodes >= allowed:
                return result
