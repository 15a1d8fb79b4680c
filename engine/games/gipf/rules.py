"""The rules of GIPF as plain functions over integers, for any board.

The functions read the constants below by global name; `engine.games.gipf.kernel.bind` gives back copies of them for
one board side S and run length K, interpreted or compiled.

Sets of fields are integers, one bit a field, laid out as `engine.games.gipf.geometry` says. Positions are kept in an
arena: a flat list or array of WORDS numbers a position, in which functions write the positions that they
generate one behind the other. A set of fields takes one of these numbers; where the rules are compiled and a board
does not fit a machine word, it is an integer of SET_WORDS words (`engine.compiling.binding`). Compiled code has no
bounds checks: what writes positions checks that there is room, and raises OverflowError where there is none.
"""

from collections.abc import Sequence
from typing import NamedTuple

from engine.compiling.binding import UNBOUND, get_fields, popcount, put_fields
from engine.games.interface import Arena

WHITE_RESERVE, BLACK_RESERVE, SIDE, VALUE, WHITE = range(5)
"""Places of the numbers of `State` within the place of a position, with black's fields behind white's. VALUE is the
evaluation by which `engine.games.gipf.evaluation.candidates` sorts."""

MOVES_PER_PUSH = 4096
"""Final positions of one push that an arena has room for. Play reaches a handful; boards can be set up, with small
K and large S, in which one push has millions."""

# What `engine.games.gipf.kernel.bind` puts in the place of these: the board's constants, and tables of a row a push.
SET_WORDS: int = UNBOUND  # numbers of an arena that a set of fields takes
WORDS: int = UNBOUND  # numbers of an arena that a position takes
IS_WIDE: bool = UNBOUND  # whether sets of fields take several machine words
ONE: int = UNBOUND  # 1, as wide as a set of pushes
RUN_SHIFTS: Sequence[int] = UNBOUND  # by how far to shift so that K neighbouring pieces remain as one: sums to K-1
BITS: int = UNBOUND  # how many bits the layout spans
CENTRE: Sequence[int] = UNBOUND  # fields around the centre, the innermost set first, each holding the one before
AXIS_STEPS: Sequence[int] = UNBOUND  # bit distances along the three families of lines
LINE: Sequence[int] = UNBOUND  # the fields of each push's line
FIRST: Sequence[int] = UNBOUND  # the field next to each push's dot
STEP: Sequence[int] = UNBOUND  # the bit distance of each push, always positive
UPWARD: Sequence[int] = UNBOUND  # 1 where a push goes towards higher bits
UP_PUSHES: Sequence[int] = UNBOUND  # numbers of the pushes towards higher bits…
UP_LINE: Sequence[int] = UNBOUND
UP_FIRST: Sequence[int] = UNBOUND
UP_STEP: Sequence[int] = UNBOUND
DOWN_PUSHES: Sequence[int] = UNBOUND  # … and towards lower ones, with the same three
DOWN_LINE: Sequence[int] = UNBOUND
DOWN_FIRST: Sequence[int] = UNBOUND
DOWN_STEP: Sequence[int] = UNBOUND


class State(NamedTuple):
    """A position: two sets of fields, the reserves, and who moves (0 white, 1 black)."""

    white: int
    black: int
    white_reserve: int
    black_reserve: int
    side: int


def load(arena: Arena, at: int) -> State:
    """Return the position in place ``at`` of an arena."""
    base = at * WORDS
    return State(
        get_fields(arena, base + WHITE),
        get_fields(arena, base + WHITE + SET_WORDS),
        arena[base + WHITE_RESERVE],
        arena[base + BLACK_RESERVE],
        arena[base + SIDE],
    )


def store(arena: Arena, at: int, state: State, value: int) -> None:
    """Write a position, and a number by which it is sorted, into place ``at`` of an arena."""
    base = at * WORDS
    put_fields(arena, base + WHITE, state.white)
    put_fields(arena, base + WHITE + SET_WORDS, state.black)
    arena[base + WHITE_RESERVE] = state.white_reserve
    arena[base + BLACK_RESERVE] = state.black_reserve
    arena[base + SIDE] = state.side
    arena[base + VALUE] = value


