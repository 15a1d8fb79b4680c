"""The order in which children are searched: by value, corrected by the history of cut-offs.

`Memory.order` has a number for each place of the arena: a scored child. It packs the value of a child, the child's
number and whether the value is final, so that the largest number is searched first. Equal children keep the order of
generation. The number of a deferred child is negated.

History heuristic (Schaeffer 1989): moves that caused a cut-off are likely to cause one elsewhere. Children with the
same `kind_of` share one number. It rises at each cut-off and falls when another child was tried in vain. It decays in
proportion to its size, which keeps it within bounds ("gravity" in chess engines).
"""

from engine.compiling.binding import Numbers
from engine.games.interface import EVALUATION_LIMIT, UNDECIDED, State
from engine.search.capabilities import (
    DRAW,
    KINDS,
    MARGIN,
    end_score,
    evaluate,
    evaluate_children,
    hash_of,
    kind_of,
    load,
    shift_score,
    verdict,
)
from engine.search.memory import REPETITION_PLY, Memory, slot_of

NUMBER_BITS = 16
NUMBER_MASK = (1 << NUMBER_BITS) - 1

VALUE_OFFSET = 4 * EVALUATION_LIMIT
"""Added to a value in the order, which makes it positive. Added twice to the first child."""

MAX_HISTORY = 1 << 10
"""Largest number of the history. It changes the value of a child by `MARGIN`."""

MAX_HISTORY_BONUS = 1 << 8
"""Largest change of a number of the history by one cut-off."""


def score_children(state: State, first: int, end: int, complete: bool, ply: int, memory: Memory) -> int:
    """Write the values of children into the order, for the side that moves to them.

    The children are ``ply`` plies from the root. ``complete`` tells whether they are all children of the position.
    Returns the number of children whose value is not final.
    """
    order, path, cells = memory.order, memory.path, memory.cells
    not_final = 0
    if complete and evaluate_children(state, first, order):
        for at in range(first, end):
            value, final = order[at] >> 1, order[at] & 1
            order[at] = pack_child(shift_score(value, ply), at - first, final)
            not_final += 1 - final
        return not_final
    for at in range(first, end):
        child = load(memory.arena, at)
        outcome = verdict(child)
        final = 1
        slot = slot_of(path, hash_of(child))
        if outcome != UNDECIDED:
            value = -end_score(outcome, ply)
        elif path[2 * slot] != 0:
            value = DRAW
            cells[REPETITION_PLY] = min(cells[REPETITION_PLY], path[2 * slot + 1])
        else:
            value = -shift_score(evaluate(child), ply)
            final = 0
        order[at] = pack_child(value, at - first, final)
        not_final += 1 - final
    return not_final


def pack_child(value: int, number: int, final: int) -> int:
    """Return a scored child: its value, its number in the order of generation, and whether the value is final."""
    return ((value + VALUE_OFFSET) << NUMBER_BITS) + NUMBER_MASK - 2 * number - final


def value_of(scored: int) -> int:
    """Return the value of a scored child."""
    return (scored >> NUMBER_BITS) - VALUE_OFFSET


def number_of(scored: int) -> int:
    """Return the number of a scored child in the order of generation."""
    return (NUMBER_MASK - (scored & NUMBER_MASK)) >> 1


def is_final(scored: int) -> bool:
    """Tell whether the value of a scored child is final, so that no search can change it."""
    return scored & 1 == 0


def pick_best(order: Numbers, first: int, end: int) -> int:
    """Swap the best child of ``order[first:end]`` to the front, and return it (one step of selection sort)."""
    best = first
    for at in range(first + 1, end):
        if order[at] > order[best]:
            best = at
    picked = order[best]
    order[best] = order[first]
    order[first] = picked
    return picked


def move_to_front(order: Numbers, at: int) -> None:
    """Raise the value of a child above all others: the best child of an earlier search is searched first."""
    order[at] += VALUE_OFFSET << NUMBER_BITS


def defer(order: Numbers, at: int) -> None:
    """Mark a child as deferred, or remove the mark."""
    order[at] = -order[at]


def is_deferred(order: Numbers, at: int) -> bool:
    """Tell whether a child is deferred."""
    return order[at] < 0


def add_history(state: State, first: int, end: int, memory: Memory) -> None:
    """Correct the values of the children in places ``first`` to ``end`` by the history."""
    for at in range(first, end):
        if is_final(memory.order[at]):
            continue
        history = memory.history[kind_of(state, load(memory.arena, at)) & (KINDS - 1)]
        memory.order[at] += (MARGIN * history // MAX_HISTORY) << NUMBER_BITS


def update_history(state: State, first: int, at: int, depth: int, memory: Memory) -> None:
    """Reward the child in place ``at`` of the order for a cut-off, and penalise the children searched before it."""
    history = memory.history
    bonus = min(depth * depth, MAX_HISTORY_BONUS)
    for tried in range(first, at + 1):
        if is_deferred(memory.order, tried):
            continue  # not searched yet
        child = load(memory.arena, first + number_of(memory.order[tried]))
        kind = kind_of(state, child) & (KINDS - 1)
        change = bonus if tried == at else -bonus
        history[kind] += change - history[kind] * bonus // MAX_HISTORY
