"""Alpha-beta search of one position to one depth, for every game: plain functions that `bind` binds to a kernel.

The search is negamax with principal variation search: the first child with the whole window, the others with an empty
one that only asks whether they are better. Children are tried in an order by value.

If the caller allows it, the search is selective where the window is empty. Late children are searched less deep unless
they turn out well. And where the kernel tells by how much a move changes the evaluation, a position that is so much
better than needed is left at that, its moves not looked at, as are children that are so much worse. Where the kernel
says how many children are worth a look, the others are left out, unless all of these lose: a loss is proven by all
moves. A move that is the only one not to lose at once costs no depth (one-reply extension).

Where several threads search the same position, children that another thread searches at present are deferred to the end
of their node, but for the first one (simplified ABDADA): threads part below each node and meet in the table. One thread
defers nothing.

What a kernel evaluates as certain is not searched at all, nor are positions of layers that are solved.

A position that stands on the path to itself, or has stood on the board before, is worth a draw. That is looked
up before the table, and a value that a repetition of the path has entered is not written into the table: on
another path it would be wrong. (A value found without a repetition is kept, although on another path there might
have been one: what Campbell called the graph-history-interaction problem is solved by half, as usual.)

Sources: Knuth and Moore 1975 (alpha-beta), Marsland and Campbell 1982 (principal variation search),
Romstad 2006 (late move reductions), Schaeffer 1986 and Heinz 1998 (futility pruning, also at nodes before the last),
Weill 1996 (ABDADA) and T. Kerrigan's simplification of it;
Björnsson and Marsland 2000 give an overview.

A function that calls itself must be called with the same types from everywhere. A literal, say a depth of 0,
would make numba compile a second version, and such pairs crash when they are loaded from its cache.

**Order.** The order of children is an array of numbers beside the arena's places. A number holds value, number and
finality of a child so that the greatest comes first, and of equal ones the first generated; while the child is
deferred, it is negated. Moves that refute others are likely to do so again elsewhere (history heuristic; Schaeffer
1989). Children of a kind, as the kernel tells it, share one number, which rises with each cut-off and falls where
another child had to be tried (with the gravity that chess engines give it, the number stays within bounds).

**Quiescence.** Where the depth is used up, the side to move may stop at the evaluation or go on with the children that
its game calls loud, captures for example, so that no exchange is judged when it is half done (L. Harris 1975).
"""

from collections.abc import Callable
from typing import NamedTuple

from engine.compiling.binding import Numbers
from engine.games import kernels
from engine.games.interface import EVALUATION_LIMIT, UNDECIDED, WIN, Kernel, State
from engine.games.kernels import Purpose
from engine.search.capabilities import (
    BREADTH,
    DRAW,
    HAS_LAYERS,
    INFINITY,
    KINDS,
    MARGIN,
    children,
    ended,
    evaluate,
    evaluate_children,
    hash_of,
    is_open,
    kind_of,
    layer_of,
    load,
    moved,
    place_in_layer,
    tactical_children,
    verdict,
)
from engine.search.memory import (
    BEST,
    BOUND_MASK,
    BUDGET,
    CHILD_MASK,
    CHILD_SHIFT,
    DEPTH_MASK,
    DEPTH_SHIFT,
    EXACT,
    EXCLUDED,
    GENERATION,
    LOWER,
    MAX_DEPTH,
    NO_CHILD,
    NODES,
    NOTHING,
    NOWHERE,
    PARALLEL,
    REACH,
    ROOM,
    ROOT_SCORE,
    SCORE_OFFSET,
    SCORE_SHIFT,
    SEARCHING_SLOTS,
    SELECTIVE,
    STOPPED,
    UPPER,
    WIDTH,
    KnownLayers,
    Memory,
    probe,
    remember,
    slot_of,
)

NUMBER_BITS = 16
NUMBER_MASK = (1 << NUMBER_BITS) - 1
ZERO = 4 * EVALUATION_LIMIT
"""Added to values in the order, which makes them positive; added twice to the child from the table, the first."""

MAX_LEARNED = 1 << 10
"""What is learned of a kind stays within so much, which moves a child by as much as the rules' `MARGIN` does."""

MAX_TAUGHT = 1 << 8
"""What one cut-off teaches at the most."""


