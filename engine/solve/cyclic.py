"""Proof-number search where play can go round: who can force a win, or whether neither side can.

Among many moves without threats deepening is faster (`engine.solve.forced_wins`); this one finds long wins against few
answers, and shows that a side cannot win without looking at all positions that can be reached.

It is the depth-first search of `engine.solve.acyclic`, with weak proof numbers. A question is settled for
good or only on the path.

Why it comes to an end however little the table holds: a path is never longer than the horizon, and a node keeps the
numbers of its children in the arena while it is searched. Each visit to a child raises its delta to the second least
and beyond, settles it, or raises its phi so far that the node itself is left. What the table has forgotten is searched
again, but inside a node nothing is.

A proof comes with a number of plies that suffices for the win: one more than that of the child that was proven first,
or than the greatest one, where all had to be.

The attacker has to force a win (`engine.solve.acyclic`); who lets play come back to a position on the path
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

from engine.compiling.binding import Numbers, zeros
from engine.games.interface import DRAWN, LOST, MINE, THEIRS, UNDECIDED, WON, Arena, Kernel, State
from engine.games.kernels import bind
from engine.search.capabilities import can_still_win, candidates, canonical, hash_of, least_plies, load, store, verdict
from engine.solve.acyclic import DELTA, NEVER, PHI, weigh
from engine.solve.proof_table import (
    EFFORT,
    ENTRY,
    NODES,
    NODES_ALLOWED,
    QUESTION,
    STORED,
    TableSearch,
    claim,
    entry_of,
    is_of,
    is_over,
    same,
    transfer,
)

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
    """What the search works on: as `engine.solve.acyclic.Work`, and what it needs to know of paths."""

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


def conclude(at: int, attacking: bool, phi: int, delta: int, first: int, end: int, work: Work) -> None:
    """Write the numbers of a node into its place, and what a proof or disproof takes from its children."""
    work.phis[at], work.deltas[at] = phi, delta
    if phi != 0 and delta != 0:
        return
    proven = (phi if attacking else delta) == 0
    chosen = first
    if phi == 0:
        # one child is enough: that with the shortest proof, or with the disproof that rests on least
        for child in range(first, end):
            nearer = work.least[child] < work.least[chosen]
            if work.deltas[child] == 0 and (work.deltas[chosen] != 0 or nearer == proven):
                chosen = child
    least, deepest = work.least[chosen], work.deepest[chosen]
    if phi != 0:
        for child in range(first + 1, end):
            least = max(least, work.least[child]) if proven else min(least, work.least[child])
            deepest = max(deepest, work.deepest[child])
    work.least[at] = least + 1 if proven else least
    work.deepest[at] = deepest


def prove(at: int, attacking: bool, depth: int, phi_limit: int, delta_limit: int, first: int, work: Work) -> None:
    """Search the position in a place until one of its numbers reaches its limit, or the search is over.

    It stands at ``depth`` of the path, and is not settled; what is known of it has to be noted when the search begins.
    Places from ``first`` on are free.
    """
    phis, deltas = work.phis, work.deltas
    began = work.tally[NODES]
    work.tally[NODES] += 1
    enter(at, attacking, depth, work)
    end = candidates(load(work.arena, at), work.arena, first)
    if end > len(phis):
        raise OverflowError("the arena is full")
    for child in range(first, end):
        store(work.arena, child, canonical(load(work.arena, child)), 0)
        judge(child, not attacking, depth + 1, work)
    while True:
        best, phi, delta, second, still_open = weigh(first, end, phis, deltas)
        if phi >= phi_limit or delta >= delta_limit or is_over(work):
            break
        # the limits of the best child's search keep it the best
        phi_room = min(NEVER, delta_limit - still_open + 1)
        delta_room = min(phi_limit, second + second // 4 + 1)
        prove(best, not attacking, depth + 1, phi_room, delta_room, end, work)
    conclude(at, attacking, phi, delta, first, end, work)
    note(at, attacking, depth, work.tally[NODES] - began, work)


FIRST_HORIZON, MAX_DEPTH = 10, 256
"""Plies that a search looks ahead at first, and at most: half as many more when they were too few. Interpreted, a ply
takes one of the thousand calls that Python allows."""

FUNCTIONS = canonical, judge, prove, transfer, transfer_notes
"""What is bound to a kernel's rules."""


