"""The rules of arrows as plain functions over integers, for all boards alike, and what the search needs to know.

Every board lies in the top left corner of the largest one, ten by ten; fields beyond its edges count as blocked. Field
(x, y) has the number ``(y - 1) * 11 + x - 1``: each row of ten is followed by a guard that is never free, so that a
set of fields can be shifted in any direction without running from one row into the next. Five rows are 55 bits: fields
with lower numbers are bits of a low word, the others of a high one. Both words leave seven bits for the number of a
field, and one for the sign.

The functions read the tables below by global name; `engine.games.arrows.position.bind` returns copies of them that are
bound to these tables, interpreted or compiled.

A position is seen by the side to move, and holds what the rules look at alone: the fields that are still free,
and the two fields on which the players have to place their next arrows. Where that is a place on which nothing
can be placed any more it is NOWHERE, whatever place it is: the arrow's owner has lost on the next turn.

Compiled code has no bounds checks: what writes positions checks that there is room.

A player wins at once by pointing at the field that the opponent is about to use, if it is a neighbour of the own
one. So, as between the kings of chess, the two fields must not be neighbours when the opponent is to move.

The endgame is a race, in which no field is left that both sides can reach. Neither side can hinder the other then, and
each makes as many moves as the longest path in its own fields allows: a path begins on the field that the side has to
use next, goes on to neighbours, and enters no field twice. Its last arrow only needs to be placed. A side that makes
no more moves than the other, which moves after it, loses.
"""

from collections.abc import Sequence
from typing import NamedTuple

from engine.compiling.binding import UNBOUND, popcount
from engine.compiling.wide_integers import mix
from engine.games.interface import LOST, UNDECIDED, WON, Arena

STEPS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))
"""The eight directions as (right, down), clockwise from up."""

LENGTH = 10
"""Columns, and rows, of the largest board."""

ROW = LENGTH + 1
"""Bits from a field to the one below it."""

HALF = ROW * LENGTH // 2
"""The bits of a word."""

NOWHERE = 127
"""Stands for a place on which no arrow can ever be placed: one off the board, or an occupied or blocked field."""


def number(x: int, y: int) -> int:
    """Return the number of field (x, y), or `NOWHERE` off the largest board."""
    return (y - 1) * ROW + x - 1 if 1 <= x <= LENGTH and 1 <= y <= LENGTH else NOWHERE


def words(fields: int) -> tuple[int, int]:
    """Part a set of fields, the bit of each given by its number, into the low and the high word."""
    return fields & ((1 << HALF) - 1), fields >> HALF


def layout() -> dict[str, tuple[int, ...]]:
    """Compute the tables of the layout, by their names; the row of `NOWHERE` and of numbers not used is empty."""
    empty = NOWHERE + 1
    neighbours = [[NOWHERE] * len(STEPS) for _ in range(empty)]
    fields = [0] * empty
    near = [0] * empty
    for x in range(1, LENGTH + 1):
        for y in range(1, LENGTH + 1):
            at = number(x, y)
            fields[at] = 1 << at
            neighbours[at] = [number(x + right, y + down) for right, down in STEPS]
            near[at] = sum(1 << other for other in neighbours[at] if other != NOWHERE)
    low, high = zip(*map(words, fields), strict=True)
    near_low, near_high = zip(*map(words, near), strict=True)
    following = tuple(other for row in neighbours for other in row)
    return {"NEXT": following, "LOW": low, "HIGH": high, "NEAR_LOW": near_low, "NEAR_HIGH": near_high}


WORDS = 2
"""Numbers a position takes in an arena: each word of free fields shares one with the number of a field."""

DIRECTIONS = 8

WORD = (1 << HALF) - 1

# The tables of `layout`; `engine.games.arrows.position.bind` puts them in their place.
NEXT: Sequence[int] = UNBOUND  # eight numbers a field: the neighbours by direction, `NOWHERE` off the largest board
LOW: Sequence[int] = UNBOUND  # the field itself, as bits of the low word
HIGH: Sequence[int] = UNBOUND
NEAR_LOW: Sequence[int] = UNBOUND  # the neighbours of the field, as bits of the low word
NEAR_HIGH: Sequence[int] = UNBOUND


