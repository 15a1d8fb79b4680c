"""The memory of the alpha-beta search: flat arrays of numbers, and functions that read and write them.

**Transposition table.** An array of buckets of two entries of two numbers. The second number of an entry is the packed
result of a search. The first one is the hash of the position, combined with the result by exclusive or. So an entry
that two threads have half written belongs to no position (Hyatt and Mann 2002), and threads share a table without
locks. The first entry of a bucket keeps the deepest search, until a later search of the game replaces it. The second
entry takes the other results, the latest one each time (the two-tier scheme of Ken Thompson's Belle).

**Path.** A hash table with open addressing of the positions that a move would repeat. A slot has two numbers: the hash
plus 1, and the ply of the position on the path. Positions leave it in the reverse order, so an emptied slot never
breaks the chain of another position.
"""

from typing import NamedTuple

from engine.compiling.binding import Numbers
from engine.games.interface import Arena, Index
from engine.search.capabilities import DRAW, INFINITY, shift_score

MAX_DEPTH = 64
"""Largest depth of a search, in plies."""

ARENA_PLACES = 1 << 14
"""Places of the arena: more than the children along any line of play, and few enough for
`move_ordering.NUMBER_BITS`."""

MAX_CHILDREN = 1 << 12
"""Places that must be free before children are generated: kernels rarely check the end of the arena."""

PV_WIDTH = MAX_DEPTH + 2
"""Numbers in a row of `Memory.pv`: the length of the line, then its children."""

OFF_PATH = 1 << 20
"""Ply of positions that stood on the board before the search. Also the ply of a repetition if there was none."""

(
    NODES,
    NODE_LIMIT,
    STOPPED,
    REPETITION_PLY,
    BEST,
    GENERATION,
    SELECTIVE,
    EXCLUDED,
    PARALLEL,
    ROOT_SCORE,
    CELLS,
) = range(11)
"""Offsets in `Memory.cells`:

- NODES, NODE_LIMIT: nodes so far, and nodes allowed.
- STOPPED: whether the search was stopped.
- REPETITION_PLY: the smallest ply to which a repetition below the last node leads back.
- BEST: the best child of the last `engine.search.alphabeta.quiescence`.
- GENERATION: the generation of new table entries.
- SELECTIVE: whether the search may prune and reduce.
- EXCLUDED: the number of excluded children of the root.
- PARALLEL: whether several threads search the position.
- ROOT_SCORE: the score of the best line at the root in this depth.
"""

SEARCHING_SLOTS = 1 << 12
"""Numbers of `Memory.searching`: many more than positions that are searched at the same time. A power of two."""

NO_SCORE = INFINITY + 1
"""Stands for a score that is not known."""


class TablebaseLayers(NamedTuple):
    """Exact values of all positions of layers, in the format of `engine.solve.layer_values`."""

    values: Numbers
    """A byte for each position."""
    offsets: Numbers
    """Where the values of layer (m, o) begin, at m * width + o; -1 for a missing layer."""
    width: int
    """All layers with a number of at least ``width`` are missing."""
    ranking: Index
    """`engine.games.interface.LayerRules.index`, which finds the places of positions; empty for other games."""


class Memory(NamedTuple):
    """The arrays of a search. Each is flat."""

    arena: Arena
    """ARENA_PLACES positions: the children of every node on the path, one node after the other."""
    order: Numbers
    """ARENA_PLACES numbers: the scored children (`engine.search.move_ordering`)."""
    table: Numbers
    """The transposition table."""
    path: Numbers
    """The positions that a move would repeat. Positions before the search have the ply OFF_PATH."""
    pv: Numbers
    """The principal variation: a row of PV_WIDTH numbers for each ply, with children by their numbers."""
    excluded: Numbers
    """ARENA_PLACES numbers, other than 0 for children of the root that are not searched."""
    history: Numbers
    """KINDS numbers: the history of cut-offs (`engine.search.move_ordering`)."""
    cells: Numbers
    """CELLS single numbers."""
    tablebase: TablebaseLayers
    """Exact values of positions, which are not searched."""
    searching: Numbers
    """SEARCHING_SLOTS hashes of the positions that threads search at present, in the slots of their low bits. Threads
    share it without locks: an overwritten or stale hash changes the order of a search, never its result."""
    stop: Numbers
    """One number. The search ends when another thread makes it other than 0."""


NO_BOUND, UPPER, LOWER, EXACT = 0, 1, 2, 3
"""Meaning of a score in the table: none, at least the true score, at most the true score, or the true score."""

ENTRY_WORDS, BUCKET_WORDS = 2, 4

SCORE_OFFSET = 1 << 23
"""Added to a score, which makes it positive."""

