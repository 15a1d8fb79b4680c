"""Depth-first search to the end of the game, move after move in the order in which the kernel gives them.

It settles the questions of `engine.solve.proof_number.goals`. Where the order is good it is many times as fast as
proof-number search: a node needs no look at children that are never searched, and no position is come back to before
it is settled. Where it is not, it can lose itself behind the first bad move.

What was settled stands in a table, so that a search which was stopped is soon where it was again.
"""

from engine.search.capabilities import candidates, canonical, load, store
from engine.solve.proof_number.goals import NEVER, Work, is_over, judge, note
from engine.solve.proof_number.proof_table import NODES


def try_all(at: int, attacking: bool, first: int, work: Work) -> bool:
    """Search the position in a place, of which the numbers are known, until it is settled; tell if that was so.

    Places from ``first`` on are free.
    """
    if work.phis[at] == 0 or work.deltas[at] == 0:
        return True
    if is_over(work):
        return False
    began = work.tally[NODES]
    work.tally[NODES] += 1
    end = candidates(load(work.arena, at), work.arena, first)
    if end > len(work.phis):
        raise OverflowError("the arena is full")
    phi, delta = NEVER, 0
    for child in range(first, end):
        store(work.arena, child, canonical(load(work.arena, child)), 0)
        judge(child, not attacking, work)
        if not try_all(child, not attacking, end, work):
            return False
        if work.deltas[child] == 0:
            phi, delta = 0, NEVER
            break
    note(at, attacking, phi, delta, work.tally[NODES] - began, work)
    return True
