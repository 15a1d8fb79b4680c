"""Does one side reach its aim? The question that searches for proofs ask of positions, and what is known of it.

The attacker's aim is a win; a draw is as good as a win for the defender. Every position has two numbers, seen from the
side to move: how many leaves have to be settled in its favour, at the least, to settle the position so (``phi``), and
how many to settle it against (``delta``). Searches that work with such numbers and those that know only what is
settled share one table.

For games that cannot go on for ever, those whose kernels have ``plies_left``: a position never stands on the path
to itself there.
"""

from typing import Any, NamedTuple

from engine.compiling.binding import Numbers
from engine.games.interface import DRAWN, LOST, MINE, THEIRS, UNDECIDED, WON, Arena
from engine.search.capabilities import can_still_win, load, verdict
from engine.solve.proof_number.proof_table import (
    ANSWER,
    EFFORT,
    ENTRY,
    MORE,
    NODES,
    NODES_ALLOWED,
    STORED,
    STORED_ALLOWED,
    claim,
    entry_of,
    is_of,
)

PHI, DELTA = ANSWER, MORE
"""What the table knows of a question: 1, does the side to move win, or 2, does it at least not lose. The effort is the
number of positions whose moves were made for it."""

NEVER = 1 << 28
"""The number that stands for: this cannot be any more. With a 0 it makes a settled position."""


class Work(NamedTuple):
    """What the searches work on."""

    arena: Arena
    """The children of every node on the path, one behind the other."""
    phis: Numbers
    """Numbers of the positions in the arena's places."""
    deltas: Numbers
    table: Numbers
    """An arena with the positions of the table, see `engine.solve.proof_number.proof_table`…"""
    entries: Numbers
    """… and the numbers beside them."""
    tally: Numbers
    """Counters: see there."""


def is_over(work: Any) -> bool:
    """Tell whether no more nodes are allowed, or the table is full: ``work`` is anything with these counters."""
    tally = work.tally
    return tally[NODES] >= tally[NODES_ALLOWED] or tally[STORED] >= tally[STORED_ALLOWED]


def judge(at: int, attacking: bool, work: Work) -> bool:
    """Note the numbers of the position in a place as far as they are known without its moves; tell if it is settled.

    ``attacking`` tells whether the side to move is the one whose win is in question.
    """
    state = load(work.arena, at)
    outcome = verdict(state)
    if outcome == UNDECIDED and can_still_win(state) & (MINE if attacking else THEIRS) == 0:
        outcome = DRAWN
    if outcome == DRAWN:
        outcome = LOST if attacking else WON
    phi = delta = 1
    if outcome == WON:
        phi, delta = 0, NEVER
    elif outcome == LOST:
        phi, delta = NEVER, 0
    else:
        question = 1 if attacking else 2
        entry = entry_of(work.arena, at, question, work.table, work.entries)
        if is_of(entry, work.arena, at, question, work.table, work.entries):
            phi, delta = work.entries[entry * ENTRY + PHI], work.entries[entry * ENTRY + DELTA]
    work.phis[at], work.deltas[at] = phi, delta
    return phi == 0 or delta == 0


def note(at: int, attacking: bool, phi: int, delta: int, effort: int, work: Work) -> None:
    """Write the numbers of the position in a place, and what it took to find them, where `judge` will find them."""
    work.phis[at], work.deltas[at] = phi, delta
    question = 1 if attacking else 2
    entry = entry_of(work.arena, at, question, work.table, work.entries)
    base = entry * ENTRY
    if not is_of(entry, work.arena, at, question, work.table, work.entries):
        work.tally[STORED] += 1 if claim(entry, work.arena, at, question, work.table, work.entries) else 0
        work.entries[base + EFFORT] = 0
    work.entries[base + PHI] = phi
    work.entries[base + DELTA] = delta
    work.entries[base + EFFORT] = min(NEVER, work.entries[base + EFFORT] + effort)
