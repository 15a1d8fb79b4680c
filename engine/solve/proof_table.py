"""A table of what is known about questions to positions, for solvers: no entry is taken for another's.

An entry has ENTRY numbers: the question (0 for none), two numbers that tell the answer so far, and the effort that
was spent on it. The position itself stands, whole, in the same place of an arena beside the table.
"""

from typing import Any, Generic, TypeVar

from engine.compiling.binding import Numbers, as_numba_takes, zeros
from engine.games.interface import Arena, Kernel
from engine.search.capabilities import WORDS, hash_of, load, store

ENTRY = 4
"""Numbers of an entry, at these offsets; what the answer means is a matter of who asks."""
QUESTION, ANSWER, MORE, EFFORT = range(4)

NODES, NODES_ALLOWED, STORED, STORED_ALLOWED = range(4)
"""Offsets in the counters of a search. A node is a position whose moves are made."""

PROBES = 4
"""Neighbouring entries of the table that a position may stand in; the one with the least effort gives way."""

GROWTH = 4
"""How many times as many entries a table has when it grows as it fills, and places an arena."""

NO_LIMIT = 1 << 60
"""As many nodes, or entries, as there may be."""


def same(arena: Arena, at: int, other: Arena, there: int) -> bool:
    """Tell whether two places of two arenas hold the same numbers."""
    word = 0
    while word < WORDS and arena[at * WORDS + word] == other[there * WORDS + word]:
        word += 1
    return word == WORDS


def is_over(work: Any) -> bool:
    """Tell whether no more nodes are allowed, or the table is full: ``work`` is anything with these counters."""
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


def claim(entry: int, arena: Arena, at: int, question: int, table: Arena, entries: Numbers) -> bool:
    """Make an entry the one of a position and question; tell whether it was empty. The answer is up to the caller."""
    was_empty = entries[entry * ENTRY + QUESTION] == 0
    store(table, entry, load(arena, at), 0)
    entries[entry * ENTRY + QUESTION] = question
    return was_empty


def transfer(table: Arena, entries: Numbers, larger_table: Arena, larger_entries: Numbers) -> int:
    """Move a table's entries into an empty larger one; return how many found room."""
    moved = 0
    for entry in range(len(entries) // ENTRY):
        question = entries[entry * ENTRY + QUESTION]
        if question != 0:
            target = entry_of(table, entry, question, larger_table, larger_entries)
            moved += 1 if claim(target, table, entry, question, larger_table, larger_entries) else 0
            for word in range(ENTRY):
                larger_entries[target * ENTRY + word] = entries[entry * ENTRY + word]
    return moved


WorkT = TypeVar("WorkT")


class TableSearch(Generic[WorkT]):
    """A search with a table and an arena, both of which grow as they fill."""

    FIRST_ENTRIES, FIRST_PLACES, MAX_PLACES = 1 << 12, 1 << 10, 1 << 16
    """Entries of the table and places of the arena at the beginning, and places of the largest arena that is tried."""

    PLACE_NUMBERS: tuple[str, ...] = ()
    """Arrays with a number for each place of the arena, by their names in the work."""

    NOTE = 0
    """Numbers beside each entry of the table, in the array ``notes``."""

    def __init__(self, kernel: Kernel, work: WorkT, transfer: Any, *, memory: int) -> None:
        """Take a kernel of the board, what the search works on, and `transfer`, bound to the board's rules.

        ``work`` is a NamedTuple with ``arena``, ``table``, ``entries``, ``tally``, and the arrays named above; all but
        the tally are made here. The table takes at most ``memory`` bytes, or its least size.
        """
        self._kernel = kernel
        self._work: Any = work
        self._transfer = transfer
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
        old = self._work
        self._make_table(len(old.entries) // ENTRY * GROWTH)
        self._work.tally[STORED] = self._transfer(old.table, old.entries, self._work.table, self._work.entries)

    def _make_arena(self, places: int) -> None:
        numbers = {name: zeros("q", places) for name in self.PLACE_NUMBERS}
        self._replace(arena=self._kernel.arena(places), **numbers)

    def _make_table(self, entries: int) -> None:
        notes = {"notes": zeros("q", entries * self.NOTE)} if self.NOTE else {}
        self._replace(table=self._kernel.arena(entries), entries=zeros("i", entries * ENTRY), **notes)
        self._work.tally[STORED_ALLOWED] = entries // 2 if entries < self._most_entries else NO_LIMIT

    def _replace(self, **arrays: Numbers) -> None:
        """Replace arrays. They are converted here, since the conversion takes longer than most compiled calls."""
        work = self._work._replace(**arrays)
        self._work = as_numba_takes(work) if self._kernel.compiled else work
