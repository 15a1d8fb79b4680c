"""Alpha-beta search of one position to one depth, for every game. `bind` binds its functions to a kernel.

The search is negamax. Its parts, and their sources:

- Alpha-beta: Knuth and Moore 1975; an overview is Björnsson and Marsland 2000.
- Principal variation search: Marsland and Campbell 1982. The first child has the full window. The other children
  have an empty window, which only tells whether they are better.
- Late move reductions: Romstad 2006.
- Futility pruning, also above the last ply: Schaeffer 1986, Heinz 1998.
- One-reply extension: the only move that does not lose at once costs no depth.
- Quiescence search: L. Harris 1975.
- ABDADA, for threads that search the same position: Weill 1996, as simplified by T. Kerrigan.

The search prunes and reduces only if the caller allows it (`SELECTIVE`). A loss is proven by all moves, so no child is
left out while all others lose.

A repeated position is a draw, whether it stands on the path or stood on the board before. This is checked before the
transposition table is read (`save_score` has what it stores). A score that depends on a repetition on the path is not
stored: it would be wrong on another path. A score without a repetition is stored, although there might be one on
another path: this half of the graph-history-interaction problem (Campbell 1985) stays unsolved.

A function that calls itself must have arguments of the same types at every call. For a literal, such as a depth of 0,
numba would compile a second version. Such pairs crash when they are loaded from its cache.
"""

from collections.abc import Callable
from typing import NamedTuple

from engine.games import kernels
from engine.games.interface import EVALUATION_LIMIT, UNDECIDED, WIN, Kernel, State
from engine.search.capabilities import (
    BREADTH,
    DRAW,
    HAS_LAYERS,
    INFINITY,
    MARGIN,
    children,
    end_score,
    evaluate,
    hash_of,
    is_open,
    layer_of,
    load,
    place_in_layer,
    shift_score,
    tactical_children,
    verdict,
)
from engine.search.memory import (
    BEST,
    CHILD_MASK,
    CHILD_SHIFT,
    MAX_CHILDREN,
    MAX_DEPTH,
    NO_CHILD,
    NO_SCORE,
    NODE_LIMIT,
    NODES,
    OFF_PATH,
    PARALLEL,
    PV_WIDTH,
    REPETITION_PLY,
    ROOT_SCORE,
    SELECTIVE,
    STOPPED,
    Memory,
    TablebaseLayers,
    begin_child,
    end_child,
    enter_path,
    extend_pv,
    leave_path,
    probe,
    save_score,
    slot_of,
    table_score,
)
from engine.search.move_ordering import (
    add_history,
    defer,
    is_deferred,
    is_final,
    move_to_front,
    number_of,
    pick_best,
    score_children,
    update_history,
    value_of,
)

MAX_QUIESCENCE_PLIES = 4
"""Plies of tactical moves beyond the depth. Two to six play alike in GIPF."""

MAX_FUTILITY_DEPTH = 3
"""Largest depth of futility pruning. Five gains nothing."""

REDUCE_FROM, REDUCE_MORE_FROM = 3, 8
"""Children from these places in the order on are searched one and two plies less deep."""

MIN_DEFERRAL_DEPTH = 4
"""Smallest depth at which children are deferred that other threads search. Three and five are as good."""


