"""Proof-number search: does one side force a win, however long it takes?

Depth-first proof-number search (df-pn) over the AND/OR tree of one question: does the attacker win? A draw is then as
good as a win for the defender. Every position has two numbers, seen from the side to move: how many leaves have to be
settled in its favour, at the least, to settle the position so (``phi``), and how many to settle it against (``delta``).
The search always goes on where the least is missing, and remembers both numbers in a table.

A position with several moves needs only one that succeeds, and needs all of them refuted: its phi is the least delta of
its children, and its delta ought to be the sum of their phi. In games where many orders of moves lead to the same
position the sum counts the same work over and over; so delta is the largest phi of the children that are open, and
one more for each other open child (weak proof-number search).

The search holds for games that cannot go on for ever, those whose kernels have ``plies_left``: a position there never
stands on the path to itself.

Sources: Allis, van der Meulen and van den Herik 1994 (proof numbers), Nagai 2002 (df-pn), Pawlewicz and Lew 2007
(thresholds that leave room for a quarter more), Ueda, Hashimoto, Hashimoto and Iida 2008 (weak proof-number search).
"""

from types import SimpleNamespace
from typing import Any

from engine.game import DRAWN, LOST, MINE, THEIRS, UNDECIDED, WON, Kernel
from engine.search import binding, entries
from engine.search.binding import numbers
from engine.search.entries import ANSWER, EFFORT, ENTRY, MORE, claim, entry_of, is_of

# What `engine.search.binding.bind` puts in the place of these: the rules of a game.
load: Any = None
store: Any = None
children: Any = None
verdict: Any = None

PHI, DELTA = ANSWER, MORE
"""What the table knows of a question: 1, does the side to move win, or 2, does it at least not lose. The effort is the
number of positions whose moves were made for it."""

NEVER = 1 << 28
"""The number that stands for: this cannot be any more. With a 0 it makes a settled position."""

NODES, NODES_ALLOWED, STORED, STORED_ALLOWED = range(4)
"""Offsets in the counters of a search. A node is a position whose moves are made."""


def candidates(state: Any, arena: Any, first: int) -> int:
    """Write children among which one is as good as the best: all, unless the game's kernel knows better."""
    return children(state, arena, first)


def hopes(state: Any) -> int:
    """Tell who may still win: both, unless the game's kernel knows better."""
    return MINE + THEIRS


def canonical(state: Any) -> Any:
    """Return the position that stands for all symmetric ones: itself, unless the game's kernel knows better."""
    return state


def judge(at: int, attacking: bool, arena: Any, phis: Any, deltas: Any, table: Any, entries: Any) -> None:
    """Note the numbers of a position as far as they are known without making its moves.

    ``attacking`` tells whether the side to move is the one whose win is in question.
    """
    state = load(arena, at)
    outcome = verdict(state)
    if outcome == UNDECIDED and hopes(state) & (MINE if attacking else THEIRS) == 0:
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
        entry = entry_of(arena, at, question, table, entries)
        if is_of(entry, arena, at, question, table, entries):
            phi, delta = entries[entry * ENTRY + PHI], entries[entry * ENTRY + DELTA]
    phis[at], deltas[at] = phi, delta


