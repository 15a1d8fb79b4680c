"""The end of a line of search: the last ply, and loud moves beyond it. Bound by `engine.search.alphabeta.bind`.

Where the depth is used up, the side to move may stop at the evaluation or go on with the children that its game
calls loud, captures for example, so that no exchange is judged when it is half done (quiescence search; L. Harris
1975). What is said there of types holds here too.
"""

from typing import Any

from engine.game import DRAWN, EVALUATION_LIMIT, UNDECIDED, WON
from engine.search import hints
from engine.search.hints import loud_children
from engine.search.memory import BEST, BUDGET, NODES, REACH, ROOM, STOPPED, Memory
from engine.search.table import NO_CHILD, slot_of

# What is bound in the place of these: the rules of a game.
children: Any = None
evaluate: Any = None
verdict: Any = None
hash_of: Any = None
load: Any = None

LOUD_PLIES = 4
"""Plies that loud children may be followed beyond the depth. Two to six play alike in GIPF."""

DRAW = 0
WIN = EVALUATION_LIMIT + 1000
"""A win on the spot. Later wins are worth less by their number of plies, losses the negative of that."""
INFINITY = WIN + 1
NUMBER_BITS = 16
NUMBER_MASK = (1 << NUMBER_BITS) - 1
ZERO = 4 * EVALUATION_LIMIT
"""Added to values in the order, which makes them positive; added twice to the child from the table, the first."""


def halted(memory: Memory) -> bool:
    """Tell whether the search has to end here and now."""
    if memory.stop[0] != 0 or memory.cells[NODES] >= memory.cells[BUDGET]:
        memory.cells[STOPPED] = 1
    return memory.cells[STOPPED] != 0


def ended(outcome: int, ply: int) -> int:
    """Return the score of a finished game, ``ply`` plies from the root."""
    if outcome == DRAWN:
        return DRAW
    return WIN - ply if outcome == WON else ply - WIN


def appraise(first: int, end: int, ply: int, memory: Memory) -> None:
    """Put the values of children ``ply`` plies from the root into the order, for the side that moves to them.

    A number of the order holds value, number and finality of a child so that the greatest comes first, and of
    equal ones the first generated.
    """
    path, cells = memory.path, memory.cells
    for at in range(first, end):
        child = load(memory.arena, at)
        outcome = verdict(child)
        final = 1
        slot = slot_of(path, hash_of(child))
        if outcome != UNDECIDED:
            value = -ended(outcome, ply)
        elif path[2 * slot] != 0:
            value = DRAW
            cells[REACH] = min(cells[REACH], path[2 * slot + 1])
        else:
            value = -evaluate(child)
            final = 0
        memory.order[at] = ((value + ZERO) << NUMBER_BITS) + NUMBER_MASK - 2 * (at - first) - final


def take_best(order: Any, first: int, end: int) -> int:
    """Take the greatest number out of ``order[first:end]``; what stood in front takes its place."""
    best = first
    for at in range(first + 1, end):
        if order[at] > order[best]:
            best = at
    taken = order[best]
    order[best] = order[first]
    return taken


def resolve(state: Any, depth: int, alpha: int, beta: int, ply: int, first: int, memory: Memory) -> int:
    """Search the last ply, ``depth`` 1, or loud children beyond it, ``depth`` 0 and less.

    The game must not be over. A child's evaluation is as much as the opponent can be held to, so that children
    which evaluate no better than what is there already need no search, nor those behind them.
    """
    arena, order, cells = memory.arena, memory.order, memory.cells
    if first + ROOM > len(order):
        raise OverflowError("the line of play has too many children")
    if depth == 1:
        best = -INFINITY
        end = children(state, arena, first)
    else:
        best = evaluate(state)
        if best >= beta or depth == -LOUD_PLIES or halted(memory):
            return best
        end = loud_children(state, arena, first)
    cells[NODES] += end - first
    appraise(first, end, ply + 1, memory)
    best_number = NO_CHILD
    for turn in range(first, end):
        taken = take_best(order, turn, end)
        value = (taken >> NUMBER_BITS) - ZERO
        low = NUMBER_MASK - (taken & NUMBER_MASK)
        if ply == 0 and memory.barred[low >> 1] != 0:
            continue
        floor = max(alpha, best)
        searched = value > floor and low & 1 == 0
        if searched:
            child = load(arena, first + (low >> 1))
            value = -resolve(child, depth - 1, -beta, -floor, ply + 1, end, memory)
            if cells[STOPPED] != 0:
                if best_number == NO_CHILD:
                    best_number = low >> 1  # by evaluation alone
                break
        if value > best:
            best = value
            best_number = low >> 1
        if best >= beta or not searched:
            break
    cells[BEST] = best_number
    return best


FUNCTIONS = (*hints.FUNCTIONS, halted, ended, appraise, take_best, resolve)
