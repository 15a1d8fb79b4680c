"""Layers of GIPF's positions: those with the same total of pieces, on the board and in reserve, of each side.

Pieces never come into the game, so no move leads to a larger layer. A layer is named by the mover's total and the
other side's: a move that captures nothing leads from layer (m, o) to (o, m). In a layer a position is known by the
two sets of fields, since the reserves follow; `engine.games.gipf.solving.ranking` gives it its place in the layer.

What `engine.solve.layered.values` asks of a game, bound and compiled together with `engine.games.gipf.rules`. The moves
that can be taken back without knowing more than the position after them are those that make no run; they are counted
only. The others are made.
"""

from engine.compiling.binding import popcount
from engine.games.gipf.rules import FIRST, LINE, STEP, UPWARD, State, finals, has_run, load, open_pushes
from engine.games.gipf.solving.ranking import Index, place_of, sets_at
from engine.games.interface import LOST, UNDECIDED, Arena

NOTHING = -1
"""What stands in a place that no position has."""

WEIGHT = 12
"""The weight of a move, which the numbers of symmetries divide."""

LISTED = 3
"""Numbers of a move in a list of moves."""


def layer_of(state: State) -> tuple[int, int]:
    """Return the totals of the side to move and of the other one."""
    white = popcount(state.white) + state.white_reserve
    black = popcount(state.black) + state.black_reserve
    return (white, black) if state.side == 0 else (black, white)


def place_in_layer(state: State, index: Index) -> int:
    """Return the place of a position in its layer."""
    if state.side == 0:
        return place_of(state.white, state.black, popcount(state.black) + state.black_reserve, index)[0]
    return place_of(state.black, state.white, popcount(state.white) + state.white_reserve, index)[0]


def moves_from(
    place: int, near: int, mine: int, theirs: int, index: Index, arena: Arena, found: Arena
) -> tuple[int, int, int]:
    """Look at what stands in a place of layer (mine, theirs): its verdict, or NOTHING, and its moves.

    ``near`` is `number_at` the place. Returns the verdict, how many moves can be taken back by `origins_of`, and how
    many others there are. The others are written to ``found``, LISTED numbers each: the layer that the move leads to,
    as the mover's total there and the other one's, and the place. Raises OverflowError where there are more than
    ``found`` or the arena has room for.
    """
    own, other = sets_at(place, near, theirs, index)
    if has_run(other) or place_of(own, other, theirs, index)[0] != place:
        return NOTHING, 0, 0
    possible, tactical = open_pushes(own, other)
    reserve = mine - popcount(own)
    if reserve == 0 or possible == 0:
        return LOST, 0, 0
    state = State(own, other, reserve, theirs - popcount(other), 0)
    possible &= ~tactical
    count = number = 0
    while tactical != 0:
        if tactical & 1:
            end = finals(state, number, arena, 0)
            if (count + end) * LISTED > len(found):
                raise OverflowError("too many ways to collect rows")
            for at in range(end):
                after = load(arena, at)
                totals = layer_of(after)
                found[count * LISTED] = totals[0]
                found[count * LISTED + 1] = totals[1]
                found[count * LISTED + 2] = place_in_layer(after, index)
                count += 1
        tactical >>= 1
        number += 1
    return UNDECIDED, popcount(possible), count


def origins_of(place: int, near: int, mine: int, theirs: int, index: Index, found: Arena) -> int:
    """Write the positions from which a push that makes no run leads to the one in a place; return how many there are.

    ``near`` is `number_at` the place, which is of layer (mine, theirs). ``found`` takes two numbers for each: its
    place, in the layer that belongs to this one, and a weight. An origin may be there several times. The sum of its
    weights is WEIGHT times the number of its pushes that lead to the position, or to one that mirrors it: when a
    symmetries leave the origin alone, and b the position, each way back stands for a/b pushes.
    """
    own, other = sets_at(place, near, theirs, index)
    occupied = own | other
    weight = WEIGHT // place_of(own, other, theirs, index)[1]
    count = 0
    for number in range(len(LINE)):
        if other & FIRST[number] == 0:
            continue
        # take the pushed piece back, then one after the other the pieces that it may have shifted
        empty = FIRST[number]
        before, standing = other ^ empty, own
        while empty & occupied != 0:
            if not has_run(before) and not has_run(standing):
                origin, alike = place_of(before, standing, mine, index)
                found[2 * count] = origin
                found[2 * count + 1] = weight * alike
                count += 1
            shifted = LINE[number] & ((empty << STEP[number]) if UPWARD[number] else (empty >> STEP[number]))
            if before & shifted != 0:
                before ^= shifted | empty
            elif standing & shifted != 0:
                standing ^= shifted | empty
            empty = shifted
    return count