def search(state: State, depth: int, alpha: int, beta: int, ply: int, first: int, memory: Memory) -> int:
    """Return the score of a position to a depth of at least 1: exact inside the window, else a bound (fail-soft).

    ``ply`` counts from the root. The places of the arena from ``first`` on are free. If the score is exact, the row of
    this ply in ``memory.pv`` has the best line. The score of a search that was stopped means nothing. Raises
    OverflowError if the arena is full; the path must not be used again then.
    """
    arena, order, path, cells = memory.arena, memory.order, memory.path, memory.cells

    # 1. Count the node, and end if the search was stopped
    cells[NODES] += 1
    cells[REPETITION_PLY] = OFF_PATH
    memory.pv[ply * PV_WIDTH] = 0
    if poll_stop(memory):
        return DRAW

    # 2. The rules decide: the game is over, or the position is repeated
    outcome = verdict(state)
    if outcome != UNDECIDED:
        return end_score(outcome, ply)
    key = hash_of(state)
    slot = slot_of(path, key)
    if ply > 0 and path[2 * slot] != 0:
        cells[REPETITION_PLY] = path[2 * slot + 1]
        return DRAW

    # 3. Tablebase
    if HAS_LAYERS and ply > 0:
        exact = probe_tablebase(state, memory.tablebase)
        if exact != NO_SCORE:
            return shift_score(exact, ply)

    # 4. Transposition table (Greenblatt 1967)
    entry = probe(memory.table, key)
    stored = table_score(entry, depth, alpha, beta, ply)
    if stored != NO_SCORE:
        return stored

    # 5. Static evaluation: a certain result, or reverse futility pruning (Heinz 1998)
    selective = MARGIN > 0 and ply > 0 and cells[SELECTIVE] != 0 and beta - alpha == 1 and is_open(beta)
    if selective and (depth <= MAX_FUTILITY_DEPTH or BREADTH > 0):
        evaluation = evaluate(state)
        if not is_open(evaluation):
            return shift_score(evaluation, ply)  # proven by threats that lie deeper than the search
        # the right to move is worth half a margin
        assured = evaluation - MARGIN * (depth - 1) - MARGIN // 2
        if assured >= beta and depth <= MAX_FUTILITY_DEPTH:
            return assured

    # 6. Quiescence search at the last ply
    if depth == 1:
        best = quiescence(state, depth, alpha, beta, ply, first, memory)
        best_number = cells[BEST]
        repetition = cells[REPETITION_PLY]
        if alpha < best < beta or ply == 0:  # at the root a line helps even if the search was stopped
            memory.pv[ply * PV_WIDTH] = 1
            memory.pv[ply * PV_WIDTH + 1] = best_number
        if cells[STOPPED] != 0:
            return DRAW
        save_score(entry, key, best, best_number, alpha, beta, depth, ply, repetition, memory.table, cells)
        return best

    # 7. Generate and order the children: the best child of an earlier search, then by value and history
    if first + MAX_CHILDREN > len(order):
        raise OverflowError("the line of play has too many children")
    end = children(state, arena, first)
    not_final = score_children(state, first, end, depth > 1, ply + 1, memory)
    repeated = cells[REPETITION_PLY]
    if MARGIN > 0 and depth > MAX_FUTILITY_DEPTH:
        add_history(state, first, end, memory)
    best_before = first + ((entry >> CHILD_SHIFT) & CHILD_MASK)
    if entry != 0 and best_before < end:
        move_to_front(order, best_before)

    # 8. One-reply extension
    next_depth = depth - 1
    if not_final == 1 and cells[SELECTIVE] != 0 and ply + depth < MAX_DEPTH and end + 2 * MAX_CHILDREN <= len(order):
        next_depth = depth

    if ply > 0:
        enter_path(path, slot, key, ply)
    best = -INFINITY
    best_number = NO_CHILD
    repetition = OFF_PATH
    floor = alpha
    tried = 0
    parallel = cells[PARALLEL] != 0 and depth >= MIN_DEFERRAL_DEPTH
    turn, deferred, is_second_pass = first, 0, False
    while turn < end or deferred > 0:
        # 9. After the last child return to the deferred ones, unless another thread has stored a score (ABDADA)
        if turn >= end:
            turn, is_second_pass = first, True
            entry = probe(memory.table, key)
            stored = table_score(entry, depth, alpha, beta, ply)
            if stored != NO_SCORE:
                best = stored
                best_number = (entry >> CHILD_SHIFT) & CHILD_MASK
                break

        # 10. Pick the next child
        at = turn
        turn += 1
        if is_second_pass:
            if not is_deferred(order, at):
                continue
            defer(order, at)
            deferred -= 1
            picked = order[at]
        else:
            picked = pick_best(order, at, end)
        number = number_of(picked)
        if ply == 0 and memory.excluded[number] != 0:
            continue

        # 11. Leave out the remaining children: by futility (Schaeffer 1986), by breadth, or because they lose at once
        if selective and depth <= MAX_FUTILITY_DEPTH and best_number != NO_CHILD and is_open(best):
            hoped = value_of(picked) + MARGIN * (depth - 1)
            if hoped <= floor:
                best = max(best, hoped)
                repetition = min(repetition, repeated)
                turn = end
                continue
        if BREADTH > 0 and tried >= BREADTH and cells[SELECTIVE] != 0 and is_open(best) and not is_second_pass:
            turn = end
            continue
        if is_final(picked) and value_of(picked) < -EVALUATION_LIMIT and value_of(picked) <= floor:
            best = max(best, value_of(picked))
            repetition = min(repetition, repeated)
            turn = end
            continue

        # 12. Defer a child that another thread searches, but never the first one (ABDADA)
        child = load(arena, first + number)
        child_key = hash_of(child) if parallel else key
        may_defer = best_number != NO_CHILD and not is_second_pass
        if not is_second_pass:
            tried += 1
        if parallel and not begin_child(memory.searching, child_key, may_defer):
            defer(order, at)
            deferred += 1
            continue

        # 13. Search the child, first reduced and with an empty window, and again if it is better than expected
        reduction = late_move_reduction(depth, ply, at - first) if cells[SELECTIVE] != 0 else 0
        window = beta if best_number == NO_CHILD else floor + 1
        while True:
            score = -search(child, next_depth - reduction, -window, -floor, ply + 1, end, memory)
            repetition = min(repetition, cells[REPETITION_PLY])
            if score <= floor or cells[STOPPED] != 0:
                break
            if reduction > 0:
                reduction = 0
            elif window < beta and score < beta:
                window = beta
            else:
                break
        if parallel:
            end_child(memory.searching, child_key)
        if cells[STOPPED] != 0:
            break

        # 14. Keep the best child, and end at a cut-off
        if score > best:
            best = score
            best_number = number
            if score > floor:
                floor = score
                if ply == 0:
                    cells[ROOT_SCORE] = score
                extend_pv(memory.pv, ply, number)
                if score >= beta:
                    if depth > 2 and MARGIN > 0:
                        update_history(state, first, at, depth, memory)
                    break
    if ply > 0:
        leave_path(path, slot)
    if cells[STOPPED] != 0:
        return DRAW

    # 15. Store the score
    save_score(entry, key, best, best_number, alpha, beta, depth, ply, repetition, memory.table, cells)
    return best


