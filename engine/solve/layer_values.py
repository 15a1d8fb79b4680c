"""Retrograde analysis: computes the exact values of all positions of a layer.

It is for games whose positions form layers (`engine.games.interface.LayerRules`). A move that leaves no layer leads
from (m, o) to (o, m), so these two layers are solved together, after all smaller ones.

1. The survey examines all positions of both layers. Moves to smaller layers are exits, and only the best exit value of
   each position is stored. Other moves are inside: those that can be taken back are counted, the others are stored as
   edges.
2. Propagation goes back ply by ply, from results in n plies to results in n + 1 plies. It follows edges, and takes
   moves back. An exit counts at its own ply. A position is lost when all its moves lose. To find out, the weights of
   its moves inside are summed, and the weights of losing moves are subtracted.
3. The other positions are drawn.

A value is a byte: 0 for a draw or an undecided position, n + 1 for a win or a loss in n plies. Wins have odd n, losses
have even n. No game is longer than MAX_PLIES.

Sources: retrograde analysis by distance with counters of moves (Thompson 1986), with moves taken back (Wu and Beal
2001), and by decreasing material (Ströhlein 1970).
"""

from collections.abc import Callable
from typing import NamedTuple

from engine.compiling.binding import UNBOUND, Numbers
from engine.games.interface import LOST, UNDECIDED, Arena, Index

# bound by `engine.games.kernels.bind` to the functions of `engine.games.interface.LayerRules`
number_at: Callable[[int, int, int, Index], int] = UNBOUND
moves_from: Callable[[int, int, int, int, Index, Arena, Numbers], tuple[int, int, int]] = UNBOUND
origins_of: Callable[[int, int, int, int, Index, Numbers], int] = UNBOUND
MOVE_NUMBERS: int = UNBOUND  # numbers of a move in a list: the two numbers of its layer, and its place
WEIGHT: int = UNBOUND  # weight of a move; the weight of a move taken back differs in symmetric positions

MAX_PLIES = 254
"""Longest win or loss in plies that fits a byte."""

CANNOT_LOSE = 32767
"""Weight of a position that cannot be lost. It is no multiple of WEIGHT, so it never becomes 0."""

PLACE, EDGES, POSITIONS, LAST = range(4)
"""Offsets in the counters of a survey: the next place, the new edges, the positions so far, and the largest exit
value."""


class Layer(NamedTuple):
    """The state of a layer while it is solved, with a number for each place."""

    values: Numbers
    exits: Numbers
    """The value after the best exit, 0 if no exit wins or loses."""
    left: Numbers
    """The weight of the moves inside that are not known to lose; CANNOT_LOSE if an exit does not lose."""
    starts: Numbers
    """The first edge to each place in ``parents``, and at the end the number of edges."""
    parents: Numbers
    """The origins of edges, as places in the other layer."""


def survey(
    end: int,
    mine: int,
    theirs: int,
    index: Index,
    arena: Arena,
    found: Numbers,
    below: Numbers,
    offsets: Numbers,
    width: int,
    layer: Layer,
    edges: Numbers,
    tally: Numbers,
) -> None:
    """Survey the places of layer (mine, theirs) from ``tally[PLACE]`` to ``end``, as long as ``edges`` has room.

    ``below[offsets[m * width + o]]`` is the value of the first place of the smaller layer (m, o). An edge is a pair of
    places, from and to. Raises OverflowError for games longer than MAX_PLIES, and for positions with too many moves.
    """
    near = 0
    for place in range(tally[PLACE], end):
        near = number_at(place, near, theirs, index)
        edge = first_edge = tally[EDGES]
        verdict, inside, listed = moves_from(place, near, mine, theirs, index, arena, found)
        if edge + listed > len(edges) // 2:
            return
        tally[PLACE] = place + 1
        if verdict == LOST:
            layer.values[place] = 1
        if verdict in (LOST, UNDECIDED):
            tally[POSITIONS] += 1
        if verdict != UNDECIDED:
            continue
        win, loss, drawn = CANNOT_LOSE, 0, False
        for move in range(listed):
            m, o, target = found[move * MOVE_NUMBERS], found[move * MOVE_NUMBERS + 1], found[move * MOVE_NUMBERS + 2]
            if m == theirs and o == mine:
                known = first_edge
                while known < edge and edges[2 * known + 1] != target:
                    known += 1
                if known == edge:
                    edges[2 * edge] = place
                    edges[2 * edge + 1] = target
                    edge += 1
            else:
                value = below[offsets[m * width + o] + target] + 1
                if value == 1:
                    drawn = True
                elif value & 1 == 0:
                    win = min(win, value)
                else:
                    loss = max(loss, value)
        exit_value = loss if win == CANNOT_LOSE else win
        weight = (inside + edge - first_edge) * WEIGHT
        if exit_value > MAX_PLIES + 1 or weight >= CANNOT_LOSE:
            raise OverflowError("a game is too long, or a position has too many moves")
        if win == 2:
            # nothing is better than a win at once
            layer.values[place] = win
            continue
        layer.exits[place] = exit_value
        layer.left[place] = CANNOT_LOSE if drawn or win != CANNOT_LOSE else weight
        tally[EDGES] = edge
        tally[LAST] = max(tally[LAST], exit_value)


def count_edges(edges: Numbers, count: int, starts: Numbers) -> None:
    """Count the edges to each place."""
    for edge in range(count):
        starts[edges[2 * edge + 1]] += 1


def add_up(starts: Numbers) -> None:
    """Replace the number of edges to each place by their end among all edges."""
    total = 0
    for place in range(len(starts)):
        total += starts[place]
        starts[place] = total


def fill_in(edges: Numbers, count: int, starts: Numbers, parents: Numbers) -> None:
    """Write the origins of edges, for each place from the end, so that ``starts`` becomes the beginning."""
    for edge in range(count):
        target = edges[2 * edge + 1]
        starts[target] -= 1
        parents[starts[target]] = edges[2 * edge]


def reach(value: int, place: int, weight: int, layer: Layer) -> None:
    """Apply moves of a weight from a position to a position with a value."""
    if layer.values[place] != 0:
        return
    if value & 1 == 0:
        layer.left[place] -= weight
        if layer.left[place] != 0 or layer.exits[place] > value + 1:
            return
    if value > MAX_PLIES:
        raise OverflowError("a game is too long")
    layer.values[place] = value + 1


def go_back(
    value: int,
    begin: int,
    end: int,
    mine: int,
    theirs: int,
    layer: Layer,
    origins: Layer,
    index: Index,
    found: Numbers,
) -> int:
    """Propagate from all positions with a value in the places ``begin`` to ``end`` of a layer; return their number.

    The layer is (mine, theirs). A position that is not decided gets the value if its best exit has this value. Other
    results have other values and belong to ``origins``, so both layers can be propagated in turn.
    """
    near = count = 0
    for place in range(begin, end):
        known = layer.values[place]
        if known == 0 and layer.exits[place] == value and (value & 1 == 0 or layer.left[place] == 0):
            layer.values[place] = known = value
        if known != value:
            continue
        count += 1
        near = number_at(place, near, theirs, index)
        for way in range(origins_of(place, near, mine, theirs, index, found)):
            reach(value, found[2 * way], found[2 * way + 1], origins)
        for edge in range(layer.starts[place], layer.starts[place + 1]):
            reach(value, layer.parents[edge], WEIGHT, origins)
    return count


ENTRY_POINTS = survey, count_edges, add_up, fill_in, go_back
"""The functions to bind to the rules of a kernel, with everything that they call."""