def score_moves(state: State, first: int, end: int, complete: bool, ply: int, memory: Memory) -> int:
    """Put the values of children, ``ply`` plies from the root, into the order, for the side that moves to them.

    ``complete`` tells whether these are all children of the position. Returns of how many the value is not final.
    """
    order, path, cells = memory.order, memory.path, memory.cells
    unsure = 0
    if complete and evaluate_children(state, first, order):
        for at in range(first, end):
            value, final = order[at] >> 1, order[at] & 1
            order[at] = packed(moved(value, ply), at - first, final)
            unsure += 1 - final
        return unsure
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
            value = -moved(evaluate(child), ply)
            final = 0
        order[at] = packed(value, at - first, final)
        unsure += 1 - final
    return unsure


def packed(value: int, number: int, final: int) -> int:
    """Return the number of the order for a child: its value, which child it is, and whether that is the true value."""
    return ((value + ZERO) << NUMBER_BITS) + NUMBER_MASK - 2 * number - final


def value_of(number: int) -> int:
    """Return the value that a number of the order holds."""
    return (number >> NUMBER_BITS) - ZERO


def child_of(number: int) -> int:
    """Return which child a number of the order stands for."""
    return (NUMBER_MASK - (number & NUMBER_MASK)) >> 1


def is_final(number: int) -> bool:
    """Tell whether the value that a number of the order holds is the true one."""
    return number & 1 == 0


def take_best(order: Numbers, first: int, end: int) -> int:
    """Put the greatest number of ``order[first:end]`` in front, and return it."""
    best = first
    for at in range(first + 1, end):
        if order[at] > order[best]:
            best = at
    taken = order[best]
    order[best] = order[first]
    order[first] = taken
    return taken


def move_to_front(order: Numbers, at: int) -> None:
    """Make a child the first of all."""
    order[at] += ZERO << NUMBER_BITS


