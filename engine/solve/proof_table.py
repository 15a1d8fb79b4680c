"""A table of what is known about questions to positions, for solvers: no entry is taken for another's.

An entry has ENTRY numbers: the question (0 for none), two numbers that tell the answer so far, and the effort that
was spent on it. The position itself stands, whole, in the same place of an arena beside the table.
"""

from typing import Any, NamedTuple

from engine.compiling.binding import Numbers, as_numba_takes, zeros
from engine.games.interface import Arena, Kernel
from engine.search.capabilities import WORDS, hash_of, load, store

ENTRY = 4
"""Numbers of an entry, at these offsets. Each search says what the answer means."""
QUESTION, ANSWER, MORE, EFFORT = range(4)

NODES, NODES_ALLOWED, STORED, STORED_ALLOWED, PATHS, HORIZON, PATH = range(7)
"""Offsets in the tally of a search. A node is a position whose moves are made. In games that can go on for ever there
are the number of paths so far, the depth at which the search ends, and the path: the positions from the root on."""

PROBES = 4
"""Neighbouring entries of the table that a position may stand in; the one with the least effort gives way."""

GROWTH = 4
"""How many times as many entries a table has when it grows as it fills, and places an arena."""

NO_LIMIT = 1 << 60
"""As many nodes, or entries, as there may be."""


class Work(NamedTuple):
    """The arrays of a search. They are few, since a call of a compiled function passes each of them."""

    arena: Arena
    """The position in question, and behind it the children of every node on the path."""
    phis: Numbers
    """Proof numbers of the positions in the arena's places."""
    deltas: Numbers
    rests: Numbers
    """Two numbers for each place: the least and the greatest depth that a disproof rests on. A proof has in place of
    the least depth the plies within which it wins."""
    table: Arena
    """The positions of the table."""
    entries: Numbers
    """ENTRY numbers for each of them."""
    notes: Numbers
    """More numbers for each of them, in games that can go on for ever."""
    tally: Numbers


def same(arena: Arena, at: int, other: Arena, there: int) -> bool:
    """Tell whether two places of two arenas hold the same numbers."""
    word = 0
    while word < WORDS and arena[at * WORDS + word] == other[there * WORDS + word]:
        word += 1
    return word == WORDS


def is_over(work: Work) -> bool:
    """Tell whether no more nodes are allowed, or the table is full."""
    tally = work.tally
    return tally[NODES] >= tally[NODES_ALLOWED] or tally[STORED] >= tally[STORED_ALLOWED]


def is_of(entry: int, arena: Arena, at: int, question: int, table: Arena, entries: Numbers) -> bool:
    """Tell whether an entry is the one of a position and question."""
    return entries[entry * ENTRY + QUESTION] == question and same(arena, at, table, entry)


def entry_of(arena: Arena, at: int, question: int, table: Arena, entries: Numbers) -> int:
    """Return the entry of a position and question: the one that it has, or else the one that it may have."""
    last = len(entries) // ENTRY - 1
    start: int = hash_of(load(arena, at))
    best = -1
    for probe in range(PROBES):
        entry = (start + probe) & last
        if is_of(entry, arena, at, question, table, entries):
            return entry
        if best < 0 or entries[entry * ENTRY + EFFORT] < entries[best * ENTRY + EFFORT]:
            best = entry
        if entries[entry * ENTRY + QUESTION] == 0:
            break  # no entry was ever put behind an empty one
    return best


def claim(entry: int, arena: Arena, at: int, question: int, table: Arena, entries: Numbers) -> int:
    """Make an entry the one of a position and question; return 1 if it was empty, else 0."""
    was_empty = 1 if entries[entry * ENTRY + QUESTION] == 0 else 0
    store(table, entry, load(arena, at), 0)
    entries[entry * ENTRY + QUESTION] = question
    return was_empty


def transfer(small: Work, large: Work) -> int:
    """Move the entries of a table into an empty larger one; return how many found room."""
    count = len(small.entries) // ENTRY
    noted = len(small.notes) // count
    moved = 0
    for entry in range(count):
        question = small.entries[entry * ENTRY + QUESTION]
        if question != 0:
            target = entry_of(small.table, entry, question, large.table, large.entries)
            moved += claim(target, small.table, entry, question, large.table, large.entries)
            for word in range(ENTRY):
                large.entries[target * ENTRY + word] = small.entries[entry * ENTRY + word]
            for word in range(noted):
                large.notes[target * noted + word] = small.notes[entry * noted + word]
    return moved


class TableSearch:
    """A search with a table and an arena, both of which grow as they fill."""

    FIRST_ENTRIES, FIRST_PLACES, MAX_PLACES = 1 << 12, 1 << 10, 1 << 16
    """Entries of the table and places of the arena at the beginning, and places of the largest arena that is tried."""

    NOTE = 0
    """Numbers of an entry in the array ``notes``."""

    TALLY = PATH
    """Numbers of the tally."""

    def __init__(self, kernel: Kernel, transfer: Any, *, memory: int) -> None:
        """Take a kernel of the board, and `transfer` bound to its rules.

        The table takes at most ``memory`` bytes, or its least size.
        """
        self._kernel = kernel
        self._transfer = transfer
        nothing = zeros("q", 0)
        self._work = Work(nothing, nothing, nothing, nothing, nothing, nothing, nothing, zeros("q", self.TALLY))
        entry_bytes = 8 * kernel.rules.WORDS + 4 * ENTRY + 8 * self.NOTE
        self._most_entries = self.FIRST_ENTRIES
        while self._most_entries * GROWTH * entry_bytes <= memory:
            self._most_entries *= GROWTH
        self._make_arena(self.FIRST_PLACES)
        self._make_table(self.FIRST_ENTRIES)

    @property
    def nodes(self) -> int:
        """Positions whose moves were made, for all questions together."""
        return int(self._work.tally[NODES])

    def _is_full(self) -> bool:
        return bool(self._work.tally[STORED] >= self._work.tally[STORED_ALLOWED])

    def _grow_arena(self) -> None:
        """Make a larger arena; raises OverflowError where it would be too large."""
        places = GROWTH * len(self._work.arena) // self._kernel.rules.WORDS
        if places > self.MAX_PLACES:
            raise OverflowError(f"a line of play has more children than {self.MAX_PLACES} places hold")
        self._make_arena(places)

    def _grow_table(self) -> None:
        small = self._work
        self._make_table(len(small.entries) // ENTRY * GROWTH)
        self._work.tally[STORED] = self._transfer(small, self._work)

    def _make_arena(self, places: int) -> None:
        arena, phis, deltas = self._kernel.arena(places), zeros("q", places), zeros("q", places)
        self._replace(arena=arena, phis=phis, deltas=deltas, rests=zeros("q", 2 * places))

    def _make_table(self, entries: int) -> None:
        table, notes = self._kernel.arena(entries), zeros("q", entries * self.NOTE)
        self._replace(table=table, entries=zeros("i", entries * ENTRY), notes=notes)
        self._work.tally[STORED_ALLOWED] = entries // 2 if entries < self._most_entries else NO_LIMIT

    def _replace(self, **arrays: Numbers) -> None:
        """Replace arrays. They are converted here, since the conversion takes longer than most compiled calls."""
        work = self._work._replace(**arrays)
        self._work = as_numba_takes(work) if self._kernel.compiled else work