# The second number of an entry, from the low bits up: bound 2, depth 8, generation 8, child 16, score 24.
DEPTH_SHIFT, GENERATION_SHIFT, CHILD_SHIFT, SCORE_SHIFT = 2, 10, 18, 34
BOUND_MASK, DEPTH_MASK, GENERATION_MASK, CHILD_MASK = 3, 255, 255, 65535

NO_CHILD = CHILD_MASK
"""The child in an entry without a best child."""


def probe(table: Numbers, key: int) -> int:
    """Return the entry of a position, or 0 if the table has none."""
    at = (key & (len(table) // BUCKET_WORDS - 1)) * BUCKET_WORDS
    entry: int = table[at + 1]
    if table[at] ^ entry == key:
        return entry
    entry = table[at + ENTRY_WORDS + 1]
    if table[at + ENTRY_WORDS] ^ entry == key:
        return entry
    return 0


def save_entry(table: Numbers, key: int, score: int, bound: int, depth: int, child: int, generation: int) -> None:
    """Write the result of a search of a position. The number of buckets must be a power of two."""
    at = (key & (len(table) // BUCKET_WORDS - 1)) * BUCKET_WORDS
    entry: int = table[at + 1]
    if table[at] ^ entry != key:
        is_latest = entry != 0 and (entry >> GENERATION_SHIFT) & GENERATION_MASK == generation
        if not is_latest or (entry >> DEPTH_SHIFT) & DEPTH_MASK <= depth:
            # the replaced entry may still be useful, and moves to the second place
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


def table_score(entry: int, depth: int, alpha: int, beta: int, ply: int) -> int:
    """Return the score in an entry of the table if it answers an empty window to a depth, else NO_SCORE."""
    bound = entry & BOUND_MASK
    if bound == NO_BOUND or (entry >> DEPTH_SHIFT) & DEPTH_MASK < depth or beta - alpha != 1:
        return NO_SCORE
    # wins in the table are counted from the node, here from the root
    score = shift_score((entry >> SCORE_SHIFT) - SCORE_OFFSET, ply)
    if bound == EXACT or (bound == LOWER and score >= beta) or (bound == UPPER and score <= alpha):
        return score
    return NO_SCORE


def save_score(
    entry: int,
    key: int,
    best: int,
    best_number: int,
    alpha: int,
    beta: int,
    depth: int,
    ply: int,
    repetition: int,
    table: Numbers,
    cells: Numbers,
) -> None:
    """Store the score of a node in the table, and the ply of the repetition that it depends on.

    ``entry`` is the present entry. If the score depends on a repetition above the node, only the best child is stored,
    and only if there is no entry. It takes two arrays of `Memory`, since a call passes each array.
    """
    bound, to_depth = EXACT, depth
    if best >= beta:
        bound = LOWER
    elif best <= alpha:
        bound = UPPER
    score = shift_score(best, -ply)
    is_path_dependent = repetition < ply
    if is_path_dependent:
        bound, score, to_depth = NO_BOUND, DRAW, 0
    cells[REPETITION_PLY] = repetition if is_path_dependent else OFF_PATH
    if (not is_path_dependent or entry == 0) and (ply > 0 or cells[EXCLUDED] == 0):
        save_entry(table, key, score, bound, to_depth, best_number, cells[GENERATION])


def slot_of(path: Numbers, key: int) -> int:
    """Return the slot of a position, or the empty slot for it. The table is never full."""
    mask = len(path) // 2 - 1
    slot = key & mask
    while path[2 * slot] != 0 and path[2 * slot] != key + 1:
        slot = (slot + 1) & mask
    return slot


def enter_path(path: Numbers, slot: int, key: int, ply: int) -> None:
    """Write a position into its slot."""
    path[2 * slot] = key + 1
    path[2 * slot + 1] = ply


def leave_path(path: Numbers, slot: int) -> None:
    """Empty the slot of the last position of the path."""
    path[2 * slot] = 0


def extend_pv(pv: Numbers, ply: int, number: int) -> None:
    """Make a child and its best line the best line of a ply (triangular table)."""
    row = ply * PV_WIDTH
    length = pv[row + PV_WIDTH]
    pv[row] = length + 1
    pv[row + 1] = number
    for i in range(1, length + 1):
        pv[row + 1 + i] = pv[row + PV_WIDTH + i]


def begin_child(searching: Numbers, key: int, may_defer: bool) -> bool:
    """Announce the search of a child to the other threads; return False if it is to be deferred instead."""
    slot = key & (SEARCHING_SLOTS - 1)
    if may_defer and searching[slot] == key:
        return False
    searching[slot] = key
    return True


def end_child(searching: Numbers, key: int) -> None:
    """Withdraw the announcement of a child, unless another thread has overwritten it."""
    slot = key & (SEARCHING_SLOTS - 1)
    if searching[slot] == key:
        searching[slot] = 0
