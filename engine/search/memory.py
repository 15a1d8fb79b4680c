"""What the alpha-beta search works on: flat arrays of numbers, and what stands where in them."""

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
    """Exact values of all positions of layers, as `engine.solve.layered.values` writes them."""

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
    """PLACES numbers: the values of those children, as `engine.search.move_ordering` packs them."""
    table: Numbers
    """The transposition table of `engine.search.transposition_table`."""
    path: Numbers
    """The set of positions that would repeat, also of that module: those before this search have ply NOWHERE."""
    variation: Numbers
    """A row of WIDTH numbers a ply: the best line, each child as its number in the order of generation."""
    barred: Numbers
    """PLACES numbers, for the root may have as many children: other than 0 for those that are left out, for better ones
    are known."""
    history: Numbers
    """KINDS numbers: what was learned of children by their kinds, see `engine.search.move_ordering`."""
    cells: Numbers
    """CELLS numbers: see there."""
    known: KnownLayers
    """Positions of which the value is known, so that they are not searched."""
    searching: Numbers
    """SEARCHING_SLOTS numbers, which threads share: the keys of the positions that they search at present, each in the
    place that its low bits tell. One that is overwritten or left behind changes an order, and no result."""
    stop: Numbers
    """One number, which ends the search when another thread makes it other than 0."""
