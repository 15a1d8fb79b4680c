"""Proof-number search: tells whether a side, the attacker, can force a win. The defender is satisfied with a draw.

Every position has two proof numbers for the side to move. ``phi`` is the least number of leaves whose proof proves its
success, and ``delta`` is the least number whose proof proves its failure.

`prove` is depth-first proof-number search (df-pn). It continues at the leaf that needs least. A position succeeds by
one move, so its phi is the least delta of its children. It fails if all moves fail, so its delta is the sum of their
phi. Where many orders of moves lead to the same position, this sum counts the same work many times. So delta is the
largest phi of the open children, plus one for each other open child (weak proof-number search).

**Games that end.** `search_depth_first` searches in the order of the kernel's moves. In a good order it is many times
as fast as `prove`, since it does not look at children that are never searched. In a bad order it can lose itself after
the first bad move. So both take turns with portions of nodes that double, and share a table.

**Games that can go on for ever.** The attacker gains nothing by a repetition. So a repetition of a position on the path
is a failure of the attacker, and a result may depend on the path (graph-history interaction):

- A proof holds on every path: it ends in won games, not in repetitions. It has a number of plies in which the attacker
  wins.
- A disproof may depend on repetitions of positions on the path. It has the least and the greatest depth of these
  positions, and holds while they are on the path. Repetitions of the position itself, or of positions below it, do not
  count. A disproof without dependencies holds on every path.
- A disproof with dependencies is stored with the number of the path to its deepest dependency. It holds on all paths
  that begin with this path. Paths are numbered in the order of their first visit, so no two paths share a number.

If no win is possible before the horizon, the attack fails with the dependency HORIZON_REACHED. Without other
dependencies, this failure holds on every path with at most as many plies left, so the table stores this number of
plies.

The search ends with a table of any size: no path is longer than the horizon, and a node keeps the numbers of its
children in the arena. Each visit to a child raises its delta to at least the second least, proves the child, or raises
its phi beyond the limit of the node.

Sources:

- proof numbers: Allis, van der Meulen and van den Herik 1994
- df-pn: Nagai 2002; its thresholds, a quarter above the second least: Pawlewicz and Lew 2007
- weak proof-number search: Ueda, Hashimoto, Hashimoto and Iida 2008
- graph-history interaction: Campbell 1985; separation of results that hold on every path: Breuker, van den Herik,
  Uiterwijk and Allis 2001; disproofs stored with a path: Kishimoto and Mueller 2004
"""

from engine.compiling.binding import Numbers
from engine.games.interface import DRAWN, LOST, MINE, THEIRS, UNDECIDED, WON, State
from engine.games.kernels import Purpose
from engine.search.capabilities import can_still_win, candidates, canonical, hash_of, least_plies, load, store, verdict
from engine.solve.proof_table import (
    ANSWER,
    EFFORT,
    ENTRY,
    HORIZON,
    MAX_NODES,
    MAX_STORED,
    MORE,
    NODES,
    PATH,
    PATHS,
    STORED,
    Work,
    are_equal,
    begin_entry,
    find_entry,
    is_entry_of,
    must_stop,
    transfer,
)

PHI, DELTA = ANSWER, MORE
"""Offsets of the proof numbers in an entry. Question 1 is whether the side to move wins, question 2 is whether it does
not lose. The effort is the number of expanded positions."""

INFINITE = 1 << 28
"""Proof number of an impossible result. The other number is 0 then, and the position is decided."""

FIRST_PORTION = 1 << 9
"""Nodes of the first portion for each question. Each further portion has twice as many."""

PROOF_SHARE = 8
"""Nodes of the depth-first search for each node of proof-number search, which looks at all children of a node."""

PLACE, HASH, NUMBER, STEP = range(4)
"""Offsets of a step of the path: the place and the hash of its position, and the number of the path to it. STEP is
their count."""

ABOVE, OWN, LEAST, DEEPEST, UNDER, SHORT, NOTE_NUMBERS = range(7)
"""Offsets in `Work.notes`:

- ABOVE, OWN: the numbers of the path to the parent and of the path to the position, at its last visit.
- LEAST, DEEPEST: the least and the greatest depth of the dependencies of a disproof. For a proof, LEAST is the number
  of plies in which the attacker wins.
- UNDER: the number of the path to the deepest dependency, 0 for none.
- SHORT: the greatest number of plies that is known to be too few for a win.

NOTE_NUMBERS is their count.
"""

NO_DEPENDENCY = 1 << 20
"""Least depth of a disproof without dependencies. It is larger than any depth."""