class State(NamedTuple):
    """A position: the free fields in two words, and the numbers of the fields that are to be used next."""

    low: int
    high: int
    own: int
    """Where the side to move has to place its arrow: a free field, or NOWHERE."""
    other: int
    """Where the opponent has to do so after that."""


def load(arena: Arena, at: int) -> State:
    """Return the position in place ``at`` of an arena."""
    low, high = arena[at * WORDS], arena[at * WORDS + 1]
    return State(low & WORD, high & WORD, low >> HALF, high >> HALF)


def store(arena: Arena, at: int, state: State, _path: int) -> None:
    """Write a position into place ``at`` of an arena. How it was reached is not kept."""
    arena[at * WORDS] = state.low | (state.own << HALF)
    arena[at * WORDS + 1] = state.high | (state.other << HALF)


def verdict(state: State) -> int:
    """Tell whether the side to move cannot place its arrow, and has lost; the game knows no other end."""
    return LOST if state.own == NOWHERE or state.own == state.other else UNDECIDED


def after(state: State, direction: int) -> State:
    """Return the position after an arrow is placed that points in a direction; the game must not be over."""
    low, high = state.low ^ LOW[state.own], state.high ^ HIGH[state.own]
    target = NEXT[state.own * DIRECTIONS + direction]
    if (low & LOW[target]) | (high & HIGH[target]) == 0:
        target = NOWHERE
    return State(low, high, state.other, target)


def children(state: State, arena: Arena, first: int) -> int:
    """Write every position that a move leads to, each once, by direction; return their end.

    All moves that point at places on which nothing can be placed lead to the same position.
    """
    if verdict(state) != UNDECIDED:
        return first
    if (first + DIRECTIONS) * WORDS > len(arena):
        raise OverflowError("the arena is full")
    end = first
    lost = False
    for direction in range(DIRECTIONS):
        child = after(state, direction)
        if child.other == NOWHERE:
            if lost:
                continue
            lost = True
        store(arena, end, child, 0)
        end += 1
    return end


def plies_left(state: State) -> int:
    """Return how many plies the game can last at most: each of them uses up a free field."""
    return popcount(state.low) + popcount(state.high)


def perft(state: State, depth: int, unique: bool, arena: Arena, first: int) -> int:
    """Count the leaves of the tree of moves to a depth of 1 and more.

    With ``unique``, moves of a node that lead to the same position count once.
    """
    if depth == 1 and not unique:
        return DIRECTIONS if verdict(state) == UNDECIDED else 0
    end = children(state, arena, first)
    if depth == 1:
        return end - first
    leaves = 0
    for at in range(first, end):
        child = load(arena, at)
        below = perft(child, depth - 1, unique, arena, end)
        if child.other == NOWHERE and not unique:
            # this child stands for all directions that have none of their own
            below *= DIRECTIONS + 1 - (end - first)
        leaves += below
    return leaves


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


DECIDED = 500_000
"""Worth of a position that the side to move is known to win: with the next move, or in a race; the negative of it where
the opponent does so."""

FIELD = PAIR = 10
"""Worth of a field that a player reaches before the opponent, and of two of them that are neighbours: among many
neighbours a trail can turn, and need not leave fields behind. Counting pairs as well as fields wins three games of
five against counting fields alone, in the same number of nodes and in the same time."""

LAST_ROW = HALF - ROW
"""The number of the first field of the last row in the low word."""

BELOW = (ROW - 1, ROW, ROW + 1)
"""Bits from a field to its neighbours in the row below."""


def wins_at_once(state: State) -> bool:
    """Tell whether the side to move can leave the opponent without a place for the next arrow."""
    own, other = state.own, state.other
    return other == NOWHERE or (NEAR_LOW[own] & LOW[other]) | (NEAR_HIGH[own] & HIGH[other]) != 0


def spread_low(low: int, high: int) -> int:
    """Return, as bits of the low word and some beyond it, a set of fields with all their neighbours."""
    wide = low | (low << 1) | (low >> 1)
    return wide | (wide << ROW) | (wide >> ROW) | ((high | (high << 1) | (high >> 1)) << LAST_ROW)


def spread_high(low: int, high: int) -> int:
    """Return the same as bits of the high word."""
    wide = high | (high << 1) | (high >> 1)
    return wide | (wide << ROW) | (wide >> ROW) | ((low | (low << 1) | (low >> 1)) >> LAST_ROW)


