"""What is known of a question where play can go round: some of it for good, some of it only on a path.

The attacker has to force a win (`engine.solve.proof_number.goals`); who lets play come back to a position on the path
from the root gains nothing by it, so that a repetition counts as the attacker's failure. Which positions are on the
path depends on the way that was taken, and that is the graph-history interaction:

- A proof holds for good. It ends in won games, not in repetitions, and no path takes anything away from it.
- A disproof may rest on repetitions of positions on the path. With it go two depths, the least and the greatest of
  those positions. While they are on the path it holds. Repetitions of the position itself, and of positions under it,
  do not count: they are part of what is disproven. A disproof that rests on nothing above it holds for good: all its
  positions together are a set that the attacker cannot force play out of.
- A disproof that does rest on something is remembered with the number of the path to the deepest position that it rests
  on, and is taken for true again on paths that begin with that one. Numbers of paths are given out, never computed: no
  path is taken for another's.

Where no win can come before the depth at which the search ends, the attack fails for want of depth. That counts as
resting on a depth of -1: it is never for good. Where it rests on nothing else, it holds on every path with no more
plies left, and so the table remembers how many were too few.

Sources: Campbell 1985 (graph-history interaction), Breuker, van den Herik, Uiterwijk and Allis 2001 (what is true for
good and what is not, kept apart), Kishimoto and Mueller 2004 (disproofs that are remembered with their path).
"""

from typing import NamedTuple

from engine.compiling.binding import Numbers
from engine.games.interface import DRAWN, LOST, MINE, THEIRS, UNDECIDED, WON, Arena
from engine.search.binding import same
from engine.search.capabilities import can_still_win, hash_of, least_plies, load, verdict
from engine.solve.proof_number.goals import DELTA, NEVER, PHI
from engine.solve.proof_number.proof_table import EFFORT, ENTRY, QUESTION, STORED, claim, entry_of, is_of

PATHS, HORIZON = 4, 5
"""Offsets of two more counters behind those of `proof_table`: how many numbers of paths were given out, and
the depth at which the search ends. Positions from which no win can come before it are not searched."""

PLACE, HASH, NUMBER, STEP = 0, 1, 2, 3
"""Of each depth of the path: the place and the hash of its position, and the number of the path to it; and their
count."""

ABOVE, OWN, LEAST, DEEPEST, UNDER, SHORT, NOTE = 0, 1, 2, 3, 4, 5, 6
"""Of each entry of the table: the number of the path above it and its own, as it was searched last; of a disproof that
rests on something the least and the greatest depth and the number of the path to the greatest, 0 for no such disproof;
the greatest number of plies known to be too few for a win; and their count. A proof has in the place of LEAST the plies
within which the attacker wins."""

FOR_GOOD = 1 << 20
"""The least depth that a disproof rests on where it rests on nothing; deeper than any path."""

NOTHING = -1
"""The greatest depth that a disproof rests on where it rests on nothing or on want of depth alone."""

WANT_OF_DEPTH = -1
"""The least depth that a disproof rests on which the end of the search has cut off."""


class Work(NamedTuple):
    """What the search works on: as `engine.solve.proof_number.goals.Work`, and what it needs to know of paths."""

    arena: Arena
    phis: Numbers
    deltas: Numbers
    least: Numbers
    """For each place the least depth that its disproof rests on, or the plies within which its proof wins."""
    deepest: Numbers
    """For each place the greatest depth that its disproof rests on."""
    table: Numbers
    entries: Numbers
    notes: Numbers
    """Beside the entries: see ABOVE."""
    path: Numbers
    """The positions from the root on: see PLACE."""
    tally: Numbers


def fail(at: int, attacking: bool, least: int, deepest: int, work: Work) -> None:
    """Let the attack on the position in a place have failed, for what rests on these depths."""
    work.phis[at] = NEVER if attacking else 0
    work.deltas[at] = 0 if attacking else NEVER
    work.least[at], work.deepest[at] = least, deepest


def repeated(at: int, depth: int, work: Work) -> int:
    """Return the depth at which the position of a place, itself at ``depth``, stands on the path; -1 for none."""
    key: int = hash_of(load(work.arena, at))
    above = depth - 2
    while above >= 0:
        base = above * STEP
        if work.path[base + HASH] == key and same(work.arena, work.path[base + PLACE], work.arena, at):
            return above
        above -= 2
    return -1