NO_DEPTH = -1
"""Greatest depth of a disproof without dependencies on the path."""

HORIZON_REACHED = -1
"""Least depth of a disproof that depends on the horizon."""


def set_failed(at: int, attacking: bool, least: int, deepest: int, work: Work) -> None:
    """Mark the attack on the position in a place as failed, with these dependencies."""
    work.phis[at] = INFINITE if attacking else 0
    work.deltas[at] = 0 if attacking else INFINITE
    work.dependencies[2 * at], work.dependencies[2 * at + 1] = least, deepest


def evaluate_place(at: int, attacking: bool, depth: int, work: Work) -> bool:
    """Write the proof numbers that are known of the position in a place; tell whether it is decided.

    ``attacking`` tells whether the side to move is the attacker. ``depth`` is the depth of the position on the path.
    """
    state = load(work.arena, at)
    outcome = verdict(state)
    if outcome == UNDECIDED and can_still_win(state) & (MINE if attacking else THEIRS) == 0:
        outcome = DRAWN
    if outcome == DRAWN:
        outcome = LOST if attacking else WON
    if outcome != UNDECIDED:
        work.phis[at] = 0 if outcome == WON else INFINITE
        work.deltas[at] = INFINITE if outcome == WON else 0
        work.dependencies[2 * at] = 0 if attacking == (outcome == WON) else NO_DEPENDENCY
        work.dependencies[2 * at + 1] = NO_DEPTH
        return True
    least = least_plies(state, attacking)
    phi, delta = (1 + least // 2, 1) if attacking else (1, 1 + least // 2)
    question = 1 if attacking else 2
    entry = find_entry(work.arena, at, question, work.table, work.entries)
    is_known = is_entry_of(entry, work.arena, at, question, work.table, work.entries)
    if is_known:
        phi, delta = work.entries[entry * ENTRY + PHI], work.entries[entry * ENTRY + DELTA]
    work.phis[at], work.deltas[at] = phi, delta
    if len(work.counters) == PATH:
        return phi == 0 or delta == 0
    evaluate_on_path(at, attacking, depth, least, entry if is_known else -1, work)
    return work.phis[at] == 0 or work.deltas[at] == 0


def evaluate_on_path(at: int, attacking: bool, depth: int, least: int, entry: int, work: Work) -> None:
    """Mark the attack as failed if that is known of the position in a place on this path.

    ``least`` is a lower bound of the plies to a win. ``entry`` is the entry of the position, or -1.
    """
    notes, left = work.notes, work.counters[HORIZON] - depth
    note, too_few = entry * NOTE_NUMBERS, max(1, least) - 1
    above = repetition_depth(at, depth, work)
    if above >= 0:
        set_failed(at, attacking, above, above, work)
        return
    if entry >= 0:
        deepest = notes[note + DEEPEST]
        if work.phis[at] == 0 or work.deltas[at] == 0:
            work.dependencies[2 * at], work.dependencies[2 * at + 1] = notes[note + LEAST], NO_DEPTH
            return
        if (
            notes[note + UNDER] != 0
            and deepest < depth
            and work.counters[PATH + deepest * STEP + NUMBER] == notes[note + UNDER]
        ):
            set_failed(at, attacking, notes[note + LEAST], deepest, work)
            return
        too_few = max(too_few, notes[note + SHORT])
    if left <= too_few:
        set_failed(at, attacking, HORIZON_REACHED, NO_DEPTH, work)


def repetition_depth(at: int, depth: int, work: Work) -> int:
    """Return the depth at which the position in a place is on the path; -1 if it is not. Its own depth is ``depth``."""
    key: int = hash_of(load(work.arena, at))
    above = depth - 2
    while above >= 0:
        base = PATH + above * STEP
        if work.counters[base + HASH] == key and are_equal(work.arena, work.counters[base + PLACE], work.arena, at):
            return above
        above -= 2
    return -1


def claim_entry(at: int, attacking: bool, work: Work) -> int:
    """Return the entry of the position in a place, a new one if it has none."""
    question = 1 if attacking else 2
    entry = find_entry(work.arena, at, question, work.table, work.entries)
    if not is_entry_of(entry, work.arena, at, question, work.table, work.entries):
        work.counters[STORED] += begin_entry(entry, work.arena, at, question, work.table, work.entries)
        base = entry * ENTRY
        work.entries[base + PHI] = work.entries[base + DELTA] = 1
        work.entries[base + EFFORT] = 0
        if len(work.notes) > 0:
            for offset in range(NOTE_NUMBERS):
                work.notes[entry * NOTE_NUMBERS + offset] = 0
    return entry


def enter_path(at: int, attacking: bool, depth: int, work: Work) -> None:
    """Append the position in a place to the path."""
    base = PATH + depth * STEP
    work.counters[base + PLACE], work.counters[base + HASH] = at, hash_of(load(work.arena, at))
    if depth == 0:
        return
    above = work.counters[base - STEP + NUMBER]
    note = claim_entry(at, attacking, work) * NOTE_NUMBERS
    if work.notes[note + ABOVE] != above:
        work.counters[PATHS] += 1
        work.notes[note + ABOVE], work.notes[note + OWN] = above, work.counters[PATHS]
    work.counters[base + NUMBER] = work.notes[note + OWN]


def save_numbers(at: int, attacking: bool, depth: int, effort: int, work: Work) -> None:
    """Store the proof numbers of the position in a place, and the effort."""
    entries = work.entries
    entry = claim_entry(at, attacking, work)
    entries[entry * ENTRY + EFFORT] = min(INFINITE, entries[entry * ENTRY + EFFORT] + effort)
    if len(work.counters) == PATH or holds_on_any_path(at, attacking, depth, entry, work):
        entries[entry * ENTRY + PHI], entries[entry * ENTRY + DELTA] = work.phis[at], work.deltas[at]


def holds_on_any_path(at: int, attacking: bool, depth: int, entry: int, work: Work) -> bool:
    """Store the dependencies of the position in a place; tell whether its numbers hold on every path."""
    notes, note, least = work.notes, entry * NOTE_NUMBERS, work.dependencies[2 * at]
    has_failed = (work.deltas[at] if attacking else work.phis[at]) == 0
    if has_failed and least < depth:
        # only dependencies above this position count
        deepest = work.dependencies[2 * at + 1] = min(work.dependencies[2 * at + 1], depth - 1)
        if deepest >= 0:
            notes[note + LEAST], notes[note + DEEPEST] = least, deepest
            notes[note + UNDER] = work.counters[PATH + deepest * STEP + NUMBER]
        else:
            notes[note + SHORT] = max(notes[note + SHORT], work.counters[HORIZON] - depth)
        return False
    if has_failed:
        work.dependencies[2 * at], work.dependencies[2 * at + 1] = NO_DEPENDENCY, NO_DEPTH
    if work.phis[at] == 0 or work.deltas[at] == 0:
        notes[note + LEAST] = work.dependencies[2 * at]
    return True


def search_depth_first(at: int, attacking: bool, first: int, work: Work) -> bool:
    """Search the position in a place until it is decided; return False if the search had to stop.

    The proof numbers of the position are written before. The places from ``first`` on are free.
    """
    if work.phis[at] == 0 or work.deltas[at] == 0:
        return True
    if must_stop(work):
        return False
    began = work.counters[NODES]
    work.counters[NODES] += 1
    end = candidates(load(work.arena, at), work.arena, first)
    if end > len(work.phis):
        raise OverflowError("the arena is full")
    phi, delta = INFINITE, 0
    for child in range(first, end):
        store(work.arena, child, canonical(load(work.arena, child)), 0)
        evaluate_place(child, not attacking, first, work)
        if not search_depth_first(child, not attacking, end, work):
            return False
        if work.deltas[child] == 0:
            phi, delta = 0, INFINITE
            break
    work.phis[at], work.deltas[at] = phi, delta
    save_numbers(at, attacking, first, work.counters[NODES] - began, work)
    return True


def combine_children(first: int, end: int, phis: Numbers, deltas: Numbers) -> tuple[int, int, int, int, int]:
    """Return the best child, phi and delta of the parent, the second least delta, and the number of open children.

    The best child is the child with the least delta.
    """
    best, second, hardest, still_open = first, INFINITE, 0, 0
    for child in range(first, end):
        if deltas[child] < deltas[best]:
            second = deltas[best]
            best = child
        elif child != best and deltas[child] < second:
            second = deltas[child]
        if deltas[child] < INFINITE:
            still_open += 1
            hardest = max(hardest, phis[child])
    phi = deltas[best]
    delta = INFINITE if phi == 0 else 0 if still_open == 0 else min(INFINITE - 1, hardest + still_open - 1)
    return best, phi, delta, second, still_open


def combine_dependencies(at: int, attacking: bool, first: int, end: int, work: Work) -> None:
    """Write the dependencies of the position in a place from those of its children, if it is decided."""
    phi, delta = work.phis[at], work.deltas[at]
    if phi != 0 and delta != 0:
        return
    proven = (phi if attacking else delta) == 0
    chosen = first
    if phi == 0:
        # one child is enough: the child with the shortest proof, or the disproof with the fewest dependencies
        for child in range(first, end):
            nearer = work.dependencies[2 * child] < work.dependencies[2 * chosen]
            if work.deltas[child] == 0 and (work.deltas[chosen] != 0 or nearer == proven):
                chosen = child
    least, deepest = work.dependencies[2 * chosen], work.dependencies[2 * chosen + 1]
    if phi != 0:
        for child in range(first + 1, end):
            least = max(least, work.dependencies[2 * child]) if proven else min(least, work.dependencies[2 * child])
            deepest = max(deepest, work.dependencies[2 * child + 1])
    work.dependencies[2 * at] = least + 1 if proven else least
    work.dependencies[2 * at + 1] = deepest


def prove(at: int, attacking: bool, depth: int, phi_limit: int, delta_limit: int, first: int, work: Work) -> None:
    """Search the position in a place until one of its numbers reaches its limit, or the search has to stop.

    The position is at ``depth`` of the path, and not decided. Its proof numbers are written before. The places from
    ``first`` on are free.
    """
    phis, deltas, can_repeat = work.phis, work.deltas, len(work.counters) > PATH
    began = work.counters[NODES]
    work.counters[NODES] += 1
    if can_repeat:
        enter_path(at, attacking, depth, work)
    end = candidates(load(work.arena, at), work.arena, first)
    if end > len(phis):
        raise OverflowError("the arena is full")
    for child in range(first, end):
        store(work.arena, child, canonical(load(work.arena, child)), 0)
        evaluate_place(child, not attacking, depth + 1, work)
    while True:
        best, phi, delta, second, still_open = combine_children(first, end, phis, deltas)
        if phi >= phi_limit or delta >= delta_limit or must_stop(work):
            break
        # within these limits the child remains the best one
        phi_room = min(INFINITE, delta_limit - still_open + 1)
        delta_room = min(phi_limit, second + second // 4 + 1)
        prove(best, not attacking, depth + 1, phi_room, delta_room, end, work)
    phis[at], deltas[at] = phi, delta
    if can_repeat:
        combine_dependencies(at, attacking, first, end, work)
    save_numbers(at, attacking, depth, work.counters[NODES] - began, work)


def search_question(root: int, attacking: bool, nodes: int, work: Work) -> bool:
    """Search the position in the place ``root`` for about ``nodes`` nodes; tell whether it is decided."""
    if not evaluate_place(root, attacking, root, work):
        work.counters[MAX_NODES] = work.counters[NODES] + nodes
        if not search_depth_first(root, attacking, root + 1, work):
            work.counters[MAX_NODES] = work.counters[NODES] + nodes // PROOF_SHARE
            limit = max(INFINITE, work.phis[root])  # with a literal numba would compile the search twice
            prove(root, attacking, root, limit, limit, root + 1, work)
    return work.phis[root] == 0 or work.deltas[root] == 0


def solve_position(state: State, root: int, nodes: int, work: Work) -> int:
    """Return the verdict of perfect play on a position of a game that ends.

    It is UNDECIDED after about ``nodes`` nodes, or if the table is full. The places from ``root``, 0, on are free.
    """
    counters = work.counters
    store(work.arena, root, canonical(state), 0)
    until = counters[NODES] + nodes
    portion = FIRST_PORTION
    wins_known = keeps_known = False
    while True:
        # a portion for each question in turn
        for turn in range(2):
            attacking = turn == 0  # with a literal numba would compile the searches twice
            left = min(portion, until - counters[NODES])
            if attacking and not wins_known:
                wins_known = search_question(root, attacking, left, work)
                if wins_known and work.phis[root] == 0:
                    return WON
            if not attacking and not keeps_known:
                keeps_known = search_question(root, attacking, left, work)
                if keeps_known and work.phis[root] != 0:
                    return LOST
        if wins_known and keeps_known:
            return DRAWN
        if counters[NODES] >= until or counters[STORED] >= counters[MAX_STORED]:
            return UNDECIDED
        portion *= 2


FUNCTIONS = solve_position, canonical, evaluate_place, prove, transfer
"""The functions to bind to the rules of a kernel, with everything that they call."""

PROVING = Purpose("solve", lambda kernel: [FUNCTIONS])
"""Solving positions by this search alone."""