def prove(
    at: int,
    attacking: bool,
    phi_limit: int,
    delta_limit: int,
    arena: Any,
    first: int,
    phis: Any,
    deltas: Any,
    table: Any,
    entries: Any,
    tally: Any,
) -> None:
    """Search a position until one of its numbers reaches its limit, or no more nodes are allowed.

    The position stands in place ``at``; places from ``first`` on are free. The numbers stand in ``phis`` and
    ``deltas``, a place of theirs for a place of the arena, and have to be known when the search begins.
    """
    began = tally[NODES]
    tally[NODES] += 1
    end = candidates(load(arena, at), arena, first)
    if end > len(phis):
        raise OverflowError("the arena is full")
    for child in range(first, end):
        store(arena, child, canonical(load(arena, child)), 0)
        judge(child, not attacking, arena, phis, deltas, table, entries)
    while True:
        # the best child is the one with which least is missing; the limits of its search keep it the best
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
        if phi >= phi_limit or delta >= delta_limit or tally[NODES] >= tally[NODES_ALLOWED]:
            break
        if tally[STORED] >= tally[STORED_ALLOWED]:
            break
        prove(
            best,
            not attacking,
            min(NEVER, delta_limit - still_open + 1),
            min(phi_limit, second + second // 4 + 1),
            arena,
            end,
            phis,
            deltas,
            table,
            entries,
            tally,
        )
    phis[at], deltas[at] = phi, delta
    question = 1 if attacking else 2
    entry = entry_of(arena, at, question, table, entries)
    if not is_of(entry, arena, at, question, table, entries):
        tally[STORED] += 1 if claim(entry, arena, at, question, table, entries) else 0
        entries[entry * ENTRY + EFFORT] = 0
    entries[entry * ENTRY + PHI] = phi
    entries[entry * ENTRY + DELTA] = delta
    entries[entry * ENTRY + EFFORT] = min(NEVER, entries[entry * ENTRY + EFFORT] + tally[NODES] - began)


FUNCTIONS = (*entries.FUNCTIONS, candidates, hopes, canonical, judge, prove)

FIRST_ENTRIES = 1 << 12
"""Entries that a table begins with; it grows as it fills."""

GROWTH = 4

FIRST_PLACES = 1 << 10
"""Places of the arena that a search begins with."""

MOST_PLACES = 1 << 16
"""Places of the largest arena that a search tries."""

NO_LIMIT = 1 << 62


def bind(kernel: Kernel) -> SimpleNamespace:
    """Return the search bound to a kernel's rules; each binding is made once."""
    return binding.bind(FUNCTIONS, kernel)


class Prover:
    """Proves who wins in positions of one variant, and remembers what it found from question to question."""

    def __init__(self, kernel: Kernel, *, memory: int) -> None:
        """Make a prover for the variant of a kernel; its table takes at most ``memory`` bytes, or its least size."""
        self.nodes = 0
        """Positions whose moves were made, by all questions together."""
        self._kernel = kernel
        self._functions = bind(kernel)
        self._tally = numbers(kernel, "q", 4)
        entry_bytes = 8 * kernel.rules.WORDS + 4 * ENTRY
        self._most_entries = FIRST_ENTRIES
        while self._most_entries * GROWTH * entry_bytes <= memory:
            self._most_entries *= GROWTH
        self._make_arena(FIRST_PLACES)
        self._make_table(FIRST_ENTRIES)

    def prove(self, state: Any, attacking: bool, nodes: int = NO_LIMIT) -> bool | None:
        """Tell whether the side to move wins (``attacking``) or at least does not lose; None if ``nodes`` were too few.

        What was found out remains known, so that asking again goes on; but each time the way to where it was left is
        gone again, so that fewer nodes than a game has plies may bring nothing new.
        """
        allowed = self.nodes + nodes
        self._kernel.rules.store(self._arena, 0, self._functions.canonical(state), 0)
        self._judge_root(attacking)
        while self._phis[0] != 0 and self._deltas[0] != 0:
            if self.nodes >= allowed:
                return None
            self._search(attacking, allowed - self.nodes)
        return bool(self._phis[0] == 0)

    def value(self, state: Any, nodes: int = NO_LIMIT) -> int | None:
        """Return the verdict of perfect play on a position, or None where ``nodes`` were too few to find out."""
        allowed = self.nodes + nodes
        portion = FIRST_ENTRIES
        not_won = not_lost = False
        while True:
            # a portion for each question in turn: who attacks with success is seldom known before
            if not not_won:
                won = self.prove(state, True, min(portion, allowed - self.nodes))
                if won:
                    return WON
                not_won = won is not None
            if not not_lost:
                safe = self.prove(state, False, min(portion, allowed - self.nodes))
                if safe is not None and not safe:
                    return LOST
                not_lost = safe is not None
            if not_won and not_lost:
                return DRAWN
            if self.nodes >= allowed:
                return None
            portion *= 2

    def warm_up(self) -> None:
        """Have everything compiled that the search calls, with a position that is not over."""
        self._kernel.rules.store(self._arena, 0, self._kernel.state, 0)
        self._judge_root(True)
        self._search(True, 1)
        self._grow_table()

    def _judge_root(self, attacking: bool) -> None:
        self._functions.judge(0, attacking, self._arena, self._phis, self._deltas, self._table, self._entries)

    def _search(self, attacking: bool, nodes: int) -> None:
        """Search the position in place 0 for so many nodes, or until the table or the arena is full: both then grow."""
        tally, entries = self._tally, self._entries
        tally[NODES], tally[NODES_ALLOWED] = 0, nodes
        room = len(entries) // ENTRY < self._most_entries
        tally[STORED_ALLOWED] = len(entries) // ENTRY // 2 if room else NO_LIMIT
        try:
            self._functions.prove(
                0, attacking, NEVER, NEVER, self._arena, 1, self._phis, self._deltas, self._table, entries, tally
            )
        except OverflowError:
            places = 4 * len(self._phis)
            if places > MOST_PLACES:
                raise
            root = self._kernel.rules.load(self._arena, 0)
            self._make_arena(places)
            self._kernel.rules.store(self._arena, 0, root, 0)
            self._judge_root(attacking)
        self.nodes += int(tally[NODES])
        if tally[STORED] >= tally[STORED_ALLOWED]:
            self._grow_table()

    def _grow_table(self) -> None:
        table, entries = self._table, self._entries
        self._make_table(len(entries) // ENTRY * GROWTH)
        self._tally[STORED] = self._functions.transfer(table, entries, self._table, self._entries)

    def _make_arena(self, places: int) -> None:
        self._arena = self._kernel.arena(places)
        self._phis = numbers(self._kernel, "q", places)
        self._deltas = numbers(self._kernel, "q", places)

    def _make_table(self, entries: int) -> None:
        self._table = self._kernel.arena(entries)
        self._entries = numbers(self._kernel, "i", entries * ENTRY)
