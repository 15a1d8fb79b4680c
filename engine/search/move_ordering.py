"""In which order children are tried: that of the table first, then by evaluation and by what has cut off before.

The order is an array of numbers beside the arena's places. A number holds value, number and finality of a child so
that the greatest comes first, and of equal ones the first generated; while the child is deferred, it is negated. Bound
by `engine.search.alphabeta.bind`.

Moves that refute others are likely to do so again elsewhere (history heuristic; Schaeffer 1989). Children of a kind,
as the kernel tells it, share one number, which rises with each cut-off and falls where another child had to be tried
(with the gravity that chess engines give it, the number stays within bounds).
"""

from engine.compiling.binding import Numbers
from engine.games.interface import EVALUATION_LIMIT, UNDECIDED, State
from engine.search.capabilities import KINDS, MARGIN, evaluate, evaluate_children, hash_of, kind_of, load, verdict
from engine.search.memory import REACH, Memory
from engine.search.scores import DRAW, ended, moved
from engine.search.transposition_table import slot_of

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