def quiescence(state: State, depth: int, alpha: int, beta: int, ply: int, first: int, memory: Memory) -> int:
    """Search the last ply, ``depth`` 1, or tactical children beyond it, ``depth`` 0 and less.

    The side to move may stop at the evaluation (stand pat) or play a tactical move, such as a capture. So no exchange
    is evaluated half-way. A child's evaluation is an upper bound, since the opponent may stop, too. So a child whose
    evaluation is no better than the best score needs no search, nor do the children behind it. If a game evaluates all
    children together, these evaluations decide. The game must not be over.
    """
    arena, order, cells = memory.arena, memory.order, memory.cells
    if first + MAX_CHILDREN > len(order):
        raise OverflowError("the line of play has too many children")

    # 1. Beyond the depth the evaluation may be enough (stand pat)
    if depth == 1:
        best = -INFINITY
        end = children(state, arena, first)
    else:
        best = shift_score(evaluate(state), ply)
        if best >= beta or not is_open(best) or depth == -MAX_QUIESCENCE_PLIES or poll_stop(memory):
            return best
        end = tactical_children(state, arena, first)

    # 2. Evaluate and order the children
    cells[NODES] += end - first
    score_children(state, first, end, depth == 1, ply + 1, memory)
    best_number = NO_CHILD
    for turn in range(first, end):
        picked = pick_best(order, turn, end)
        value = value_of(picked)
        number = number_of(picked)
        if ply == 0 and memory.excluded[number] != 0:
            continue

        # 3. Search a child whose evaluation is better than the best score
        floor = max(alpha, best)
        is_searched = value > floor and not is_final(picked)
        if is_searched:
            child = load(arena, first + number)
            value = -quiescence(child, depth - 1, -beta, -floor, ply + 1, end, memory)
            if cells[STOPPED] != 0:
                if best_number == NO_CHILD:
                    best_number = number  # the best by evaluation
                break

        # 4. Keep the best child, and end at a cut-off or where no better child can follow
        if value > best:
            best = value
            best_number = number
        if best >= beta or not is_searched:
            break
    cells[BEST] = best_number
    return best


def poll_stop(memory: Memory) -> bool:
    """Tell whether the search has to end: another thread stops it, or it has used its nodes."""
    if memory.stop[0] != 0 or memory.cells[NODES] >= memory.cells[NODE_LIMIT]:
        memory.cells[STOPPED] = 1
    return memory.cells[STOPPED] != 0


def late_move_reduction(depth: int, ply: int, place: int) -> int:
    """Return by how many plies the child in a place of the order is searched less deep at first (Romstad 2006)."""
    if depth < 3 or ply == 0 or place < REDUCE_FROM:
        return 0
    return 2 if depth >= 4 and place >= REDUCE_MORE_FROM else 1


def probe_tablebase(state: State, layers: TablebaseLayers) -> int:
    """Return the exact score of a position, counted from it, or NO_SCORE."""
    mine, theirs = layer_of(state)
    if mine >= layers.width or theirs >= layers.width:
        return NO_SCORE
    first = layers.offsets[mine * layers.width + theirs]
    if first < 0:
        return NO_SCORE
    value = layers.values[first + place_in_layer(state, layers.ranking)]
    if value == 0:
        return DRAW
    return value - 1 - WIN if value & 1 else WIN + 1 - value


class AlphaBeta(NamedTuple):
    """The search, bound to the rules of a kernel."""

    search: Callable[[State, int, int, int, int, int, Memory], int]
    margin: int
    """`engine.games.interface.Rules.MARGIN`."""


def bind(kernel: Kernel) -> AlphaBeta:
    """Return the search bound to the rules of a kernel. Each binding is made once."""
    return AlphaBeta(*kernels.bind((search,), kernel), kernel.rules.MARGIN)


def with_layers(kernel: Kernel) -> Kernel:
    """Return a kernel for searches with a tablebase, for a game that has layers."""
    assert kernel.rules.layers is not None
    return kernel._replace(rules=kernel.rules.layers())


SEARCHING = kernels.Purpose("search", lambda kernel: [(search,)])
"""The search of bots."""

LOOKING_UP = kernels.Purpose("tablebase", lambda kernel: [(search,)], with_layers)
"""The search with a tablebase."""
