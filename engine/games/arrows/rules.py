"""The rules and the evaluation of arrows as plain functions over integers, for all boards.

Every board lies in the top left corner of the largest board, ten by ten. Fields beyond its edges count as blocked.
Field (x, y) has the number ``(y - 1) * 11 + x - 1``. A guard bit, which is never free, separates the rows when a set is
shifted. A set of fields is two words of 55 bits, for five rows each. Each word has room for the number of a field in
seven more bits.

The functions read the tables below by global name. `engine.games.arrows.position.bind` returns copies of them,
interpreted or compiled. Compiled code has no bounds checks, so functions check the size of the arena before they write.

A position has the free fields, the next field of the side to move, and the next field of the opponent. NOWHERE stands
for any next field on which no arrow can be placed. Its owner loses on the next turn.

A side wins at once if the opponent's next field is a neighbour of its own next field: it points at this field. So, as
for the kings in chess, the two fields must not be neighbours when the opponent is to move.

The endgame is a race: there is no field that both sides can reach, so neither side can hinder the other. The number of
moves of a side is the length of the longest path from its next field over neighbouring free fields, each used once. A
side loses if its path is no longer than that of the opponent, who moves after it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from engine.compiling.binding import UNBOUND, popcount
from engine.compiling.wide_integers import mix
from engine.games.interface import LOST, UNDECIDED, WON, Arena

STEPS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))
"""The eight directions as (right, down), clockwise from up."""

LENGTH = 10
"""Columns and rows of the largest board."""

ROW = LENGTH + 1
"""Distance in bits between rows."""

HALF = ROW * LENGTH // 2
"""Bits of a word."""

NOWHERE = 127
"""Number for a field on which no arrow can be placed: off the board, occupied or blocked."""


def number(x: int, y: int) -> int:
    """Return the number of field (x, y), or `NOWHERE` off the largest board."""
    return (y - 1) * ROW + x - 1 if 1 <= x <= LENGTH and 1 <= y <= LENGTH else NOWHERE


def words(fields: int) -> tuple[int, int]:
    """Split a set of fields into the low and the high word."""
    return fields & ((1 << HALF) - 1), fields >> HALF


def layout() -> dict[str, tuple[int, ...]]:
    """Return the tables of the layout by name. The rows of `NOWHERE` and of unused numbers are empty."""
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
"""Numbers of a position in an arena. Each has a word of free fields and the number of a field."""

DIRECTIONS = 8

WORD = (1 << HALF) - 1

# the tables of `layout`, bound by `engine.games.arrows.position.bind`
NEXT: Sequence[int] = UNBOUND  # the eight neighbours of each field by direction, `NOWHERE` off the largest board
LOW: Sequence[int] = UNBOUND  # the bit of each field in the low word
HIGH: Sequence[int] = UNBOUND
NEAR_LOW: Sequence[int] = UNBOUND  # the neighbours of each field in the low word
NEAR_HIGH: Sequence[int] = UNBOUND


class State(NamedTuple):
    """A position: the free fields in two words, and the numbers of the next fields."""

    low: int
    high: int
    own: int
    """The next field of the side to move: a free field, or NOWHERE."""
    other: int
    """The next field of the opponent."""


def load(arena: Arena, at: int) -> State:
    """Return the position in place ``at`` of an arena."""
    low, high = arena[at * WORDS], arena[at * WORDS + 1]
    return State(low & WORD, high & WORD, low >> HALF, high >> HALF)


def store(arena: Arena, at: int, state: State, _path: int) -> None:
    """Write a position into place ``at`` of an arena. The last argument is for other games."""
    arena[at * WORDS] = state.low | (state.own << HALF)
    arena[at * WORDS + 1] = state.high | (state.other << HALF)


def verdict(state: State) -> int:
    """Return LOST if the side to move cannot place its arrow. Arrows has no other end."""
    return LOST if state.own == NOWHERE or state.own == state.other else UNDECIDED


def after(state: State, direction: int) -> State:
    """Return the position after the placement of an arrow with a direction. The game must not be over."""
    low, high = state.low ^ LOW[state.own], state.high ^ HIGH[state.own]
    target = NEXT[state.own * DIRECTIONS + direction]
    if (low & LOW[target]) | (high & HIGH[target]) == 0:
        target = NOWHERE
    return State(low, high, state.other, target)


def children(state: State, arena: Arena, first: int) -> int:
    """Write the positions after all moves, each once, in the order of directions; return their end.

    All moves that point at unusable fields lead to the same position.
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
    """Return the number of free fields, the upper bound of further moves."""
    return popcount(state.low) + popcount(state.high)


