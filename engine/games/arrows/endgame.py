"""The endgame of arrows: who wins a race, in which no field is left that both sides can reach.

Neither side can hinder the other then, and each makes as many moves as the longest path in its own fields allows: a
path begins on the field that the side has to use next, goes on to neighbours, and enters no field twice. Its last
arrow only needs to be placed. A side that makes no more moves than the other, which moves after it, loses.

Bound and compiled together with `engine.games.arrows.rules`, whose tables these functions share.
"""

from engine.compiling.binding import popcount
from engine.games.arrows.geometry import HALF
from engine.games.arrows.rules import HIGH, LOW, NEAR_HIGH, NEAR_LOW
from engine.games.interface import LOST, UNDECIDED, WON

SMALL = 10
"""So many fields at the most are searched for their longest path."""

DEAD_END, STUCK = 9, 10
"""Ways that a path can go on: more than any field has neighbours, so that such are tried last, and none at all."""


def longest(at: int, low: int, high: int, enough: int) -> int:
    """Return how many fields the longest path takes up that begins on a field and goes on over others.

    The search for it ends as soon as one is found that is long enough.
    """
    length = 1
    near_low, near_high = NEAR_LOW[at] & low, NEAR_HIGH[at] & high
    while length < enough and near_low | near_high != 0:
        if near_low != 0:
            bit = near_low & -near_low
            near_low ^= bit
            length = max(length, 1 + longest(popcount(bit - 1), low ^ bit, high, enough - 1))
        else:
            bit = near_high & -near_high
            near_high ^= bit
            length = max(length, 1 + longest(HALF + popcount(bit - 1), low, high ^ bit, enough - 1))
    return length


def walk(at: int, low: int, high: int, enough: int) -> int:
    """Return how many fields some path takes up that begins on a field and goes on over others; it is mostly long.

    It ends as soon as it is long enough. Each step goes to the neighbour from which the fewest ways lead on
    (Warnsdorff 1823), to a dead end last.
    """
    length = 0
    fewest = 0
    while length < enough and fewest < STUCK:
        length += 1
        near_low, near_high = NEAR_LOW[at] & low, NEAR_HIGH[at] & high
        fewest = STUCK
        while near_low | near_high != 0:
            if near_low != 0:
                to = popcount((near_low & -near_low) - 1)
                near_low &= near_low - 1
            else:
                to = HALF + popcount((near_high & -near_high) - 1)
                near_high &= near_high - 1
            ways = popcount(NEAR_LOW[to] & low) + popcount(NEAR_HIGH[to] & high)
            if ways == 0:
                ways = DEAD_END
            if ways < fewest:
                fewest = ways
                at = to
        low &= ~LOW[at]
        high &= ~HIGH[at]
    return length


def least(at: int, low: int, high: int, size: int, enough: int) -> int:
    """Return how many moves a side can make at the least, up to what is enough: exactly, where its fields are few."""
    return longest(at, low, high, enough) if size <= SMALL else walk(at, low, high, enough)


def race(own: int, own_low: int, own_high: int, other: int, other_low: int, other_high: int) -> int:
    """Return the verdict on a race for the side to move: always, where each side's fields are few.

    Each side has the field that it uses next, and the others that it can reach from there.
    """
    size = most = 1 + popcount(own_low) + popcount(own_high)
    other_size = other_most = 1 + popcount(other_low) + popcount(other_high)
    moves = 0
    if most > other_most:
        # a path of more fields than the other side has is soon found
        moves = least(own, own_low, own_high, size, other_most + 1)
        if moves > other_most:
            return WON
        if size <= SMALL:
            most = moves
    replies = least(other, other_low, other_high, other_size, most)
    if replies >= most:
        return LOST
    if other_size <= SMALL:
        other_most = replies
    if moves <= other_most:
        moves = least(own, own_low, own_high, size, other_most + 1)
    if moves > other_most:
        return WON
    return LOST if size <= SMALL and moves <= replies else UNDECIDED