def copy(arena: Arena, source: int, target: int) -> None:
    """Copy the position in place ``source`` of an arena, and its value, to place ``target``."""
    for word in range(WORDS):
        arena[target * WORDS + word] = arena[source * WORDS + word]


def run_starts(pieces: int, step: int) -> int:
    """Return the fields from which K pieces stand in a row towards higher bits, ``step`` bits apart."""
    for shift in RUN_SHIFTS:
        pieces &= pieces >> (step * shift)
    return pieces


def has_run(pieces: int) -> bool:
    """Tell whether K of these pieces stand in a row anywhere."""
    return (
        run_starts(pieces, AXIS_STEPS[0]) | run_starts(pieces, AXIS_STEPS[1]) | run_starts(pieces, AXIS_STEPS[2])
    ) != 0


def smear_down(bits: int) -> int:
    """Set every bit below the highest one that is set."""
    distance = 1
    while distance < BITS:
        bits |= bits >> distance
        distance *= 2
    return bits


def slide_up(own: int, other: int, line: int, first: int, step: int) -> tuple[int, int]:
    """Push a piece of ``own`` onto ``first`` along a line towards higher bits; the line must not be full."""
    empty = line & ~(own | other)
    run = line & ((empty & -empty) - 1)
    own_run, other_run = own & run, other & run
    return (own ^ own_run) | (own_run << step) | first, (other ^ other_run) | (other_run << step)


def slide_down(own: int, other: int, line: int, first: int, step: int) -> tuple[int, int]:
    """Push a piece of ``own`` onto ``first`` along a line towards lower bits; the line must not be full."""
    empty = line & ~(own | other)
    run = line & ~smear_down(empty)
    own_run, other_run = own & run, other & run
    return (own ^ own_run) | (own_run >> step) | first, (other ^ other_run) | (other_run >> step)


def push(own: int, other: int, number: int) -> tuple[int, int]:
    """Carry out push ``number``, whose line must not be full, without collecting any row."""
    if UPWARD[number]:
        return slide_up(own, other, LINE[number], FIRST[number], STEP[number])
    return slide_down(own, other, LINE[number], FIRST[number], STEP[number])


def open_pushes(own: int, other: int) -> tuple[int, int]:
    """Return the pushes whose lines are not full, and those among them that make a run: two sets, a bit a push.

    There must be no run on the board. The two loops hold no branch, so that a compiler makes vector instructions of
    them, for sets of fields that are machine words.
    """
    if IS_WIDE:
        return open_pushes_one_by_one(own, other)
    occupied = own | other
    possible = tactical = 0
    for i in range(len(UP_PUSHES)):
        mine, theirs = slide_up(own, other, UP_LINE[i], UP_FIRST[i], UP_STEP[i])
        is_open = (ONE if UP_LINE[i] & ~occupied != 0 else 0) << UP_PUSHES[i]
        possible |= is_open
        tactical |= is_open if has_run(mine) | has_run(theirs) else 0
    for i in range(len(DOWN_PUSHES)):
        mine, theirs = slide_down(own, other, DOWN_LINE[i], DOWN_FIRST[i], DOWN_STEP[i])
        is_open = (ONE if DOWN_LINE[i] & ~occupied != 0 else 0) << DOWN_PUSHES[i]
        possible |= is_open
        tactical |= is_open if has_run(mine) | has_run(theirs) else 0
    return possible, tactical


def open_pushes_one_by_one(own: int, other: int) -> tuple[int, int]:
    """Return the same as `open_pushes`, with branches that leave out what needs no test for runs.

    Where the field next to a dot is empty, all pushes onto it only add a piece there.
    """
    occupied = own | other
    possible = tactical = ONE ^ ONE
    tested = making = occupied ^ occupied
    for number in range(len(LINE)):
        if LINE[number] & ~occupied == 0:
            continue
        possible |= ONE << number
        first = FIRST[number]
        if first & occupied != 0:
            mine, theirs = push(own, other, number)
            makes_run = has_run(mine) or (theirs != other and has_run(theirs))
        else:
            if first & tested == 0:
                tested |= first
                if has_run(own | first):
                    making |= first
            makes_run = first & making != 0
        if makes_run:
            tactical |= ONE << number
    return possible, tactical


