"""Depth-first proof-number search (df-pn): it goes on where the least is missing to settle a question.

A position with several moves needs only one that succeeds, and needs all of them refuted: its phi, as
`engine.solve.proof_number.goals` has it, is the least delta of its children, and its delta ought to be the sum of their
phi. In games where many orders of moves lead to the same position the sum counts the same work over and over; so delta
is the largest phi of the children that are open, and one more for each other open child (weak proof-number search).

Sources: Allis, van der Meulen and van den Herik 1994 (proof numbers), Nagai 2002 (df-pn), Pawlewicz and Lew 2007
(thresholds that leave room for a quarter more), Ueda, Hashimoto, Hashimoto and Iida 2008 (weak proof-number search).
"""

from engine.compiling.binding import Numbers
from engine.search.capabilities import candidates, canonical, load, store
from engine.solve.proof_number.goals import NEVER, Work, is_over, judge, note
from engine.solve.proof_number.proof_table import NODES


def weigh(first: int, end: int, phis: Numbers, deltas: Numbers) -> tuple[int, int, int, int, int]:
    """Return the best child, phi and delta of the parent, the second least delta, and how many children are open.

    The best one is that with which least is missing.
    """
    best, second, hardest, still_open = first, NEVER, 0, 0
    for child in range(first, end):
        if deltas[child] < deltas[best]:
            second = deltas[best]
            best = child
        elif child != best and deltas[child] < second:
            second = deltas[child]
        if deltas[child] < NEVER:
            still_open += 1
            hardest = max(hardest, phis[child])
    phi = deltas[best]
    delta = NEVER if phi == 0 else 0 if still_open == 0 else min(NEVER - 1, hardest + still_open - 1)
    return best, phi, delta, second, still_open


def prove(at: int, attacking: bool, phi_limit: int, delta_limit: int, first: int, work: Work) -> None:
    """Search the position in a place until one of its numbers reaches its limit, or the search is over.

    Places from ``first`` on are free. The numbers of the position have to be known when the search begins.
    """
    phis, deltas = work.phis, work.deltas
    began = work.tally[NODES]
    work.tally[NODES] += 1
    end = candidates(load(work.arena, at), work.arena, first)
    if end > len(phis):
        raise OverflowError("the arena is full")
    for child in range(first, end):
        store(work.arena, child, canonical(load(work.arena, child)), 0)
        judge(child, not attacking, work)
    while True:
        best, phi, delta, second, still_open = weigh(first, end, phis, deltas)
        if phi >= phi_limit or delta >= delta_limit or is_over(work):
            break
        # the limits of the best child's search keep it the best
        phi_room = min(NEVER, delta_limit - still_open + 1)
        delta_room = min(phi_limit, second + second // 4 + 1)
        prove(best, not attacking, phi_room, delta_room, end, work)
    note(at, attacking, phi, delta, work.tally[NODES] - began, work)
