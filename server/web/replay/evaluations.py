"""What the search thinks of the positions of a match, within a budget of nodes that a long match has to share out.

Each position that is searched is searched to the end of a depth; of one that is not, nothing is said. Where the budget
does not reach for all, those that get a share lie evenly over the match.
"""

from collections.abc import Iterator
from itertools import accumulate
from time import monotonic, perf_counter

import msgspec

from engine.compiling.binding import can_compile
from engine.games.interface import play
from engine.record import Summary
from engine.record.evaluations import Evaluator
from engine.search.searcher import SearchResult, key_of

COMPILED_NODES, INTERPRETED_NODES = 4_000_000, 60_000
"""For all positions of a match together: some seconds' work, where the search is compiled and where it is not."""

COMPILED_SHARES, INTERPRETED_SHARES = (4_000, 100_000), (300, 2_000)
"""Least and most nodes for a position: what is enough for a ply or two, and what is more than a graph shows."""

SEARCH_SECONDS = 30.0
"""After which no other position is begun, however slow the machine is; the answer then says that it was cut."""


class Value(msgspec.Struct, frozen=True):
    """What the search thinks of a position, for the side that began the game; a piece of GIPF is worth 100."""

    score: int
    depth: int
    win: int | None
    """Plies to a forced end: above 0 the side that began wins, below it loses."""


class Values(msgspec.Struct, frozen=True, kw_only=True):
    """What the search thinks of the positions of a match."""

    values: tuple[Value | None, ...]
    """For each position, the first included; None where the game was over, or nothing was searched."""
    unsearched: int
    """Positions in which the game went on, and that were not searched."""
    cut: bool
    """Whether the time was over before the nodes were, or the search was not compiled yet: another time there may be
    more."""


def judge(summary: Summary, seconds: float = SEARCH_SECONDS) -> Values:
    """Search positions of a record for so many seconds at most."""
    positions = list(accumulate(summary.history.moves, play, initial=summary.header.position))
    keys = [key_of(position) for position in positions]
    evaluator = Evaluator(positions[0], clock=perf_counter)
    until = monotonic() + seconds
    evaluator.start_compiling()
    is_compiled = evaluator.compiled
    budget = COMPILED_NODES if is_compiled else INTERPRETED_NODES
    least, most = COMPILED_SHARES if is_compiled else INTERPRETED_SHARES
    share = min(most, max(least, budget // len(positions)))
    found: list[Value | None] = [None] * len(positions)
    unsearched, cut = 0, False
    for ply in evenly(len(positions)):
        position = positions[ply]
        if position.verdict() is not None:
            continue
        cut = cut or (evaluator.nodes < budget and monotonic() > until)
        if evaluator.nodes < budget and not cut:
            found[ply] = _value(evaluator.evaluate(position, keys[:ply], share))
        unsearched += found[ply] is None
    return Values(values=tuple(found), unsearched=unsearched, cut=cut or (can_compile() and not is_compiled))


def evenly(count: int) -> Iterator[int]:
    """Yield the numbers below ``count``, each once, so that the first few lie evenly between both ends."""
    yield from sorted({0, count - 1}) if count else ()
    step = 1
    while step < count:
        step *= 2
    while step > 0:
        yield from range(step, count - 1, 2 * step)
        step //= 2


def _value(thought: SearchResult | None) -> Value | None:
    """Return what was found, seen by the side that began."""
    if thought is None or thought.score is None:
        return None
    sign, plies = (1 if thought.position.turn == 0 else -1), thought.plies_to_end
    return Value(sign * thought.score, thought.depth, None if plies is None else sign * plies)
