"""The end of a line of search: the last ply, and tactical moves beyond it. Bound by `engine.search.alphabeta.bind`.

Where the depth is used up, the side to move may stop at the evaluation or go on with the children that its game
calls loud, captures for example, so that no exchange is judged when it is half done (quiescence search; L. Harris
1975). What is said there of types holds here too.
"""

from engine.games.interface import State
from engine.search.capabilities import children, evaluate, load, tactical_children
from engine.search.memory import BEST, BUDGET, NODES, ROOM, STOPPED, Memory
from engine.search.move_ordering import child_of, is_final, score_moves, take_best, value_of
from engine.search.scores import INFINITY, is_open, moved
from engine.search.transposition_table import NO_CHILD

LOUD_PLIES = 4
"""Plies that tactical children may be followed beyond the depth. Two to six play alike in GIPF."""


def halted(memory: Memory) -> bool:
    """Tell whether the search has to end here and now."""
    if memory.stop[0] != 0 or memory.cells[NODES] >= memory.cells[BUDGET]:
        memory.cells[STOPPED] = 1
    return memory.cells[STOPPED] != 0


def resolve(state: State, depth: int, alpha: int, beta: int, ply: int, first: int, memory: Memory) -> int:
    """Search the last ply, ``depth`` 1, or tactical children beyond it, ``depth`` 0 and less.

    The game must not be over. A child's evaluation is as much as the opponent can be held to, so that children
    which evaluate no better than what is there already need no search, nor those behind them. Where a game
    evaluates all children together, that guess decides.
    """
    arena, order, cells = memory.arena, memory.order, memory.cells
    if first + ROOM > len(order):
        raise OverflowError("the line of play has too many children")
    if depth == 1:
        best = -INFINITY
        end = children(state, arena, first)
    else:
        best = moved(evaluate(state), ply)
        if best >= beta or not is_open(best) or depth == -LOUD_PLIES or halted(memory):
            return best
        end = tactical_children(state, arena, first)
    cells[NODES] += end - first
    score_moves(state, first, end, depth == 1, ply + 1, memory)
    best_number = NO_CHILD
    for turn in range(first, end):
        taken = take_best(order, turn, end)
        value = value_of(taken)
        number = child_of(taken)
        if ply == 0 and memory.barred[number] != 0:
            continue
        floor = max(alpha, best)
        searched = value > floor and not is_final(taken)
        if searched:
            child = load(arena, first + number)
            value = -resolve(child, depth - 1, -beta, -floor, ply + 1, end, memory)
            if cells[STOPPED] != 0:
                if best_number == NO_CHILD:
                    best_number = number  # by evaluation alone
                break
        if value > best:
            best = value
            best_number = number
        if best >= beta or not searched:
            break
    cells[BEST] = best_number
    return best
