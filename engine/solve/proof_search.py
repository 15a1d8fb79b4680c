"""Perfect play by proof-number search: who can force a win, or whether neither side can.

The searches ask whether one side, the attacker, forces a win; a draw is as good as a win for the defender. Every
position has two numbers, seen from the side to move: the least number of leaves to settle in its favour that settles
the position so (``phi``), and the least number to settle against it (``delta``).

`prove` is depth-first proof-number search (df-pn): it goes on where the least is missing to settle a question. A
position needs one move that succeeds, so its phi is the least delta of its children. It needs all of them refuted, so
its delta ought to be the sum of their phi. Where many orders of moves lead to the same position the sum counts the same
work over and over. So delta is the largest phi of the open children, and one more for each other open child (weak
proof-number search).

**Games that end.** `try_all` searches depth first, in the order of the kernel's moves. Where the order is good it is
many times as fast as `prove`: a node needs no look at children that are never searched. Where the order is bad, the
search can lose itself behind the first bad move. So both take turns with portions of nodes that double, and share one
table.

**Games that can go on for ever.** The attacker gains nothing by a return to a position on the path from the root, so a
repetition counts as the attacker's failure. Which positions are on the path depends on the way that was taken, and
that is the graph-history interaction:

- A proof holds for good. It ends in won games, not in repetitions, and no path takes anything away from it. It comes
  with a number of plies that suffices for the win: one more than the number of the child that was proven first, or than
  the greatest one, where all had to be.
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

The search ends however little the table holds: a path is never longer than the horizon, and a node keeps the numbers of
its children in the arena while it is searched. Each visit to a child raises its delta to the second least and beyond,
settles it, or raises its phi so far that the node itself is left.

Sources: Allis, van der Meulen and van den Herik 1994 (proof numbers), Nagai 2002 (df-pn), Pawlewicz and Lew 2007
(thresholds that leave room for a quarter more), Ueda, Hashimoto, Hashimoto and Iida 2008 (weak proof-number search),
Campbell 1985 (graph-history interaction), Breuker, van den Herik, Uiterwijk and Allis 2001 (what is true for good and
what is not, kept apart), Kishimoto and Mueller 2004 (disproofs that are remembered with their path).
"""

from engine.compiling.binding import Numbers
from engine.games.interface import DRAWN, LOST, MINE, THEIRS, UNDECIDED, WON, Kernel, State
from engine.games.kernels import Purpose, bind
from engine.search.capabilities import can_still_win, candidates, canonical, hash_of, least_plies, load, store, verdict
from engine.solve.proof_table import (
    ANSWER,
    EFFORT,
    ENTRY,
    HORIZON,
    MORE,
    NO_LIMIT,
    NODES,
    NODES_ALLOWED,
    PATH,
    PATHS,
    STORED,
    STORED_ALLOWED,
    TableSearch,
    Work,
    claim,
    entry_of,
    is_of,
    is_over,
    same,
    transfer,
)

PHI, DELTA = ANSWER, MORE
"""What the table knows of a question: 1, does the side to move win, or 2, does it at least not lose. The effort is the
number of positions whose moves were made for it."""

NEVER = 1 << 28
"""The number that stands for: this cannot be any more. With a 0 it makes a settled position."""

FIRST_PORTION = 1 << 9
"""Nodes that the first question is given before the other has its turn; each time twice as many."""

PROOF_SHARE = 8
"""So many nodes of the exhaustive search go to one of proof-number search, which looks at all children of each."""

PLACE, HASH, NUMBER, STEP = range(4)
"""Offsets of the place and the hash of a position on the path and of the number of the path to it, and their count."""

ABOVE, OWN, LEAST, DEEPEST, UNDER, SHORT, NOTE = range(7)
"""Offsets in `Work.notes`, and their count: the number of the path above a position and its own, as it was searched
last; of a disproof that rests on something the least and the greatest depth and the number of the path to the greatest,
0 for no such disproof; the greatest number of plies known to be too few for a win. A proof has in the place of LEAST
the plies within which the attacker wins."""

