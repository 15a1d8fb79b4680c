"""The table of the solver's searches. It has no collisions: whole positions are compared.

An entry has ENTRY numbers: a question (0 for an empty entry), two numbers of the answer so far, and the effort. An
arena has the position of each entry in the place with the same number.
"""

from typing import Any, NamedTuple

from engine.compiling.binding import Numbers, as_numba_takes, zeros
from engine.games.interface import Arena, Kernel
from engine.search.capabilities import WORDS, hash_of, load, store

ENTRY = 4
"""Number of numbers in an entry."""
QUESTION, ANSWER, MORE, EFFORT = range(4)

NODES, MAX_NODES, STORED, MAX_STORED, PATHS, HORIZON, PATH = range(7)
"""Offsets in `Work.counters`: expanded positions and used entries, each with its limit. For games that can go on for
ever also the number of paths so far, the horizon, and the positions of the path."""

PROBES = 4
"""Neighbouring entries for a position. The entry with the least effort is replaced."""

GROWTH = 4
"""Factor of growth of a full table, and of a full arena."""

NO_LIMIT = 1 << 60
"""A limit that is never reached."""


class Work(NamedTuple):
    """The arrays of a search. They are few, since each call of a compiled function passes all of them."""

    arena: Arena
    """The root, and after it the children of every node on the path."""
    phis: Numbers
    """Proof numbers of the positions in the arena."""
    deltas: Numbers
    dependencies: Numbers
    """Two numbers for each place: the least and the greatest depth that a disproof dependencies on. A proof has in
    place of the least depth the plies within which it wins."""
    table: Arena
    """The positions of the entries."""
    entries: Numbers
    """ENTRY numbers for each entry."""
    notes: Numbers
    """More numbers for each entry, in games that can go on for ever."""
    counters: Numbers


def are_equal(arena: Arena, at: int, other: Arena, there: int) -> bool:
    """Tell whether two places of two arenas have equal positions."""
    word = 0
    while word < WORDS and arena[at * WORDS + word] == other[there * WORDS + word]:
        word += 1
    return word == WORDS


def must_stop(work: Work) -> bool:
    """Tell whether the node limit is reached, or the table is full."""
    counters = work.counters
    return counters[NODES] >= counters[MAX_NODES] or counters[STORED] >= counters[MAX_STORED]


def is_entry_of(entry: int, arena: Arena, at: int, question: int, table: Arena, entries: Numbers) -> bool:
    """Tell whether an entry belongs to a position and a question."""
    return entries[entry * ENTRY + QUESTION] == question and are_equal(arena, at, table, entry)


def find_entry(arena: Arena, at: int, question: int, table: Arena, entries: Numbers) -> int:
    """Return the entry of a position and a question, or the entry to use for them."""
    last = len(entries) // ENTRY - 1
    start: int = hash_of(load(arena, at))
    best = -1
    for probe in range(PROBES):
        entry = (start + probe) & last
        if is_entry_of(entry, arena, at, question, table, entries):
            return entry
        if best < 0 or entries[entry * ENTRY + EFFORT] < entries[best * ENTRY + EFFORT]:
            best = entry
        if entries[entry * ENTRY + QUESTION] == 0:
            break  # entries are filled in order
    return best


def begin_entry(entry: int, arena: Arena, at: int, question: int, table: Arena, entries: Numbers) -> int:
    """Write a position and a question into an entry; return 1 if it was empty, else 0."""
    was_empty = 1 if entries[entry * ENTRY + QUESTION] == 0 else 0
    store(table, entry, load(arena, at), 0)
    entries[entry * ENTRY + QUESTION] = question
    return was_empty


def transfer(small: Work, large: Work) -> int:
    """Copy the entries of a table to an empty larger one; return the number of used entries."""
    count = len(small.entries) // ENTRY
    noted = len(small.notes) // count
    moved = 0
    for entry in range(count):
        question = small.entries[entry * ENTRY + QUESTION]
        if question != 0:
            target = find_entry(small.table, entry, question, large.table, large.entries)
            moved += begin_entry(target, small.table, entry, question, large.table, large.entries)
            for word in range(ENTRY):
                large.entries[target * ENTRY + word] = small.entries[entry * ENTRY + word]
            for word in range(noted):
                large.notes[target * noted + word] = small.notes[entry * noted + word]
    return moved


class TableSearch:
    """A search with a table and an arena, both of which grow as they fill."""

    FIRST_ENTRIES, FIRST_PLACES, MAX_PLACES = 1 << 12, 1 << 10, 1 << 16
    """Entries of the first table, places of the first arena, and places of the largest arena."""

    NOTE_NUMBERS = 0
    """Numbers of an entry in `Work.notes`."""

    COUNTERS = PATH
    """Numbers in `Work.counters`."""

    def __init__(self, kernel: Kernel, transfer: Any, *, memory: int) -> None:
        """Take a kernel of the board, and `transfer` bound to its rules.

        The table has at most ``memory`` bytes, or its least size.
        """
        self._kernel = kernel
        self._transfer = transfer
        nothing = zeros("q", 0)
        self._work = Work(nothing, nothing, nothing, nothing, nothing, nothing, nothing, zeros("q", self.COUNTERS))
        entry_bytes = 8 * kernel.rules.WORDS + 4 * ENTRY + 8 * self.NOTE_NUMBERS
        self._most_entries = self.FIRST_ENTRIES
        while self._most_entries * GROWTH * entry_bytes <= memory:
            self._most_entries *= GROWTH
        self._make_arena(self.FIRST_PLACES)
        self._make_table(self.FIRST_ENTRIES)

    @property
    def nodes(self) -> int:
        """Expanded positions of all questions."""
        return int(self._work.counters[NODES])

    def _is_full(self) -> bool:
        return bool(self._work.counters[STORED] >= self._work.counters[MAX_STORED])

    def _grow_arena(self) -> None:
        """Make a larger arena; raises OverflowError if it would be too large."""
        places = GROWTH * len(self._work.arena) // self._kernel.rules.WORDS
        if places > self.MAX_PLACES:
            raise OverflowError(f"a line of play has more children than {self.MAX_PLACES} places hold")
        self._make_arena(places)

    def _grow_table(self) -> None:
        small = self._work
        self._make_table(len(small.entries) // ENTRY * GROWTH)
        self._work.counters[STORED] = self._transfer(small, self._work)

    def _make_arena(self, places: int) -> None:
        arena, phis, deltas = self._kernel.arena(places), zeros("q", places), zeros("q", places)
        self._replace(arena=arena, phis=phis, deltas=deltas, dependencies=zeros("q", 2 * places))

    def _make_table(self, entries: int) -> None:
        table, notes = self._kernel.arena(entries), zeros("q", entries * self.NOTE_NUMBERS)
        self._replace(table=table, entries=zeros("i", entries * ENTRY), notes=notes)
        self._work.counters[MAX_STORED] = entries // 2 if entries < self._most_entries else NO_LIMIT

    def _replace(self, **arrays: Numbers) -> None:
        """Replace arrays, and convert them for compiled functions once: a conversion takes longer than most calls."""
        work = self._work._replace(**arrays)
        self._work = as_numba_takes(work) if self._kernel.compiled else work
