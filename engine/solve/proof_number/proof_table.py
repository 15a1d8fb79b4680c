"""A table of what is known about questions to positions, for solvers: no entry is taken for another's.

An entry has ENTRY numbers: the question (0 for none), two numbers that tell the answer so far, and the effort that
was spent on it. The position itself stands, whole, in the same place of an arena beside the table.
"""

from engine.compiling.binding import Numbers
from engine.games.interface import Arena, Kernel
from engine.search.binding import same
from engine.search.capabilities import hash_of, load, store

ENTRY = 4
"""Numbers of an entry, at these offsets; what the answer means is a matter of who asks."""
QUESTION, ANSWER, MORE, EFFORT = range(4)

NODES, NODES_ALLOWED, STORED, STORED_ALLOWED = range(4)
"""Offsets in the counters of a search. A node is a position whose moves are made."""

PROBES = 4
"""Neighbouring entries of the table that a position may stand in; the one with the least effort gives way."""

FIRST_ENTRIES, GROWTH = 1 << 12, 4
"""Entries that a table begins with, and how many times as many it has when it grows, as it fills."""

FIRST_PLACES, MAX_PLACES = 1 << 10, 1 << 16
"""Places of the arena that a search begins with, and of the largest one that it tries."""

NO_LIMIT = 1 << 60
"""As many nodes, or entries, as there may be."""


def most_entries(first: int, kernel: Kernel, memory: int, note_bytes: int = 0) -> int:
    """Return how many entries a table may grow to in so many bytes; no fewer than it begins with.

    ``note_bytes`` is what is kept beside each entry.
    """
    entry_bytes = 8 * kernel.rules.WORDS + 4 * ENTRY + note_bytes
    most = first
    while most * GROWTH * entry_bytes <= memory:
        most *= GROWTH
    return most


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