def perft(state: State, depth: int, unique: bool, arena: Arena, first: int) -> int:
    """Count the leaves of the tree of moves to a depth of at least 1.

    With ``unique``, moves of a node to the same position count once.
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
            # this child stands for all directions without a child of their own
            below *= DIRECTIONS + 1 - (end - first)
        leaves += below
    return leaves


MAX_EXACT_FIELDS = 10
"""Largest number of fields for an exact longest path."""

DEAD_END, STUCK = 9, 10
"""Numbers of continuations of a path for a dead end, which is tried last, and for no neighbour at all. Every field has
fewer."""


def longest_path(at: int, low: int, high: int, enough: int) -> int:
    """Return the number of fields of the longest path from a field over other fields, up to ``enough``."""
    length = 1
    near_low, near_high = NEAR_LOW[at] & low, NEAR_HIGH[at] & high
    while length < enough and near_low | near_high != 0:
        if near_low != 0:
            bit = near_low & -near_low
            near_low ^= bit
            length = max(length, 1 + longest_path(popcount(bit - 1), low ^ bit, high, enough - 1))
        else:
            bit = near_high & -near_high
            near_high ^= bit
            length = max(length, 1 + longest_path(HALF + popcount(bit - 1), low, high ^ bit, enough - 1))
    return length


def greedy_path(at: int, low: int, high: int, enough: int) -> int:
    """Return the number of fields of a long path from a field over other fields, up to ``enough``.

    Each step goes to the neighbour with the fewest continuations (Warnsdorff 1823), and to a dead end last.
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


def least_moves(at: int, low: int, high: int, size: int, enough: int) -> int:
    """Return a lower bound of the moves of a side, up to ``enough``. It is exact for at most MAX_EXACT_FIELDS."""
    return longest_path(at, low, high, enough) if size <= MAX_EXACT_FIELDS else greedy_path(at, low, high, enough)


def race(own: int, own_low: int, own_high: int, other: int, other_low: int, other_high: int) -> int:
    """Return the verdict on a race for the side to move. It is decided if each side has at most MAX_EXACT_FIELDS.

    Each side has its next field, and the other fields that it can reach.
    """
    size = most = 1 + popcount(own_low) + popcount(own_high)
    other_size = other_most = 1 + popcount(other_low) + popcount(other_high)
    moves = 0
    if most > other_most:
        # a path with more fields than the other side has is found soon
        moves = least_moves(own, own_low, own_high, size, other_most + 1)
        if moves > other_most:
            return WON
        if size <= MAX_EXACT_FIELDS:
            most = moves
    replies = least_moves(other, other_low, other_high, other_size, most)
    if replies >= most:
        return LOST
    if other_size <= MAX_EXACT_FIELDS:
        other_most = replies
    if moves <= other_most:
        moves = least_moves(own, own_low, own_high, size, other_most + 1)
    if moves > other_most:
        return WON
    return LOST if size <= MAX_EXACT_FIELDS and moves <= replies else UNDECIDED


DECIDED = 500_000
"""Value of a certain win, with the next move or in a race."""

FIELD = PAIR = 10
"""Values of a field that a side reaches first, and of a pair of neighbours among these fields. A path can turn among
neighbours without losing fields. With pairs, the search wins three games of five at equal nodes or time."""

LAST_ROW = HALF - ROW
"""Number of the first field of the last row in the low word."""

BELOW = (ROW - 1, ROW, ROW + 1)
"""Distances in bits to the neighbours in the row below."""


def wins_at_once(state: State) -> bool:
    """Tell whether the side to move can win with its next arrow."""
    own, other = state.own, state.other
    return other == NOWHERE or (NEAR_LOW[own] & LOW[other]) | (NEAR_HIGH[own] & HIGH[other]) != 0


def spread_low(low: int, high: int) -> int:
    """Return the low word of a set of fields with all their neighbours, and some bits beyond it."""
    wide = low | (low << 1) | (low >> 1)
    return wide | (wide << ROW) | (wide >> ROW) | ((high | (high << 1) | (high >> 1)) << LAST_ROW)


def spread_high(low: int, high: int) -> int:
    """Return the high word of a set of fields with all their neighbours, and some bits beyond it."""
    wide = high | (high << 1) | (high >> 1)
    return wide | (wide << ROW) | (wide >> ROW) | ((low | (low << 1) | (low >> 1)) >> LAST_ROW)


def area_value(low: int, high: int) -> int:
    """Evaluate a set of fields by its fields and its pairs of neighbours."""
    fields = popcount(low) + popcount(high)
    pairs = popcount(low & (low >> 1)) + popcount(high & (high >> 1))
    for step in BELOW:
        pairs += popcount(low & (low >> step)) + popcount(high & (high >> step))
        pairs += popcount(high & (low >> (HALF - step)))
    return FIELD * fields + PAIR * pairs


def evaluate(state: State) -> int:
    """Evaluate a position for the side to move by the fields that each side reaches first.

    Both sides expand over the free fields in turn, one step at a time. The first step of the side to move does not go
    to a neighbour of the opponent's next field, which would lose. If no field is reachable for both, `race` may decide.
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
        # the side to move shares no field with the opponent from its next arrow on
        outcome = race(own, rest_low, rest_high, other, theirs_low ^ LOW[other], theirs_high ^ HIGH[other])
        if outcome != UNDECIDED:
            return DECIDED if outcome == WON else -DECIDED
    return area_value(mine_low, mine_high) - area_value(theirs_low, theirs_high)


def insert(state: State, arena: Arena, first: int, count: int) -> None:
    """Insert a position among ``count`` positions from place ``first`` on, which are sorted by evaluation.

    The evaluations are stored in the same order after the places of eight positions.
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
    """Write children that include a best one, also by the length of the game; return their end.

    A move that wins at once is written alone. Moves after which the opponent wins at once are left out, except one if
    there are no others. The children are sorted by evaluation.
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
    """Return a hash of a position."""
    return mix(mix(mix(1, state.low), state.high), state.own * 128 + state.other)