def worth(low: int, high: int) -> int:
    """Evaluate a set of fields: how many there are, and how many pairs of neighbours."""
    fields = popcount(low) + popcount(high)
    pairs = popcount(low & (low >> 1)) + popcount(high & (high >> 1))
    for step in BELOW:
        pairs += popcount(low & (low >> step)) + popcount(high & (high >> step))
        pairs += popcount(high & (low >> (HALF - step)))
    return FIELD * fields + PAIR * pairs


def evaluate(state: State) -> int:
    """Guess the value of a position for the side to move, by the fields that each side reaches first.

    Both sides spread over the free fields in turn, a step at a time. The side to move does not begin with a step
    to a neighbour of the opponent's field, which would lose. Where no field is left that both can reach, the value
    is exact as far as `engine.games.arrows.rules.race` knows.
    """
    if verdict(state) != UNDECIDED:
        return -DECIDED
    if wins_at_once(state):
        return DECIDED
    own, other = state.own, state.other
    mine_low, mine_high = LOW[own], HIGH[own]
    theirs_low, theirs_high = LOW[other], HIGH[other]
    low = state.low ^ mine_low ^ theirs_low
    high = state.high ^ mine_high ^ theirs_high
    step_low = NEAR_LOW[own] & low & ~NEAR_LOW[other]
    step_high = NEAR_HIGH[own] & high & ~NEAR_HIGH[other]
    if step_low | step_high == 0:
        return -DECIDED
    reply_low, reply_high = theirs_low, theirs_high
    while step_low | step_high | reply_low | reply_high != 0:
        mine_low |= step_low
        mine_high |= step_high
        low ^= step_low
        high ^= step_high
        spread = spread_low(reply_low, reply_high) & low
        reply_high = spread_high(reply_low, reply_high) & high
        reply_low = spread
        theirs_low |= reply_low
        theirs_high |= reply_high
        low ^= reply_low
        high ^= reply_high
        spread = spread_low(step_low, step_high) & low
        step_high = spread_high(step_low, step_high) & high
        step_low = spread
    rest_low, rest_high = mine_low ^ LOW[own], mine_high ^ HIGH[own]
    if spread_low(rest_low, rest_high) & theirs_low == 0 and spread_high(rest_low, rest_high) & theirs_high == 0:
        # from its next arrow on the side to move shares no field with the opponent
        outcome = race(own, rest_low, rest_high, other, theirs_low ^ LOW[other], theirs_high ^ HIGH[other])
        if outcome != UNDECIDED:
            return DECIDED if outcome == WON else -DECIDED
    return worth(mine_low, mine_high) - worth(theirs_low, theirs_high)


def insert(state: State, arena: Arena, first: int, count: int) -> None:
    """Put a position among so many others from place ``first`` on, which are sorted, the least evaluation first.

    The evaluations stand in the same order behind the places of eight positions.
    """
    values = (first + DIRECTIONS) * WORDS
    value = evaluate(state)
    at = count
    while at > 0 and arena[values + at - 1] > value:
        arena[values + at] = arena[values + at - 1]
        store(arena, first + at, load(arena, first + at - 1), 0)
        at -= 1
    arena[values + at] = value
    store(arena, first + at, state, 0)


def candidates(state: State, arena: Arena, first: int) -> int:
    """Write children among which one is as good as the best of all; return their end.

    With it the game also ends as early or as late as with the best. A move that wins at once stands alone. Moves
    after which the opponent wins at once are left out; where all are of that kind, the first child stands for
    them. The others come in the order of their evaluation.
    """
    end = children(state, arena, first)
    if (first + 2 * DIRECTIONS) * WORDS > len(arena):
        raise OverflowError("the arena is full")
    if end - first < 2:
        return end
    winning = wins_at_once(state)
    kept = 0
    for at in range(first, end):
        child = load(arena, at)
        if winning:
            if verdict(child) != UNDECIDED:
                store(arena, first, child, 0)
                return first + 1
        elif not wins_at_once(child):
            insert(child, arena, first, kept)
            kept += 1
    return first + max(1, kept)


def hash_of(state: State) -> int:
    """Hash a position: the free fields and those that are to be used next."""
    return mix(mix(mix(1, state.low), state.high), state.own * 128 + state.other)
