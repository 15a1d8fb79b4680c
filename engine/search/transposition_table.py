"""The transposition table and the set of positions that would repeat: plain functions over flat arrays.

A table is an array of buckets, a bucket two entries, an entry two numbers: what a search found of a position, packed
into one number, and before it the position's hash, mixed with that by exclusive or. So an entry of which two threads
have written a half each belongs to no position (Hyatt and Mann 2002), and threads may share a table. The first entry of
a bucket keeps what was searched deepest, until a later search replaces it; the second always keeps the latest (the
two-tier scheme of Ken Thompson's Belle).

The set of positions is a hash table with open addressing, two numbers a slot: the hash plus 1, and since which
ply the position stands on the path. Positions leave the set in the reverse order in which they came, so that
emptying a slot never breaks the chain of another.
"""

from engine.compiling.binding import Numbers

NOTHING, UPPER, LOWER, EXACT = 0, 1, 2, 3
"""What a score in the table is: none at all, no less than the true one, no more than it, or the true one."""

ENTRY_WORDS, BUCKET_WORDS = 2, 4

SCORE_OFFSET = 1 << 23
"""Added to a score, which makes it positive."""

# An entry's second number, from the low bits up: bound 2, depth 8, generation 8, child 16, score 24.
DEPTH_SHIFT, GENERATION_SHIFT, CHILD_SHIFT, SCORE_SHIFT = 2, 10, 18, 34
BOUND_MASK, DEPTH_MASK, GENERATION_MASK, CHILD_MASK = 3, 255, 255, 65535

NO_CHILD = CHILD_MASK
"""Stands in an entry that knows no best child."""


def probe(table: Numbers, key: int) -> int:
    """Return the entry of a position, or 0 where the table has none."""
    at = (key & (len(table) // BUCKET_WORDS - 1)) * BUCKET_WORDS
    entry: int = table[at + 1]
    if table[at] ^ entry == key:
        return entry
    entry = table[at + ENTRY_WORDS + 1]
    if table[at + ENTRY_WORDS] ^ entry == key:
        return entry
    return 0


def remember(table: Numbers, key: int, score: int, bound: int, depth: int, child: int, generation: int) -> None:
    """Write what was found of a position. The number of buckets must be a power of two."""
    at = (key & (len(table) // BUCKET_WORDS - 1)) * BUCKET_WORDS
    entry: int = table[at + 1]
    if table[at] ^ entry != key:
        if not is_of_generation(entry, generation) or (entry >> DEPTH_SHIFT) & DEPTH_MASK <= depth:
            # what is driven out may still be of use, unless nobody knows how old it is
            table[at + ENTRY_WORDS] = table[at]
            table[at + ENTRY_WORDS + 1] = entry
        else:
            at += ENTRY_WORDS
    entry = (
        bound
        | (depth << DEPTH_SHIFT)
        | (generation << GENERATION_SHIFT)
        | (child << CHILD_SHIFT)
        | ((score + SCORE_OFFSET) << SCORE_SHIFT)
    )
    table[at] = key ^ entry
    table[at + 1] = entry


def is_of_generation(entry: int, generation: int) -> bool:
    """Tell whether an entry was written in a generation."""
    return entry != 0 and (entry >> GENERATION_SHIFT) & GENERATION_MASK == generation


def written(table: Numbers, generation: int, words: int) -> int:
    """Count the entries among so many words at the beginning of a table that were written in a generation."""
    count = 0
    for at in range(0, min(words, len(table)), ENTRY_WORDS):
        if is_of_generation(table[at + 1], generation):
            count += 1
    return count


def slot_of(seen: Numbers, key: int) -> int:
    """Return where a position stands in the set, or the empty slot in which it belongs. The set is never full."""
    mask = len(seen) // 2 - 1
    slot = key & mask
    while seen[2 * slot] != 0 and seen[2 * slot] != key + 1:
        slot = (slot + 1) & mask
    return slot
