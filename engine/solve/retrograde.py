"""Exact solution: every position that can be reached, judged backwards from the ends of the game.

The reachable positions are collected breadth first, each with the numbers of the positions that its moves lead
to. Then they are judged backwards: finished games at distance 0 first, then, in the order of their distance, each
that can move to a lost one, which is won, and each of which the last move leads to a won one, which is lost. What is
undecided when there is nothing left to go back from is a draw by endless play, provided that every position was
collected.

Of positions that mirror each other one stands for all, where the game can tell which.

Before that, wins and losses are as true as ever, but their distances may still shrink.

Source: retrograde analysis (Bellman 1965, Thompson 1986), with recorded moves in the place of un-moves.
"""

from engine.compiling.binding import Numbers
from engine.games.interface import DRAWN, LOST, WON, Arena
from engine.search.binding import same
from engine.search.capabilities import canonical, children, hash_of, load, store, verdict

UNKNOWN = 0
"""Value of a position that is not, or not yet, known to be won or lost. Won in n plies is n + 1, lost in n is
-(n + 1), for the side to move."""

DRAWN_AT_ONCE = 32767
"""Value of a game that is over and drawn."""

LONGEST = 32000
"""No win or loss is judged beyond this distance, the values being numbers of 16 bits."""

POSITIONS, EXPANDED, EDGES = range(3)
"""Offsets in the counters of a set. The first EXPANDED of its POSITIONS have their moves recorded."""

FINISHED, NO_ROOM = 0, 1
"""Why an expansion has ended."""

SPARE_PLACES = 1 << 10
"""Places that an arena holds beyond its positions, for the children of one of them; more where that is too few."""


def slot_of(arena: Arena, at: int, slots: Numbers) -> int:
    """Return the slot that names the position in a place: the one that it has, or the empty one that it may take.

    A slot holds a number of a position plus 1, or 0. Some slot must be empty.
    """
    last = len(slots) - 1
    slot: int = hash_of(load(arena, at)) & last
    while slots[slot] != 0 and not same(arena, slots[slot] - 1, arena, at):
        slot = (slot + 1) & last
    return slot


def value_at_end(judged: int) -> int:
    """Return the value that stands for a kernel's verdict."""
    if judged == WON:
        return 1
    if judged == LOST:
        return -1
    return DRAWN_AT_ONCE if judged == DRAWN else UNKNOWN


def begin(arena: Arena, slots: Numbers, values: Numbers, tally: Numbers) -> None:
    """Make the position in place 0 the only one of an empty set."""
    first = 0
    store(arena, first, canonical(load(arena, first)), 0)
    slots[slot_of(arena, 0, slots)] = 1
    values[0] = value_at_end(verdict(load(arena, 0)))
    tally[POSITIONS] = 1


def expand(
    arena: Arena, slots: Numbers, values: Numbers, offsets: Numbers, edges: Numbers, tally: Numbers, until: int
) -> int:
    """Record the moves of positions, and add what they lead to, until ``until`` of them have theirs recorded.

    Returns FINISHED, when that is done or no position is left to expand, or NO_ROOM.
    """
    while tally[EXPANDED] < min(until, tally[POSITIONS]):
        at, count, edge = tally[EXPANDED], tally[POSITIONS], tally[EDGES]
        if values[at] == UNKNOWN:
            end = children(load(arena, at), arena, count)
            if end > len(values) or edge + end - count > len(edges):
                return NO_ROOM
            for place in range(count, end):
                # the children that are new move up to where they stay; a place is read before it is written
                store(arena, count, canonical(load(arena, place)), 0)
                slot = slot_of(arena, count, slots)
                if slots[slot] == 0:
                    slots[slot] = count + 1
                    values[count] = value_at_end(verdict(load(arena, count)))
                    count += 1
                edges[edge] = slots[slot] - 1
                edge += 1
        offsets[at + 1] = edge
        tally[EXPANDED], tally[POSITIONS], tally[EDGES] = at + 1, count, edge
    return FINISHED


def refill(arena: Arena, slots: Numbers, tally: Numbers) -> None:
    """Name every position of a set in slots that are all empty."""
    for at in range(tally[POSITIONS]):
        slots[slot_of(arena, at, slots)] = at + 1


def link(offsets: Numbers, edges: Numbers, tally: Numbers, starts: Numbers, parents: Numbers, waiting: Numbers) -> None:
    """Turn the moves around: note from which positions each one is reached, and how many moves each one has.

    ``parents[starts[at]]`` to before ``parents[starts[at + 1]]`` lead to a position, one for each move. All three
    arrays are zero before.
    """
    for edge in range(tally[EDGES]):
        starts[edges[edge]] += 1
    total = 0
    for at in range(tally[POSITIONS]):
        total += starts[at]
        starts[at] = total
    starts[tally[POSITIONS]] = total
    for at in range(tally[EXPANDED]):
        waiting[at] = offsets[at + 1] - offsets[at]
        for edge in range(offsets[at], offsets[at + 1]):
            starts[edges[edge]] -= 1
            parents[starts[edges[edge]]] = at


def line_up(values: Numbers, tally: Numbers, queue: Numbers) -> int:
    """Put the finished games that somebody has won into the queue; return how many there are."""
    end = 0
    for at in range(tally[POSITIONS]):
        if values[at] == 1 or values[at] == -1:
            queue[end] = at
            end += 1
    return end


def judge(
    values: Numbers,
    starts: Numbers,
    parents: Numbers,
    waiting: Numbers,
    queue: Numbers,
    begin: int,
    end: int,
    until: int,
) -> int:
    """Judge the positions that lead to those in a queue, from ``begin`` on to before ``until``; return its new end.

    What is decided joins the queue, so that nearer decisions come before later ones.
    """
    while begin < min(end, until):
        at = queue[begin]
        begin += 1
        value = values[at]
        if abs(value) > LONGEST:
            continue
        for link in range(starts[at], starts[at + 1]):
            parent = parents[link]
            if values[parent] != UNKNOWN:
                continue
            if value < 0:
                values[parent] = 1 - value
            else:
                waiting[parent] -= 1
                if waiting[parent] != 0:
                    continue
                values[parent] = -1 - value
            queue[end] = parent
            end += 1
    return end


def forget(values: Numbers, offsets: Numbers, tally: Numbers) -> None:
    """Undo what `judge` has found; finished games keep their values."""
    for at in range(tally[EXPANDED]):
        if offsets[at] < offsets[at + 1]:
            values[at] = UNKNOWN


ENTRY_POINTS = begin, expand, refill, link, line_up, judge, forget
"""What is to be bound; the other functions are called by these."""
