"""Exact solution of games in layers: every position of a layer has a place, and all of them are judged backwards.

For games whose positions fall into layers which a move leaves only for smaller ones. A layer has a name of two numbers,
(m, o) as the side to move sees it; a move that stays in the layer leads to (o, m), so that these two are solved
together, when all smaller ones are. What the game has to tell are `places`, `moves_from` and `origins_of`, as
`engine.games.gipf.layers` has them.

First all positions of both layers are surveyed. Moves to smaller layers, of which the values are known, are the exits
of a position; only what the best of them leads to is kept. Moves inside that can be taken back are counted, and the
others noted as edges. Then ply by ply: what is won or lost in n plies is gone back from, over edges and by taking moves
back, to what is thereby won or lost in n + 1. An exit counts when its ply comes. A position is lost when all of its
moves are known to lose; for that the weights of its moves inside are added up in the beginning, and those of moves that
lose are taken away. What is left in the end is drawn.

Values are bytes: 0 for a draw and what is not decided, n + 1 for a win or a loss in n plies, of which the first are odd
numbers and the second even ones. No game is longer than LONGEST.

Source: retrograde analysis by distance, with counters of moves (Thompson 1986; Wu and Beal 2001 with moves taken back),
database by database as material shrinks (Ströhlein 1970, Thompson 1986).
"""

from collections.abc import Callable
from typing import NamedTuple

from engine.compiling.binding import UNBOUND, Numbers
from engine.games.interface import LOST, UNDECIDED, Arena, Index

# What `engine.games.kernels.bind` puts in the place of these: functions of `engine.games.interface.LayerRules`.
number_at: Callable[[int, int, int, Index], int] = UNBOUND
moves_from: Callable[[int, int, int, int, Index, Arena, Numbers], tuple[int, int, int]] = UNBOUND
origins_of: Callable[[int, int, int, int, Index, Numbers], int] = UNBOUND
MOVE_NUMBERS: int = UNBOUND  # numbers of a move in a list: the layer that it leads to, two of them, and the place
WEIGHT: int = UNBOUND  # of a move; that of a move taken back may be another one, where positions are their own images

LONGEST = 254
"""Plies of the longest win or loss that a byte can tell of."""

NEVER = 32767
"""The weight left of a position that cannot be lost: no multiple of WEIGHT, so that it never comes to 0."""

PLACE, EDGES, POSITIONS, LAST = range(4)
"""Offsets in the counters of a survey: the next place, what was added by it, and the highest value of an exit."""


class Layer(NamedTuple):
    """What is known of the positions of a layer while it is solved: a number a place."""

    values: Numbers
    exits: Numbers
    """The value to which the best exit leads, 0 where none is won or lost."""
    left: Numbers
    """The weight of the moves inside that are not known to lose, NEVER for positions that exits save from losing."""
    starts: Numbers
    """Where in ``parents`` the edges to a place begin; one number more than there are places."""
    parents: Numbers
    """Places in the other layer of which edges lead here."""


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
    """Look at the places of a layer (mine, theirs) from ``tally[PLACE]`` on to before ``end``, while there is room.

    ``below[offsets[m * width + o]]`` is the value of the first place of the smaller layer (m, o). Edges are written as
    pairs, the position's place and the one that it leads to. Raises OverflowError for games longer than LONGEST, and
    for positions with more moves than can be counted.
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
        win, loss, drawn = NEVER, 0, False
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
        exit_value = loss if win == NEVER else win
        weight = (inside + edge - first_edge) * WEIGHT
        if exit_value > LONGEST + 1 or weight >= NEVER:
            raise OverflowError("a game is too long, or a position has too many moves")
        if win == 2:
            # nothing is better than to win at once
            layer.values[place] = win
            continue
        layer.exits[place] = exit_value
        layer.left[place] = NEVER if drawn or win != NEVER else weight
        tally[EDGES] = edge
        tally[LAST] = max(tally[LAST], exit_value)


def count_edges(edges: Numbers, count: int, starts: Numbers) -> None:
    """Count for each place the edges that lead to it."""
    for edge in range(count):
        starts[edges[2 * edge + 1]] += 1


def add_up(starts: Numbers) -> None:
    """Turn the numbers of edges to each place into where they end among all edges."""
    total = 0
    for place in range(len(starts)):
        total += starts[place]
        starts[place] = total


def fill_in(edges: Numbers, count: int, starts: Numbers, parents: Numbers) -> None:
    """Note the origins of edges, those to a place from their end on, so that ``starts`` become their beginnings."""
    for edge in range(count):
        target = edges[2 * edge + 1]
        starts[target] -= 1
        parents[starts[target]] = edges[2 * edge]


def reach(value: int, place: int, weight: int, layer: Layer) -> None:
    """Note that moves of a weight lead from a position to one with a value."""
    if layer.values[place] != 0:
        return
    if value & 1 == 0:
        layer.left[place] -= weight
        if layer.left[place] != 0 or layer.exits[place] > value + 1:
            return
    if value > LONGEST:
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
    """Go back from all positions with a value in the places from ``begin`` to before ``end``; return how many they are.

    The places are of layer (mine, theirs).

    Those of which the best exit has come due, and that nothing else has decided, have got the value by this. What is
    written besides has other values, and is in the layer of ``origins``; so both layers can be gone through at a time.
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
"""What is to be bound; the other functions are called by these."""
