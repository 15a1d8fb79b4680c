"""Forced wins in a number of plies: AND/OR search with iterative deepening and a transposition table.

A position is won in n plies if one move leads to a position that is lost in n - 1 plies. It is lost in n plies if all
moves lead to positions that are won in n - 1 plies. For each position and question, the table has the least n that is
enough and the greatest n that is not enough. So a deeper search continues the last one.

A failed search may prove that no number of plies is enough. If this holds for both sides, the game is a draw.

No game here has a move that loses at once, in positions that play can reach. So the side to move wins in odd numbers of
plies and loses in even numbers.

If a kernel has a lower bound of the plies (`least_plies`), shorter wins are not searched. In GIPF this leaves out games
in which the loser collects pieces and has no time to use them.

Source: depth-first search with iterative deepening and a transposition table (Slate and Atkin 1977).
"""

from typing import NamedTuple

from engine.games.interface import DRAWN, LOST, UNDECIDED, WON, Kernel, State
from engine.games.kernels import bind
from engine.search.capabilities import candidates, least_plies, load, store, verdict
from engine.solve.proof_table import (
    ANSWER,
    EFFORT,
    ENTRY,
    MAX_NODES,
    MORE,
    NO_LIMIT,
    NODES,
    STORED,
    TableSearch,
    Work,
    begin_entry,
    find_entry,
    is_entry_of,
    must_stop,
    transfer,
)

ENDLESS = 1 << 20
"""Number of plies without a limit."""

STOPPED = -(1 << 30)
"""Result of a search that was stopped."""

SUFFICE, REFUTED = ANSWER, MORE
"""Offsets in an entry: the least number of plies that is enough, or ENDLESS, and the greatest number that is not
enough, or -1. Question 1 is whether the side to move wins, question 2 is whether it loses. The effort is the searched
plies."""


def prove(at: int, left: int, winning: bool, first: int, work: Work) -> int:
    """Search whether the side to move wins (``winning``) or loses in at most ``left`` plies.

    The position is in place ``at`` of the arena, and the places from ``first`` on are free. Returns a number of plies,
    at most ``left``, that is enough. Otherwise returns the complement ``~n`` of a number of plies, at least ``left``,
    that is not enough, or STOPPED.
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
    entry = find_entry(arena, at, question, work.table, entries)
    base = entry * ENTRY
    if is_entry_of(entry, arena, at, question, work.table, entries):
        suffices: int = entries[base + SUFFICE]
        refuted: int = entries[base + REFUTED]
        if suffices <= left:
            return suffices
        if refuted >= left:
            return ~refuted
    if must_stop(work):
        return STOPPED
    work.counters[NODES] += 1
    end = candidates(state, arena, first)
    # for a loss the longest defence, for a win the plies in which no move wins
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
    if left > 1:  # the search of the children may have replaced the entry
        entry = find_entry(arena, at, question, work.table, entries)
        base = entry * ENTRY
    if not is_entry_of(entry, arena, at, question, work.table, entries):
        work.counters[STORED] += begin_entry(entry, arena, at, question, work.table, entries)
        entries[base + SUFFICE] = ENDLESS
        entries[base + REFUTED] = -1
    entries[base + EFFORT] = left
    if answer >= 0:
        entries[base + SUFFICE] = min(entries[base + SUFFICE], answer)
    else:
        entries[base + REFUTED] = max(entries[base + REFUTED], ~answer)
    return answer


FUNCTIONS = prove, transfer
"""The functions to bind to the rules of a kernel."""


class ForcedWin(NamedTuple):
    """A forced win of the side to move, or of the other side, in the least number of plies."""

    for_mover: bool
    plies: int


class ForcedWinSearch(TableSearch):
    """The search for the shortest forced win from a position, in portions.

    ``found`` is the win, or None. ``refuted`` is the greatest number of plies in which neither side can force a win, at
    first -1. ``drawn`` tells whether neither side can ever win.
    """

    # only constructed positions with thousands of children fill the largest arena
    FIRST_ENTRIES, FIRST_PLACES, MAX_PLACES = 1 << 10, 1 << 12, 1 << 15

    def __init__(self, kernel: Kernel, *, memory: int) -> None:
        """Begin with the position of a kernel. The table has at most ``memory`` bytes, or its least size."""
        self.found: ForcedWin | None = None
        self.refuted = -1
        self.drawn = False
        self._search, transfer_bound = bind(FUNCTIONS, kernel)
        self._ruled_out = [False, False]  # by parity of the plies: wins of the other side, of the side to move
        super().__init__(kernel, transfer_bound, memory=memory)

    @property
    def decided(self) -> bool:
        """Whether the result is known."""
        return self.found is not None or self.drawn

    def run(self, nodes: int, most: int = ENDLESS) -> None:
        """Search ``nodes`` more nodes, until the result is known, or until wins in ``most`` plies are refuted.

        An incomplete depth starts again in the next portion, with the same table. So the portions must grow.
        """
        allowed = self.nodes + nodes
        while not self.decided and self.refuted < most and self.nodes < allowed:
            if self.refuted < 0:
                self._check_end()
            elif not self._deepen(self.refuted + 1, allowed):
                return

    def rule_out(self, for_mover: bool) -> None:
        """Note that the side to move, or the other side, has no win."""
        self._ruled_out[for_mover] = True
        self.drawn = self.drawn or (self.found is None and all(self._ruled_out))

    def loses(self, state: State, plies: int) -> bool:
        """Tell whether the side to move in another position of the variant loses in at most ``plies`` plies."""
        return self._prove(state, plies, False, NO_LIMIT) >= 0

    def warm_up(self) -> None:
        """Compile everything that the search calls. The search must not be used after that."""
        self.run(1, 1)
        self._grow_table()

    def _check_end(self) -> None:
        """Find out whether the game is over."""
        verdict = self._kernel.rules.verdict(self._kernel.state)
        if verdict in (WON, LOST):
            self.found = ForcedWin(verdict == WON, 0)
        self.drawn = verdict == DRAWN
        self.refuted = 0

    def _deepen(self, plies: int, allowed: int) -> bool:
        """Search to a depth of ``plies`` until ``allowed`` nodes are used; tell whether the depth was completed."""
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
        """Search to one depth. The table and the arena grow if they are too small."""
        counters = self._work.counters
        counters[MAX_NODES] = allowed
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
