"""The rules of GIPF as plain functions over integers, for any board.

The functions read the constants below by global name. `engine.games.gipf.kernel.bind` returns copies of them for a
board side S and a run length K, interpreted or compiled.

Sets of fields are integers with one bit for each field (`engine.games.gipf.geometry`). Functions write the positions
that they generate into an arena, a flat list or array with WORDS numbers for each position. A set of fields has
SET_WORDS of these numbers: several in compiled rules of boards that do not fit a machine word
(`engine.compiling.binding`). Compiled code has no bounds checks, so functions check the size of the arena before they
write, and raise OverflowError.
"""

from collections.abc import Sequence
from typing import NamedTuple

from engine.compiling.binding import UNBOUND, get_fields, popcount, put_fields
from engine.games.interface import Arena

WHITE_RESERVE, BLACK_RESERVE, SIDE, VALUE, WHITE = range(5)
"""Offsets of the numbers of `State` in an arena. The set of black follows that of white. VALUE is the evaluation by
which `engine.games.gipf.evaluation.candidates` sorts."""

MOVES_PER_PUSH = 4096
"""Largest number of final positions of one push. Play reaches a handful; constructed positions with small K and large S
have millions."""

# Constants of the board, and tables with a row for each push, from `engine.games.gipf.kernel.bind`
SET_WORDS: int = UNBOUND  # numbers of a set of fields in an arena
WORDS: int = UNBOUND  # numbers of a position in an arena
IS_WIDE: bool = UNBOUND  # whether sets of fields take several machine words
ONE: int = UNBOUND  # 1, as wide as a set of pushes
RUN_SHIFTS: Sequence[int] = UNBOUND  # shifts that reduce a run of K pieces to one bit; their sum is K-1
BITS: int = UNBOUND  # number of bits of the layout
CENTRE: Sequence[int] = UNBOUND  # fields within 0, 1, 2 … steps of the centre
AXIS_STEPS: Sequence[int] = UNBOUND  # distances in bits along the three line families
LINE: Sequence[int] = UNBOUND  # the fields of the line of each push
FIRST: Sequence[int] = UNBOUND  # the field next to the dot of each push
STEP: Sequence[int] = UNBOUND  # the distance in bits of each push, always positive
UPWARD: Sequence[int] = UNBOUND  # 1 for a push towards higher bits
UP_PUSHES: Sequence[int] = UNBOUND  # numbers of the pushes towards higher bits…
UP_LINE: Sequence[int] = UNBOUND
UP_FIRST: Sequence[int] = UNBOUND
UP_STEP: Sequence[int] = UNBOUND
DOWN_PUSHES: Sequence[int] = UNBOUND  # … and towards lower ones, with the same three
DOWN_LINE: Sequence[int] = UNBOUND
DOWN_FIRST: Sequence[int] = UNBOUND
DOWN_STEP: Sequence[int] = UNBOUND


class State(NamedTuple):
    """A position: two sets of fields, the reserves, and the side to move (0 white, 1 black)."""

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
    """Write a position and its value for sorting into place ``at`` of an arena."""
    base = at * WORDS
    put_fields(arena, base + WHITE, state.white)
    put_fields(arena, base + WHITE + SET_WORDS, state.black)
    arena[base + WHITE_RESERVE] = state.white_reserve
    arena[base + BLACK_RESERVE] = state.black_reserve
    arena[base + SIDE] = state.side
    arena[base + VALUE] = value


def copy(arena: Arena, source: int, target: int) -> None:
    """Copy a position and its value from place ``source`` of an arena to place ``target``."""
    for word in range(WORDS):
        arena[target * WORDS + word] = arena[source * WORDS + word]


def run_starts(pieces: int, step: int) -> int:
    """Return the fields at which K pieces in a row begin, towards higher bits, ``step`` bits apart."""
    for shift in RUN_SHIFTS:
        pieces &= pieces >> (step * shift)
    return pieces


def has_run(pieces: int) -> bool:
    """Tell whether K of the pieces stand in a row."""
    return (
        run_starts(pieces, AXIS_STEPS[0]) | run_starts(pieces, AXIS_STEPS[1]) | run_starts(pieces, AXIS_STEPS[2])
    ) != 0


def smear_down(bits: int) -> int:
    """Set every bit below the highest set bit."""
    distance = 1
    while distance < BITS:
        bits |= bits >> distance
        distance *= 2
    return bits


def slide_up(own: int, other: int, line: int, first: int, step: int) -> tuple[int, int]:
    """Push a piece of ``own`` onto ``first`` towards higher bits. The line must not be full."""
    empty = line & ~(own | other)
    run = line & ((empty & -empty) - 1)
    own_run, other_run = own & run, other & run
    return (own ^ own_run) | (own_run << step) | first, (other ^ other_run) | (other_run << step)


def slide_down(own: int, other: int, line: int, first: int, step: int) -> tuple[int, int]:
    """Push a piece of ``own`` onto ``first`` towards lower bits. The line must not be full."""
    empty = line & ~(own | other)
    run = line & ~smear_down(empty)
    own_run, other_run = own & run, other & run
    return (own ^ own_run) | (own_run >> step) | first, (other ^ other_run) | (other_run >> step)