def add_history(state: State, first: int, end: int, memory: Memory) -> None:
    """Add to the order what cut-offs have taught of the kinds of the children in places ``first`` to ``end``."""
    for at in range(first, end):
        if is_final(memory.order[at]):
            continue
        learned = memory.history[kind_of(state, load(memory.arena, at)) & (KINDS - 1)]
        memory.order[at] += (MARGIN * learned // MAX_LEARNED) << NUMBER_BITS


def update_history(state: State, first: int, turn: int, depth: int, memory: Memory) -> None:
    """Learn from a cut-off by the child which stands in the order at ``turn``, after those in front of it."""
    history = memory.history
    taught = min(depth * depth, MAX_TAUGHT)
    for at in range(first, turn + 1):
        if memory.order[at] < 0:
            continue  # deferred, so it has not been tried
        child = load(memory.arena, first + child_of(memory.order[at]))
        kind = kind_of(state, child) & (KINDS - 1)
        change = taught if at == turn else -taught
        history[kind] += change - history[kind] * taught // MAX_LEARNED


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


LATE, LAST = 3, 8
"""Children from these places on, in the order in which they are tried, are searched one and two plies less deep."""

DEFERRED = 4
"""From this depth on a node defers children that other threads search. Three and five are as good."""

NOT_KNOWN = INFINITY + 1
"""Stands for the exact score of a position that is not known."""

SHALLOW = 3
"""Up to this depth evaluations decide what is looked at, as they do in which order. Five plies are worth no more."""


def search(state: State, depth: int, alpha: int, beta: int, ply: int, first: int, memory: Memory) -> int:
    """Return the score of a position to a depth of 1 and more: exact inside the window, else a bound (fail-soft).

    ``ply`` counts from the root, and places from ``first`` on are free. The best line stands in the variation's
    row of that ply where the score is exact. When the search was stopped, the score means nothing. Raises
    OverflowError where there are more children than there is room for; the path is not to be used again then.
    """
    arena, order, path, cells = memory.arena, memory.order, memory.path, memory.cells
    cells[NODES] += 1
    cells[REACH] = NOWHERE
    row = ply * WIDTH
    memory.variation[row] = 0
    if halted(memory):
        return DRAW
    outcome = verdict(state)
    if outcome != UNDECIDED:
        return ended(outcome, ply)
    key = hash_of(state)
    slot = slot_of(path, key)
    if ply > 0 and path[2 * slot] != 0:
        cells[REACH] = path[2 * slot + 1]
        return DRAW
    if HAS_LAYERS and ply > 0:
        known = known_score(state, memory.known)
        if known != NOT_KNOWN:
            return moved(known, ply)
    entry = probe(memory.table, key)
    stored = stored_score(entry, depth, alpha, beta, ply)
    if stored != NOT_KNOWN:
        return stored
    selective = MARGIN > 0 and ply > 0 and cells[SELECTIVE] != 0 and beta - alpha == 1 and is_open(beta)
    if selective and (depth <= SHALLOW or BREADTH > 0):
        guess = evaluate(state)
        if not is_open(guess):
            return moved(guess, ply)  # by threats that lie deeper than the search
        # half a move's worth is what the side to move has ahead by its turn
        assured = guess - MARGIN * (depth - 1) - MARGIN // 2
        if assured >= beta and depth <= SHALLOW:
            return assured
    if depth == 1:
        best = resolve(state, depth, alpha, beta, ply, first, memory)
        best_number = cells[BEST]
        reach = cells[REACH]
        if alpha < best < beta or ply == 0:  # at the root even what was found before a stop is of use
            memory.variation[row] = 1
            memory.variation[row + 1] = best_number
    else:
        if first + ROOM > len(order):
            raise OverflowError("the line of play has too many children")
        end = children(state, arena, first)
        replies = score_moves(state, first, end, depth > 1, ply + 1, memory)
        repeated = cells[REACH]
        if MARGIN > 0 and depth > SHALLOW:
            add_history(state, first, end, memory)
        known = first + ((entry >> CHILD_SHIFT) & CHILD_MASK)
        if entry != 0 and known < end:
            move_to_front(order, known)
        if ply > 0:
            path[2 * slot] = key + 1
            path[2 * slot + 1] = ply
        best = -INFINITY
        best_number = NO_CHILD
        reach = NOWHERE
        floor = alpha
        looked_at = 0
        below = depth - 1
        if replies == 1 and cells[SELECTIVE] != 0 and ply + depth < MAX_DEPTH and end + 2 * ROOM <= len(order):
            below = depth
        parallel = cells[PARALLEL] != 0 and depth >= DEFERRED
        turn, deferred, returned = first, 0, False
        while turn < end or deferred > 0:
            if turn >= end:
                # the deferred ones remain; the thread that searches them may have settled the node meanwhile
                turn, returned = first, True
                entry = probe(memory.table, key)
                stored = stored_score(entry, depth, alpha, beta, ply)
                if stored != NOT_KNOWN:
                    best = stored
                    best_number = (entry >> CHILD_SHIFT) & CHILD_MASK
                    break
            at = turn
            turn += 1
            if returned:
                taken = -order[at]
                if taken < 0:
                    continue
                order[at] = taken
                deferred -= 1
            else:
                taken = take_best(order, at, end)
            number = child_of(taken)
            if ply == 0 and memory.barred[number] != 0:
                continue
            if selective and depth <= SHALLOW and best_number != NO_CHILD and is_open(best):
                hoped = value_of(taken) + MARGIN * (depth - 1)
                if hoped <= floor:
                    best = max(best, hoped)
                    reach = min(reach, repeated)
                    turn = end
                    continue
            if BREADTH > 0 and looked_at >= BREADTH and cells[SELECTIVE] != 0 and is_open(best) and not returned:
                turn = end
                continue
            if is_final(taken) and value_of(taken) < -EVALUATION_LIMIT and value_of(taken) <= floor:
                best = max(best, value_of(taken))
                reach = min(reach, repeated)
                turn = end
                continue
            child = load(arena, first + number)
            child_key = key
            mark = 0
            if parallel:
                child_key = hash_of(child)
                mark = child_key & (SEARCHING_SLOTS - 1)
                if best_number != NO_CHILD and not returned and memory.searching[mark] == child_key:
                    order[at] = -taken
                    deferred += 1
                    looked_at += 1
                    continue
                memory.searching[mark] = child_key
            if not returned:
                looked_at += 1
            less = 0
            if depth >= 3 and ply > 0 and at - first >= LATE and cells[SELECTIVE] != 0:
                less = 2 if depth >= 4 and at - first >= LAST else 1
            window = beta if best_number == NO_CHILD else floor + 1
            while True:
                score = -search(child, below - less, -window, -floor, ply + 1, end, memory)
                reach = min(reach, cells[REACH])
                if score <= floor or cells[STOPPED] != 0:
                    break
                if less > 0:
                    less = 0
                elif window < beta and score < beta:
                    window = beta
                else:
                    break
            if parallel and memory.searching[mark] == child_key:
                memory.searching[mark] = 0
            if cells[STOPPED] != 0:
                break
            if score > best:
                best = score
                best_number = number
                if score > floor:
                    floor = score
                    if ply == 0:
                        cells[ROOT_SCORE] = score
                    extend_variation(memory.variation, ply, number)
                    if score >= beta:
                        if depth > 2 and MARGIN > 0:
                            update_history(state, first, at, depth, memory)
                        break
        if ply > 0:
            path[2 * slot] = 0
    if cells[STOPPED] != 0:
        return DRAW
    bound, to_depth = EXACT, depth
    if best >= beta:
        bound = LOWER
    elif best <= alpha:
        bound = UPPER
    kept = moved(best, -ply)
    if reach < ply:
        # a repetition of a position before this one is part of the value, which holds on this path alone
        bound, kept, to_depth = NOTHING, DRAW, 0
    else:
        reach = NOWHERE
    cells[REACH] = reach
    if (reach >= ply or entry == 0) and (ply > 0 or cells[EXCLUDED] == 0):
        remember(memory.table, key, kept, bound, to_depth, best_number, cells[GENERATION])
    return best


def stored_score(entry: int, depth: int, alpha: int, beta: int, ply: int) -> int:
    """Return the score in an entry of the table, where it answers an empty window to a depth, or NOT_KNOWN."""
    bound = entry & BOUND_MASK
    if bound == NOTHING or (entry >> DEPTH_SHIFT) & DEPTH_MASK < depth or beta - alpha != 1:
        return NOT_KNOWN
    # wins in the table are counted from the node, here from the root
    score = moved((entry >> SCORE_SHIFT) - SCORE_OFFSET, ply)
    if bound == EXACT or (bound == LOWER and score >= beta) or (bound == UPPER and score <= alpha):
        return score
    return NOT_KNOWN


def known_score(state: State, known: KnownLayers) -> int:
    """Return the exact score of a position, counted from it, or NOT_KNOWN."""
    mine, theirs = layer_of(state)
    if mine >= known.width or theirs >= known.width:
        return NOT_KNOWN
    first = known.offsets[mine * known.width + theirs]
    if first < 0:
        return NOT_KNOWN
    value = known.values[first + place_in_layer(state, known.ranking)]
    if value == 0:
        return DRAW
    return value - 1 - WIN if value & 1 else WIN + 1 - value


def extend_variation(variation: Numbers, ply: int, number: int) -> None:
    """Make a child and the best line behind it the best line of a ply."""
    row = ply * WIDTH
    length = variation[row + WIDTH]
    variation[row] = length + 1
    variation[row + 1] = number
    for i in range(1, length + 1):
        variation[row + 1 + i] = variation[row + WIDTH + i]


class AlphaBeta(NamedTuple):
    """The search, bound to a kernel's rules."""

    search: Callable[[State, int, int, int, int, int, Memory], int]
    margin: int
    """`engine.games.interface.Rules.MARGIN`."""


def bind(kernel: Kernel) -> AlphaBeta:
    """Return the search bound to a kernel's rules; each binding is made once."""
    return AlphaBeta(*kernels.bind((search,), kernel), kernel.rules.MARGIN)


def with_layers(kernel: Kernel) -> Kernel:
    """Return a kernel by which the search looks positions up in layers, for a game that has them."""
    assert kernel.rules.layers is not None
    return kernel._replace(rules=kernel.rules.layers())


SEARCHING = Purpose("search", lambda kernel: [(search,)])
"""What bots think with."""

LOOKING_UP = Purpose("tablebase", lambda kernel: [(search,)], with_layers)
"""A search that looks positions up in layers."""
