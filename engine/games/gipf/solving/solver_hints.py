"""What a solver needs to know of a position besides: which moves to try first, and how far off the end is at least.

Bound and compiled together with `engine.games.gipf.rules` and `engine.games.gipf.evaluation`.
"""

from engine.compiling.binding import popcount
from engine.games.gipf.evaluation import evaluate
from engine.games.gipf.rules import CENTRE, PATH, WORDS, State, can_push, children, copy, load, store
from engine.games.interface import Arena

VALUE = PATH
"""Where a place holds the evaluation that it is sorted by: with candidates nobody asks for the path of choices."""


def least_plies(state: State, winning: bool) -> int:
    """Return a number of plies before which the side to move does not win (``winning``), or does not lose.

    Who loses is to move with no piece in reserve, which each move of a side takes one from; or all fields are taken,
    of which a move takes no more than one. Rows give pieces and fields back.
    """
    own, other = state.white_reserve, state.black_reserve
    if state.side != 0:
        own, other = other, own
    return min(popcount(CENTRE[-1] & ~(state.white | state.black)), 2 * other + 1 if winning else 2 * own)


def candidates(state: State, arena: Arena, first: int) -> int:
    """Write children among which one is as good as the best, those with the best evaluation first; return their end.

    A win on the spot is enough.
    """
    end = children(state, arena, first)
    for at in range(first, end):
        if not can_push(load(arena, at)):
            copy(arena, at, first)
            return first + 1
    for at in range(first, end):
        arena[at * WORDS + VALUE] = evaluate(load(arena, at))
    for unsorted in range(first + 1, end):
        # insertion sort, in which equal ones keep their order
        state = load(arena, unsorted)
        value = arena[unsorted * WORDS + VALUE]
        at = unsorted
        while at > first and arena[(at - 1) * WORDS + VALUE] > value:
            copy(arena, at - 1, at)
            at -= 1
        store(arena, at, state, value)
    return end