def push(own: int, other: int, number: int) -> tuple[int, int]:
    """Play push ``number`` without collecting rows. Its line must not be full."""
    if UPWARD[number]:
        return slide_up(own, other, LINE[number], FIRST[number], STEP[number])
    return slide_down(own, other, LINE[number], FIRST[number], STEP[number])


def open_pushes(own: int, other: int) -> tuple[int, int]:
    """Return the pushes along lines that are not full, and the pushes among them that make a run, as sets of bits.

    There must be no run on the board. The two loops have no branches, so that the compiler vectorises them if sets of
    fields are machine words.
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
    """Return the same as `open_pushes`, with branches that save tests for runs.

    If the field next to a dot is empty, all pushes onto it only add a piece there, and need one test.
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
    """Return the pieces of the side to move, the pieces of the other side, and the reserve of the side to move."""
    if state.side == 0:
        return state.white, state.black, state.white_reserve
    return state.black, state.white, state.black_reserve


def can_push(state: State) -> bool:
    """Tell whether the side to move has a reserve and a line that is not full. Otherwise it has lost."""
    if (state.white_reserve if state.side == 0 else state.black_reserve) == 0:
        return False
    occupied = state.white | state.black
    for number in range(len(LINE)):  # noqa: SIM110  # numba does not compile generators here
        if LINE[number] & ~occupied != 0:
            return True
    return False


def stretch(occupied: int, seed: int, step: int) -> int:
    """Return the contiguous occupied fields around the field ``seed``, ``step`` bits apart (flood fill)."""
    grown = seed
    while True:
        seed = grown
        grown = (seed | (seed << step) | (seed >> step)) & occupied
        if grown == seed:
            return seed


def rows_to_collect(pieces: int, occupied: int, arena: Arena, at: int) -> tuple[int, int]:
    """Write the rows with a run of ``pieces`` to the arena; return their number, and the fields that they share.

    A row with a shared field crosses another row. Rows are sets of fields, written from place ``at`` on, in the order
    of line families and within each from the top.
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
    """Collect rows of one colour: its pieces return to its reserve, the other pieces leave the game."""
    white, black = state.white & ~rows, state.black & ~rows
    white_reserve, black_reserve = state.white_reserve, state.black_reserve
    if colour == 0:
        white_reserve += popcount(state.white & rows)
    else:
        black_reserve += popcount(state.black & rows)
    return State(white, black, white_reserve, black_reserve, state.side)


def discard_repeats(arena: Arena, first: int, fresh: int, end: int) -> int:
    """Remove the positions in places ``fresh`` to ``end`` that occur earlier, from ``first`` on; return the new end."""
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


def collect_all(arena: Arena, first: int, mover: int) -> int:
    """Replace the position after a push, in place ``first``, by all final positions, each once; return their end.

    The mover's rows are collected first, then the opponent's. A position with crossing rows is replaced by one position
    for each choice. All positions make one choice at a time, so that equal positions are found and examined once.
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
                # insert a position for each crossing row: the later positions and the rows move up
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
    """Return the position after push ``number``, before rows are collected. Its line must not be full."""
    if state.side == 0:
        white, black = push(state.white, state.black, number)
        return State(white, black, state.white_reserve - 1, state.black_reserve, 1)
    black, white = push(state.black, state.white, number)
    return State(white, black, state.white_reserve, state.black_reserve - 1, 0)


def finals(state: State, number: int, arena: Arena, first: int) -> int:
    """Write every final position of push ``number``; return their end. Its line must not be full."""
    return finals_of(after_push(state, number), state.side, arena, first)


def finals_of(after: State, mover: int, arena: Arena, first: int) -> int:
    """Write every final position of a push, given the position before rows are collected; return their end."""
    if (first + 1) * WORDS > len(arena):
        raise OverflowError("the arena is full")
    store(arena, first, after, 0)
    if has_run(after.white) or has_run(after.black):
        return collect_all(arena, first, mover)
    return first + 1


def moves(state: State, arena: Arena, first: int) -> int:
    """Write the position after every move; return their end. Each final position of a push is a move."""
    if (state.white_reserve if state.side == 0 else state.black_reserve) == 0:
        return first
    occupied = state.white | state.black
    end = first
    for number in range(len(LINE)):
        if LINE[number] & ~occupied != 0:
            end = finals(state, number, arena, end)
    return end


def children(state: State, arena: Arena, first: int) -> int:
    """Write the positions after all moves, each once, in the documented order; return their end.

    Two pushes can lead to the same position without collecting rows only if each adds a piece on the same field and
    changes nothing else. A push that collects rows leaves fewer pieces on the board than any push that does not.
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
        end = finals_of(after, state.side, arena, fresh)
        reserves = arena[fresh * WORDS + WHITE_RESERVE] + arena[fresh * WORDS + BLACK_RESERVE]
        if reserves != after.white_reserve + after.black_reserve:
            end = discard_repeats(arena, first, fresh, end)
    return end


def count_moves(state: State, arena: Arena, first: int) -> int:
    """Count the positions that `moves` writes, without playing moves that collect no row."""
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
    """Count the leaves of the tree of moves to a depth of at least 1.

    With ``unique``, moves of a node to the same position count once.
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
