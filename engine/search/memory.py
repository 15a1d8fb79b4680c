"""What the alpha-beta search works on: flat arrays of numbers, and what stands where in them.

A transposition table is an array of buckets, a bucket two entries, an entry two numbers: the packed result of a search,
and before it the position's hash, mixed with the result by exclusive or. So an entry of which two threads
have written a half each belongs to no position (Hyatt and Mann 2002), and threads may share a table. The first entry of
a bucket keeps the deepest search, until a later search replaces it; the second always keeps the latest (the
two-tier scheme of Ken Thompson's Belle).

The set of positions that would repeat is a hash table with open addressing, two numbers a slot: the hash plus 1, and
the ply since which the position stands on the path. Positions leave the set in the reverse order in which they came, so
that emptying a slot never breaks the chain of another.
"""

from typing import NamedTuple

from engine.compiling.binding import Numbers
from engine.games.interface import Arena, Index

MAX_DEPTH = 64
"""Plies that a search may be asked for: more than any game here can be searched to."""

PLACES = 1 << 14
"""Places of the arena: more than the children along any line of play; no more, for the numbers in `Memory.order`."""

ROOM = 1 << 12
"""Places that must be free before children are written; kernels watch the end of the arena only now and then."""

WIDTH = MAX_DEPTH + 2
"""Numbers of a row of the variation: how long the line is, then its children."""

NOWHERE = 1 << 20
"""Ply of what does not stand on the path but on the board before; also: no repetition had a part in a value."""

NODES, BUDGET, STOPPED, REACH, BEST, GENERATION, SELECTIVE, EXCLUDED, PARALLEL, ROOT_SCORE, CELLS = range(11)
"""Offsets in `Memory.cells`: nodes so far and allowed; whether the search was stopped; the least ply that a
repetition below the last node led back to; the best child of the last `resolve`; the generation for the table;
whether the search is selective; how many children of the root are barred; whether several threads search
the same position; the score of the best line at the root, in the search of this depth."""


SEARCHING_SLOTS = 1 << 12
"""Places of `Memory.searching`: far more than positions that some threads search at a time. A power of two."""


class KnownLayers(NamedTuple):
    """Exact values of all positions of layers, as `engine.solve.layer_values` writes them."""

    values: Numbers
    """A byte a position."""
    offsets: Numbers
    """For layer (m, o), at m * width + o, where its values begin; -1 where they are not known."""
    width: int
    """No layer with a number from this one on is known."""
    ranking: Index
    """`engine.games.interface.LayerRules.index`, by which positions are found; empty for a game without layers."""


class Memory(NamedTuple):
    """What a search works on, each a flat array."""

    arena: Arena
    """PLACES positions: the children of every node on the path, one behind the other."""
    order: Numbers
    """PLACES numbers: the values of those children, as `engine.search.alphabeta` packs them."""
    table: Numbers
    """The transposition table of `engine.search.memory`."""
    path: Numbers
    """The set of positions that would repeat, also of that module: those before this search have ply NOWHERE."""
    variation: Numbers
    """A row of WIDTH numbers a ply: the best line, each child as its number in the order of generation."""
    barred: Numbers
    """PLACES numbers, for the root may have as many children: other than 0 for those that are left out, for better ones
    are known."""
    history: Numbers
    """KINDS numbers: what was learned of children by their kinds, see `engine.search.alphabeta`."""
    cells: Numbers
    """CELLS numbers: see there."""
    known: KnownLayers
    """Positions of which the value is known, so that they are not searched."""
    searching: Numbers
    """SEARCHING_SLOTS numbers, which threads share: the keys of the positions that they search at present, each in the
    place that its low bits tell. One that is overwritten or left behind changes an order, and no result."""
    stop: Numbers
    """One number, which ends the search when another thread makes it other than 0."""


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
        is_latest = entry != 0 and (entry >> GENERATION_SHIFT) & GENERATION_MASK == generation
        if not is_latest or (entry >> DEPTH_SHIFT) & DEPTH_MASK <= depth:
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


def slot_of(seen: Numbers, key: int) -> int:
    """Return where a position stands in the set, or the empty slot in which it belongs. The set is never full."""
    mask = len(seen) // 2 - 1
    slot = key & mask
    while seen[2 * slot] != 0 and seen[2 * slot] != key + 1:
        slot = (slot + 1) & mask
    return slot