FOR_GOOD = 1 << 20
"""The least depth that a disproof rests on where it rests on nothing; deeper than any path."""

NOTHING = -1
"""The greatest depth that a disproof rests on where it rests on nothing or on want of depth alone."""

WANT_OF_DEPTH = -1
"""The least depth that a disproof rests on which the end of the search has cut off."""


def fail(at: int, attacking: bool, least: int, deepest: int, work: Work) -> None:
    """Let the attack on the position in a place have failed, for what rests on these depths."""
    work.phis[at] = NEVER if attacking else 0
    work.deltas[at] = 0 if attacking else NEVER
    work.rests[2 * at], work.rests[2 * at + 1] = least, deepest


def judge(at: int, attacking: bool, depth: int, work: Work) -> bool:
    """Note what is known of the position in a place without its moves; tell if it is settled.

    ``attacking`` tells whether the side to move is the attacker. The position would be at ``depth`` on the path.
    """
    state = load(work.arena, at)
    outcome = verdict(state)
    if outcome == UNDECIDED and can_still_win(state) & (MINE if attacking else THEIRS) == 0:
        outcome = DRAWN
    if outcome == DRAWN:
        outcome = LOST if attacking else WON
    if outcome != UNDECIDED:
        work.phis[at] = 0 if outcome == WON else NEVER
        work.deltas[at] = NEVER if outcome == WON else 0
        work.rests[2 * at] = 0 if attacking == (outcome == WON) else FOR_GOOD
        work.rests[2 * at + 1] = NOTHING
        return True
    least = least_plies(state, attacking)
    phi, delta = (1 + least // 2, 1) if attacking else (1, 1 + least // 2)
    question = 1 if attacking else 2
    entry = entry_of(work.arena, at, question, work.table, work.entries)
    is_known = is_of(entry, work.arena, at, question, work.table, work.entries)
    if is_known:
        phi, delta = work.entries[entry * ENTRY + PHI], work.entries[entry * ENTRY + DELTA]
    work.phis[at], work.deltas[at] = phi, delta
    if len(work.tally) == PATH:
        return phi == 0 or delta == 0
    judge_on_path(at, attacking, depth, least, entry if is_known else -1, work)
    return work.phis[at] == 0 or work.deltas[at] == 0


def judge_on_path(at: int, attacking: bool, depth: int, least: int, entry: int, work: Work) -> None:
    """Let the attack fail where that is known of the position in a place on this path.

    No win can come in less than ``least`` plies. The entry of the position is -1 where it has none.
    """
    notes, left = work.notes, work.tally[HORIZON] - depth
    note, too_few = entry * NOTE, max(1, least) - 1
    above = repeated(at, depth, work)
    if above >= 0:
        fail(at, attacking, above, above, work)
        return
    if entry >= 0:
        deepest = notes[note + DEEPEST]
        if work.phis[at] == 0 or work.deltas[at] == 0:
            work.rests[2 * at], work.rests[2 * at + 1] = notes[note + LEAST], NOTHING
            return
        if (
            notes[note + UNDER] != 0
            and deepest < depth
            and work.tally[PATH + deepest * STEP + NUMBER] == notes[note + UNDER]
        ):
            fail(at, attacking, notes[note + LEAST], deepest, work)
            return
        too_few = max(too_few, notes[note + SHORT])
    if left <= too_few:
        fail(at, attacking, WANT_OF_DEPTH, NOTHING, work)


def repeated(at: int, depth: int, work: Work) -> int:
    """Return the depth at which the position of a place, itself at ``depth``, stands on the path; -1 for none."""
    key: int = hash_of(load(work.arena, at))
    above = depth - 2
    while above >= 0:
        base = PATH + above * STEP
        if work.tally[base + HASH] == key and same(work.arena, work.tally[base + PLACE], work.arena, at):
            return above
        above -= 2
    return -1


def own_entry(at: int, attacking: bool, work: Work) -> int:
    """Return the entry of the position in a place, and begin one where it has none."""
    question = 1 if attacking else 2
    entry = entry_of(work.arena, at, question, work.table, work.entries)
    if not is_of(entry, work.arena, at, question, work.table, work.entries):
        work.tally[STORED] += claim(entry, work.arena, at, question, work.table, work.entries)
        base = entry * ENTRY
        work.entries[base + PHI] = work.entries[base + DELTA] = 1
        work.entries[base + EFFORT] = 0
        if len(work.notes) > 0:
            for offset in range(NOTE):
                work.notes[entry * NOTE + offset] = 0
    return entry


def enter(at: int, attacking: bool, depth: int, work: Work) -> None:
    """Make the position in a place the last one of the path."""
    base = PATH + depth * STEP
    work.tally[base + PLACE], work.tally[base + HASH] = at, hash_of(load(work.arena, at))
    if depth == 0:
        return
    above = work.tally[base - STEP + NUMBER]
    note = own_entry(at, attacking, work) * NOTE
    if work.notes[note + ABOVE] != above:
        work.tally[PATHS] += 1
        work.notes[note + ABOVE], work.notes[note + OWN] = above, work.tally[PATHS]
    work.tally[base + NUMBER] = work.notes[note + OWN]


def remember(at: int, attacking: bool, depth: int, effort: int, work: Work) -> None:
    """Write what a place says of its position, and what it took to find that, where `judge` will find it."""
    entries = work.entries
    entry = own_entry(at, attacking, work)
    entries[entry * ENTRY + EFFORT] = min(NEVER, entries[entry * ENTRY + EFFORT] + effort)
    if len(work.tally) == PATH or is_for_good(at, attacking, depth, entry, work):
        entries[entry * ENTRY + PHI], entries[entry * ENTRY + DELTA] = work.phis[at], work.deltas[at]


def is_for_good(at: int, attacking: bool, depth: int, entry: int, work: Work) -> bool:
    """Note what a proof or disproof of the position in a place rests on; tell whether its numbers hold on any path."""
    notes, note, least = work.notes, entry * NOTE, work.rests[2 * at]
    has_failed = (work.deltas[at] if attacking else work.phis[at]) == 0
    if has_failed and least < depth:
        # rests on something above, if not on what is at or under this position: that is true by itself
        deepest = work.rests[2 * at + 1] = min(work.rests[2 * at + 1], depth - 1)
        if deepest >= 0:
            notes[note + LEAST], notes[note + DEEPEST] = least, deepest
            notes[note + UNDER] = work.tally[PATH + deepest * STEP + NUMBER]
        else:
            notes[note + SHORT] = max(notes[note + SHORT], work.tally[HORIZON] - depth)
        return False
    if has_failed:
        work.rests[2 * at], work.rests[2 * at + 1] = FOR_GOOD, NOTHING
    if work.phis[at] == 0 or work.deltas[at] == 0:
        notes[note + LEAST] = work.rests[2 * at]
    return True


def try_all(at: int, attacking: bool, first: int, work: Work) -> bool:
    """Search the position in a place until it is settled; tell if that was so. Its numbers are known.

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
        judge(child, not attacking, first, work)
        if not try_all(child, not attacking, end, work):
            return False
        if work.deltas[child] == 0:
            phi, delta = 0, NEVER
            break
    work.phis[at], work.deltas[at] = phi, delta
    remember(at, attacking, first, work.tally[NODES] - began, work)
    return True


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


def conclude(at: int, attacking: bool, first: int, end: int, work: Work) -> None:
    """Write what the proof or disproof of the position in a place takes from its children, if it is settled."""
    phi, delta = work.phis[at], work.deltas[at]
    if phi != 0 and delta != 0:
        return
    proven = (phi if attacking else delta) == 0
    chosen = first
    if phi == 0:
        # one child is enough: that with the shortest proof, or with the disproof that rests on least
        for child in range(first, end):
            nearer = work.rests[2 * child] < work.rests[2 * chosen]
            if work.deltas[child] == 0 and (work.deltas[chosen] != 0 or nearer == proven):
                chosen = child
    least, deepest = work.rests[2 * chosen], work.rests[2 * chosen + 1]
    if phi != 0:
        for child in range(first + 1, end):
            least = max(least, work.rests[2 * child]) if proven else min(least, work.rests[2 * child])
            deepest = max(deepest, work.rests[2 * child + 1])
    work.rests[2 * at] = least + 1 if proven else least
    work.rests[2 * at + 1] = deepest


def prove(at: int, attacking: bool, depth: int, phi_limit: int, delta_limit: int, first: int, work: Work) -> None:
    """Search the position in a place until one of its numbers reaches its limit, or the search is over.

    It stands at ``depth`` of the path, and is not settled; what is known of it has to be noted when the search begins.
    Places from ``first`` on are free.
    """
    phis, deltas, can_repeat = work.phis, work.deltas, len(work.tally) > PATH
    began = work.tally[NODES]
    work.tally[NODES] += 1
    if can_repeat:
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
    phis[at], deltas[at] = phi, delta
    if can_repeat:
        conclude(at, attacking, first, end, work)
    remember(at, attacking, depth, work.tally[NODES] - began, work)


def ask(root: int, attacking: bool, nodes: int, work: Work) -> bool:
    """Search the position in the place ``root`` for about so many nodes; tell whether it is settled."""
    if not judge(root, attacking, root, work):
        work.tally[NODES_ALLOWED] = work.tally[NODES] + nodes
        if not try_all(root, attacking, root + 1, work):
            work.tally[NODES_ALLOWED] = work.tally[NODES] + nodes // PROOF_SHARE
            limit = max(NEVER, work.phis[root])  # a literal would make numba compile the search a second time
            prove(root, attacking, root, limit, limit, root + 1, work)
    return work.phis[root] == 0 or work.deltas[root] == 0


def settle(state: State, root: int, nodes: int, work: Work) -> int:
    """Return the verdict of perfect play on a position; UNDECIDED after about so many nodes, or when the table is full.

    For games that end. Places from ``root``, 0, on are free.
    """
    tally = work.tally
    store(work.arena, root, canonical(state), 0)
    until = tally[NODES] + nodes
    portion = FIRST_PORTION
    wins_known = keeps_known = False
    while True:
        # a portion for each question in turn: whose attack succeeds is seldom known before
        for turn in range(2):
            attacking = turn == 0  # a literal would make numba compile the searches a second time
            left = min(portion, until - tally[NODES])
            if attacking and not wins_known:
                wins_known = ask(root, attacking, left, work)
                if wins_known and work.phis[root] == 0:
                    return WON
            if not attacking and not keeps_known:
                keeps_known = ask(root, attacking, left, work)
                if keeps_known and work.phis[root] != 0:
                    return LOST
        if wins_known and keeps_known:
            return DRAWN
        if tally[NODES] >= until or tally[STORED] >= tally[STORED_ALLOWED]:
            return UNDECIDED
        portion *= 2


FUNCTIONS = settle, canonical, judge, prove, transfer
"""What is bound to a kernel's rules."""

PROVING = Purpose("solve", lambda kernel: [FUNCTIONS])
"""Settling positions by this search alone."""


class Prover(TableSearch):
    """Settles positions of one variant of a game that ends, and remembers from each what may be of use for the next."""

    hopeless = False
    """Whether there is nothing left to search, though the value is not known: play always ends."""

    within: int | None = None
    """A number of plies that suffices for the win: none is known."""

    def __init__(self, kernel: Kernel, *, memory: int) -> None:
        """Make a prover for the variant of a kernel; its table takes at most ``memory`` bytes, or its least size."""
        self._settle, *_, transfer = bind(FUNCTIONS, kernel)
        super().__init__(kernel, transfer, memory=memory)
        self.value: int | None = None
        """The verdict of perfect play on the kernel's position, None while `search` has not found it."""

    def search(self, nodes: int) -> None:
        """Search the kernel's position for so many more nodes."""
        self.value = self.settle(self._kernel.state, nodes)

    def cannot_win(self, mover: bool) -> bool:
        """Tell whether a side is known not to win though the value is not known: this search tells the value."""
        return False

    def settle(self, state: State, nodes: int = NO_LIMIT) -> int | None:
        """Return the verdict of perfect play on a position, or None where ``nodes`` were too few to find out.

        What was settled remains known, so that asking again goes on; but the way to where it was left is gone, so
        that fewer nodes than a game has plies may bring nothing new.
        """
        until = self.nodes + nodes
        while True:
            try:
                value = int(self._settle(state, 0, until - self.nodes, self._work))
            except OverflowError:
                self._grow_arena()
                continue
            if value != UNDECIDED:
                return value
            if self._is_full():
                self._grow_table()
            elif self.nodes >= until:
                return None

    def warm_up(self) -> None:
        """Have everything compiled that the search calls; any answer will do."""
        self._settle(self._kernel.state, 0, 1, self._work)
        self._grow_table()


FIRST_HORIZON, MAX_DEPTH = 10, 256
"""Plies that a search looks ahead at first, and at most: half as many more when they were too few. Interpreted, a ply
takes one of the thousand calls that Python allows."""


class CyclicProver(TableSearch):
    """Settles one position of a game that can go on for ever.

    Whether the side to move forces a win, and whether the other side does, is searched in turns.
    """

    NOTE = NOTE
    TALLY = PATH + STEP * (MAX_DEPTH + 1)

    def __init__(self, kernel: Kernel, *, memory: int) -> None:
        """Begin with the position of a kernel; the table takes at most ``memory`` bytes, or its least size."""
        _, self._canonical, self._judge, self._prove, transfer = bind(FUNCTIONS, kernel)
        super().__init__(kernel, transfer, memory=memory)
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
        self._look_at(state, False)
        return int(self._work.rests[2 * 0]) if self._work.deltas[0] == 0 else None

    def warm_up(self) -> None:
        """Have everything compiled that the search calls, and spoil the search: for one that is thrown away."""
        self.search(4)
        self._grow_table()

    def _is_open(self, attacking: bool) -> bool:
        return self._answers[attacking] is None and self._horizons[attacking] <= MAX_DEPTH

    def _look_at(self, state: State, attacking: bool) -> bool:
        """Note in the root's place what is known of a position; tell whether it is settled."""
        self._kernel.rules.store(self._work.arena, 0, self._canonical(state), 0)
        return bool(self._judge(0, attacking, 0, self._work))

    def _ask(self, attacking: bool, until: int) -> bool:
        """Search for a side's win until so many nodes were used; tell whether there is more to do before."""
        work, tally = self._work, self._work.tally
        tally[HORIZON] = self._horizons[attacking]
        if not self._look_at(self._kernel.state, attacking):
            if self._roots[attacking] == 0:
                tally[PATHS] += 1
                self._roots[attacking] = int(tally[PATHS])
            tally[PATH + NUMBER] = self._roots[attacking]
            tally[NODES_ALLOWED] = until
            try:
                self._prove(0, attacking, 0, NEVER, NEVER, 1, work)
            except OverflowError:
                self._grow_arena()
                return True
        proven, disproven = (work.phis[0], work.deltas[0]) if attacking else (work.deltas[0], work.phis[0])
        if proven == 0:
            self._answers[attacking], self.within = True, int(work.rests[2 * 0])
        elif disproven == 0 and work.rests[2 * 0] == WANT_OF_DEPTH:
            # what rests on paths was true for this horizon: the root becomes the beginning of other paths
            self._horizons[attacking] += self._horizons[attacking] // 2
            self._roots[attacking] = 0
        elif disproven == 0:
            self._answers[attacking] = False
        elif self._is_full():
            self._grow_table()
        return self.nodes < until