def of_mover(state: State) -> tuple[int, int, int]:
    """Return the mover's pieces, the opponent's, and the mover's reserve."""
    if state.side == 0:
        return state.white, state.black, state.white_reserve
    return state.black, state.white, state.black_reserve


def can_push(state: State) -> bool:
    """Tell whether the side to move has a piece and a line that is not full; if not, it has lost."""
    if (state.white_reserve if state.side == 0 else state.black_reserve) == 0:
        return False
    occupied = state.white | state.black
    for number in range(len(LINE)):  # noqa: SIM110  # numba knows no generators here
        if LINE[number] & ~occupied != 0:
            return True
    return False


def stretch(occupied: int, seed: int, step: int) -> int:
    """Return the unbroken stretch of occupied fields, ``step`` bits apart, that the field ``seed`` lies in."""
    grown = seed
    while True:
        seed = grown
        grown = (seed | (seed << step) | (seed >> step)) & occupied
        if grown == seed:
            return seed


def rows_to_collect(pieces: int, occupied: int, arena: Arena, at: int) -> tuple[int, int]:
    """Find the rows that runs of ``pieces`` trigger, and the fields that several of them share.

    Returns the number of rows and the shared fields: a row with such a field crosses another. The rows are
    written, a set of fields each, to the arena from place ``at`` on: line family by line family, each from the top.
    """
    count = 0
    once = shared = 0
    for step in AXIS_STEPS:
        left = run_starts(pieces, step)
        while left != 0:
            row = stretch(occupied, left & -left, step)
            left &= ~row
            shared |= once & row
            once |= row
            put_fields(arena, at * WORDS + count * SET_WORDS, row)
            count += 1
    return count, shared


def collect(state: State, colour: int, rows: int) -> State:
    """Take rows of one colour off the board: its pieces go back to its reserve, the others leave the game."""
    white, black = state.white & ~rows, state.black & ~rows
    white_reserve, black_reserve = state.white_reserve, state.black_reserve
    if colour == 0:
        white_reserve += popcount(state.white & rows)
    else:
        black_reserve += popcount(state.black & rows)
    return State(white, black, white_reserve, black_reserve, state.side)


def discard_repeats(arena: Arena, first: int, fresh: int, end: int) -> int:
    """Drop every position in places ``fresh`` to ``end`` that stands from ``first`` on already; return the new end."""
    kept = fresh
    for i in range(fresh, end):
        a = i * WORDS
        white, black = get_fields(arena, a + WHITE), get_fields(arena, a + WHITE + SET_WORDS)
        known = False
        for j in range(first, kept):
            b = j * WORDS
            if (
                white == get_fields(arena, b + WHITE)
                and black == get_fields(arena, b + WHITE + SET_WORDS)
                and arena[a + WHITE_RESERVE] == arena[b + WHITE_RESERVE]
                and arena[a + BLACK_RESERVE] == arena[b + BLACK_RESERVE]
            ):
                known = True
                break
        if not known:
            if i != kept:
                copy(arena, i, kept)
            kept += 1
    return kept


def settle(arena: Arena, first: int, mover: int) -> int:
    """Collect rows after a push until none is left, in every way that crossing rows allow.

    The pushed position stands in place ``first``; the final ones, each once, take its place and those behind it.
    Returns the end of them. The mover's rows go first, then the opponent's. Positions with crossing rows are
    replaced by one for each choice, all of them by one choice at a time, so that choices which lead to the same
    position in another order are looked at once.
    """
    end = first + 1
    for colour in (mover, 1 - mover):
        pending = True
        while pending:
            pending = False
            at = first
            while at < end:
                state = load(arena, at)
                pieces = state.white if colour == 0 else state.black
                if not has_run(pieces):
                    at += 1
                    continue
                if (end + BITS) * WORDS > len(arena):
                    raise OverflowError("the arena is full: too many ways to collect rows")
                count, shared = rows_to_collect(pieces, state.white | state.black, arena, end)
                crossing = 0
                for i in range(count):
                    row = get_fields(arena, end * WORDS + i * SET_WORDS)
                    if row & shared == 0:
                        state = collect(state, colour, row)
                    else:
                        put_fields(arena, end * WORDS + crossing * SET_WORDS, row)
                        crossing += 1
                if crossing == 0:
                    store(arena, at, state, 0)
                    at += 1
                    continue
                pending = True
                # one position becomes one for each crossing row; those behind it, and the rows found, move up
                for i in range(crossing - 1, -1, -1):
                    row = get_fields(arena, end * WORDS + i * SET_WORDS)
                    put_fields(arena, (end + crossing) * WORDS + i * SET_WORDS, row)
                for i in range(end - 1, at, -1):
                    copy(arena, i, i + crossing - 1)
                for i in range(crossing):
                    row = get_fields(arena, (end + crossing) * WORDS + i * SET_WORDS)
                    store(arena, at + i, collect(state, colour, row), 0)
                end += crossing - 1
                at += crossing
            end = discard_repeats(arena, first, first, end)
    return end