def judge(at: int, attacking: bool, depth: int, work: Work) -> None:
    """Note what is known of the position in a place without its moves; it would be at ``depth`` on the path.

    ``attacking`` tells whether the side to move is the one whose win is in question.
    """
    state = load(work.arena, at)
    outcome = verdict(state)
    if outcome == UNDECIDED and can_still_win(state) & (MINE if attacking else THEIRS) == 0:
        outcome = DRAWN
    if outcome != UNDECIDED:
        fail(at, attacking, FOR_GOOD, NOTHING, work)
        if outcome == (WON if attacking else LOST):
            work.phis[at], work.deltas[at] = work.deltas[at], work.phis[at]
            work.least[at] = 0
        return
    above = repeated(at, depth, work)
    if above >= 0:
        fail(at, attacking, above, above, work)
        return
    least, left = least_plies(state, attacking), work.tally[HORIZON] - depth
    far = 1 + least // 2
    work.phis[at], work.deltas[at] = (far, 1) if attacking else (1, far)
    question = 1 if attacking else 2
    entry = entry_of(work.arena, at, question, work.table, work.entries)
    if is_of(entry, work.arena, at, question, work.table, work.entries):
        base = entry * NOTE
        phi, delta = work.entries[entry * ENTRY + PHI], work.entries[entry * ENTRY + DELTA]
        deepest = work.notes[base + DEEPEST]
        if phi == 0 or delta == 0:
            work.phis[at], work.deltas[at] = phi, delta
            work.least[at], work.deepest[at] = work.notes[base + LEAST], NOTHING
        elif (
            work.notes[base + UNDER] != 0
            and deepest < depth
            and (work.path[deepest * STEP + NUMBER] == work.notes[base + UNDER])
        ):
            fail(at, attacking, work.notes[base + LEAST], deepest, work)
        elif work.notes[base + SHORT] >= left:
            fail(at, attacking, WANT_OF_DEPTH, NOTHING, work)
        else:
            work.phis[at], work.deltas[at] = phi, delta
    if work.phis[at] != 0 and work.deltas[at] != 0 and left < max(1, least):
        fail(at, attacking, WANT_OF_DEPTH, NOTHING, work)


def own_entry(at: int, attacking: bool, work: Work) -> int:
    """Return the entry of the position in a place, and begin one where it has none."""
    question = 1 if attacking else 2
    entry = entry_of(work.arena, at, question, work.table, work.entries)
    if not is_of(entry, work.arena, at, question, work.table, work.entries):
        work.tally[STORED] += 1 if claim(entry, work.arena, at, question, work.table, work.entries) else 0
        base = entry * ENTRY
        work.entries[base + PHI] = work.entries[base + DELTA] = 1
        work.entries[base + EFFORT] = 0
        for offset in range(NOTE):
            work.notes[entry * NOTE + offset] = 0
    return entry


def enter(at: int, attacking: bool, depth: int, work: Work) -> None:
    """Make the position in a place the last one of the path."""
    base = depth * STEP
    work.path[base + PLACE], work.path[base + HASH] = at, hash_of(load(work.arena, at))
    if depth == 0:
        return
    above = work.path[base - STEP + NUMBER]
    note = own_entry(at, attacking, work) * NOTE
    if work.notes[note + ABOVE] != above:
        work.tally[PATHS] += 1
        work.notes[note + ABOVE], work.notes[note + OWN] = above, work.tally[PATHS]
    work.path[base + NUMBER] = work.notes[note + OWN]


def note(at: int, attacking: bool, depth: int, effort: int, work: Work) -> None:
    """Write what a place says of its position, and what it took to find that, where `judge` will find it."""
    phi, delta, least = work.phis[at], work.deltas[at], work.least[at]
    entry = own_entry(at, attacking, work)
    base, beside = entry * ENTRY, entry * NOTE
    work.entries[base + EFFORT] = min(NEVER, work.entries[base + EFFORT] + effort)
    if (delta if attacking else phi) == 0 and least < depth:
        # rests on something above, if not on what is at or under this position: that is true by itself
        deepest = min(work.deepest[at], depth - 1)
        if deepest >= 0:
            work.notes[beside + LEAST], work.notes[beside + DEEPEST] = least, deepest
            work.notes[beside + UNDER] = work.path[deepest * STEP + NUMBER]
        else:
            work.notes[beside + SHORT] = max(work.notes[beside + SHORT], work.tally[HORIZON] - depth)
        work.deepest[at] = deepest
        return
    if phi == 0 or delta == 0:
        if (delta if attacking else phi) == 0:
            work.least[at], work.deepest[at] = FOR_GOOD, NOTHING
        work.notes[beside + LEAST] = work.least[at]
    work.entries[base + PHI], work.entries[base + DELTA] = phi, delta


def transfer_notes(table: Arena, entries: Numbers, notes: Numbers, larger: Work) -> None:
    """Bring the notes beside a table's entries to where the entries are in a larger one."""
    for entry in range(len(entries) // ENTRY):
        question = entries[entry * ENTRY + QUESTION]
        if question != 0:
            target = entry_of(table, entry, question, larger.table, larger.entries)
            if is_of(target, table, entry, question, larger.table, larger.entries):
                for offset in range(NOTE):
                    larger.notes[target * NOTE + offset] = notes[entry * NOTE + offset]