class CyclicProver(TableSearch[Work]):
    """Settles one position: whether the side to move forces a win, and whether the other one does, in turns."""

    PLACE_NUMBERS = "phis", "deltas", "least", "deepest"
    NOTE = NOTE

    def __init__(self, kernel: Kernel, *, memory: int) -> None:
        """Begin with the position of a kernel; the table takes at most ``memory`` bytes, or its least size."""
        self._canonical, self._judge, self._prove, transfer_bound, self._transfer_notes = bind(FUNCTIONS, kernel)
        nothing = zeros("q", 0)
        path, tally = zeros("q", STEP * (MAX_DEPTH + 1)), zeros("q", HORIZON + 1)
        work = Work(nothing, nothing, nothing, nothing, nothing, nothing, nothing, nothing, path, tally)
        super().__init__(kernel, work, transfer_bound, memory=memory)
        self._answers: dict[bool, bool | None] = {True: None, False: None}  # by whether the side to move attacks
        self._horizons = dict.fromkeys(self._answers, FIRST_HORIZON)
        self._roots = dict.fromkeys(self._answers, 0)
        self.within: int | None = None
        """A number of plies that suffices for the win that was found, None where none was."""

    @property
    def value(self) -> int | None:
        """The verdict of perfect play on the position, None while it is not known."""
        if self._answers[True]:
            return WON
        if self._answers[False]:
            return LOST
        return DRAWN if self._answers == {True: False, False: False} else None

    def cannot_win(self, mover: bool) -> bool:
        """Tell whether the side to move, or else the other one, is known not to force a win."""
        return self._answers[mover] is False

    @property
    def hopeless(self) -> bool:
        """Tell whether there is nothing left to search, though the value is not known.

        Play goes too deep; or a draw rests on positions for which as many plies were too few as are left for them now,
        and that does not end before the horizon does.
        """
        return self.value is None and not any(self._is_open(attacking) for attacking in self._answers)

    def search(self, nodes: int) -> None:
        """Search on, for about so many nodes, half of them for either side's win; what was found is remembered.

        Where the search was left is forgotten, so that a few nodes may bring nothing: let the portions grow.
        """
        until = self.nodes + nodes
        for attacking in self._answers:
            while self.value is None and self._is_open(attacking):
                share = (self.nodes + until) // 2 if attacking and self._is_open(False) else until
                if not self._ask(attacking, share):
                    break

    def lost_within(self, state: State) -> int | None:
        """Return within how many plies the side to move loses, as far as the table knows; None where it does not."""
        work, spare = self._work, 0
        self._kernel.rules.store(work.arena, spare, self._canonical(state), 0)
        self._judge(spare, False, 0, work)
        return int(work.least[spare]) if work.deltas[spare] == 0 else None

    def warm_up(self) -> None:
        """Have everything compiled that the search calls, and spoil the search: for one that is thrown away."""
        self.search(4)
        self._grow_table()

    def _is_open(self, attacking: bool) -> bool:
        return self._answers[attacking] is None and self._horizons[attacking] <= MAX_DEPTH

    def _ask(self, attacking: bool, until: int) -> bool:
        """Search for a side's win until so many nodes were used; tell whether there is more to do before."""
        work, tally = self._work, self._work.tally
        tally[HORIZON] = self._horizons[attacking]
        self._kernel.rules.store(work.arena, 0, self._canonical(self._kernel.state), 0)
        self._judge(0, attacking, 0, work)
        if work.phis[0] != 0 and work.deltas[0] != 0:
            if self._roots[attacking] == 0:
                tally[PATHS] += 1
                self._roots[attacking] = int(tally[PATHS])
            work.path[NUMBER] = self._roots[attacking]
            tally[NODES_ALLOWED] = until
            limit = max(NEVER, int(work.phis[0]))  # never a literal: numba would compile the search a second time
            depth = limit - limit
            try:
                self._prove(0, attacking, depth, limit, limit, depth + 1, work)
            except OverflowError:
                self._grow_arena()
                return True
        proven, disproven = (work.phis[0], work.deltas[0]) if attacking else (work.deltas[0], work.phis[0])
        if proven == 0:
            self._answers[attacking], self.within = True, int(work.least[0])
        elif disproven == 0 and work.least[0] == WANT_OF_DEPTH:
            # what rests on paths was true for this horizon: the root becomes the beginning of other paths
            self._horizons[attacking] += self._horizons[attacking] // 2
            self._roots[attacking] = 0
        elif disproven == 0:
            self._answers[attacking] = False
        elif self._is_full():
            self._grow_table()
        return self.nodes < until

    def _grow_table(self) -> None:
        old = self._work
        super()._grow_table()
        self._transfer_notes(old.table, old.entries, old.notes, self._work)