def after_push(state: State, number: int) -> State:
    """Return the position after push ``number``, whose line must not be full, with no row collected yet."""
    if state.side == 0:
        white, black = push(state.white, state.black, number)
        return State(white, black, state.white_reserve - 1, state.black_reserve, 1)
    black, white = push(state.black, state.white, number)
    return State(white, black, state.white_reserve, state.black_reserve - 1, 0)


def finals(state: State, number: int, arena: Arena, first: int) -> int:
    """Write every final position of push ``number``, whose line must not be full; return their end."""
    return conclude(after_push(state, number), state.side, arena, first)


def conclude(after: State, mover: int, arena: Arena, first: int) -> int:
    """Write every final position of a push that has been made, with no row collected yet; return their end."""
    if (first + 1) * WORDS > len(arena):
        raise OverflowError("the arena is full")
    store(arena, first, after, 0)
    if has_run(after.white) or has_run(after.black):
        return settle(arena, first, mover)
    return first + 1


def moves(state: State, arena: Arena, first: int) -> int:
    """Write the position after every move, a move being a push with one final position; return their end."""
    if (state.white_reserve if state.side == 0 else state.black_reserve) == 0:
        return first
    occupied = state.white | state.black
    end = first
    for number in range(len(LINE)):
        if LINE[number] & ~occupied != 0:
            end = finals(state, number, arena, end)
    return end


def children(state: State, arena: Arena, first: int) -> int:
    """Write every position that a move leads to, each once, in the documented order; return their end.

    Pushes along different lines, or from both ends of one, change no field together but that on which a line of pieces
    comes to its end. So what they lead to before rows are collected is the same only where that is all they change.
    Afterwards there are fewer pieces on the board than after any push that collects none.
    """
    if (state.white_reserve if state.side == 0 else state.black_reserve) == 0:
        return first
    occupied = state.white | state.black
    added = 0
    end = first
    for number in range(len(LINE)):
        if LINE[number] & ~occupied == 0:
            continue
        after = after_push(state, number)
        changed = (state.white ^ after.white) | (state.black ^ after.black)
        if changed & (changed - 1) == 0:
            if changed & added != 0:
                continue
            added |= changed
        fresh = end
        end = conclude(after, state.side, arena, fresh)
        reserves = arena[fresh * WORDS + WHITE_RESERVE] + arena[fresh * WORDS + BLACK_RESERVE]
        if reserves != after.white_reserve + after.black_reserve:
            end = discard_repeats(arena, first, fresh, end)
    return end


def count_moves(state: State, arena: Arena, first: int) -> int:
    """Count what `moves` would write, without making the moves that collect nothing."""
    own, other, reserve = of_mover(state)
    if reserve == 0:
        return 0
    possible, tactical = open_pushes(own, other)
    count = popcount(possible & ~tactical)
    number = 0
    while tactical != 0:
        if tactical & 1:
            count += finals(state, number, arena, first) - first
        tactical >>= 1
        number += 1
    return count


def perft(state: State, depth: int, unique: bool, arena: Arena, first: int) -> int:
    """Count the leaves of the tree of moves to a depth of 1 and more.

    With ``unique``, moves of a node that lead to the same position count once.
    """
    if depth == 1:
        if unique:
            return children(state, arena, first) - first
        return count_moves(state, arena, first)
    end = children(state, arena, first) if unique else moves(state, arena, first)
    leaves = 0
    for at in range(first, end):
        leaves += perft(load(arena, at), depth - 1, unique, arena, end)
    return leaves
