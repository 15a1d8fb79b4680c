"""What the search thinks of the positions of a match, within a budget of nodes that a long match has to share out.

Each position that is searched is searched to the end of a depth; of one that is not, nothing is said. Where the budget
does not reach for all, those that get a share lie evenly over the match.
"""

from collections.abc import Iterator
from itertools import accumulate
from time import monotonic, perf_counter

import msgspec

from engine.games.interface import Position, play
from engine.record import Summary
from engine.search.alphabeta import compiled_code
from engine.search.searcher import Searcher, SearchLimits

COMPILED_NODES, INTERPRETED_NODES = 4_000_000, 60_000
"""For all positions of a match together: some seconds' work, where the search is compiled and where it is not."""

COMPILED_SHARES, INTERPRETED_SHARES = (4_000, 100_000), (300, 2_000)
"""Least and most nodes for a position: what is enough for a ply or two, and what is more than a graph shows."""

SEARCH_SECONDS = 30.0
"""After which no other position is begun, however slow the machine is; the answer then says that it was cut."""

MEGABYTES = 32
"""Of the search's table."""


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
    """Whether the time was over before the nodes were: another time there may be more."""


def judge(summary: Summary, seconds: float = SEARCH_SECONDS) -> Values:
    """Search positions of a record for so many seconds at most."""
    positions = list(accumulate(summary.history.moves, play, initial=summary.header.position))
    code = compiled_code(positions[0])
    code.start()
    kernel = positions[0].kernel(compile=code.wait())
    until = monotonic() + seconds
    left = COMPILED_NODES if kernel.compiled else INTERPRETED_NODES
    least, most = COMPILED_SHARES if kernel.compiled else INTERPRETED_SHARES
    share = SearchLimits(nodes=min(most, max(least, left // len(positions))))
    searcher = Searcher(kernel, megabytes=MEGABYTES if kernel.compiled else None)
    found: list[Value | None] = [None] * len(positions)
    unsearched, cut = 0, False
    for ply in evenly(len(positions)):
        position = positions[ply]
        if position.verdict() is not None:
            continue
        cut = cut or (left > 0 and monotonic() > until)
        if left > 0 and not cut:
            found[ply], nodes = _value(searcher, position, share)
            left -= nodes
        unsearched += found[ply] is None
    return Values(values=tuple(found), unsearched=unsearched, cut=cut)


def evenly(count: int) -> Iterator[int]:
    """Yield the numbers below ``count``, each once, so that the first few lie evenly between both ends."""
    yield from sorted({0, count - 1}) if count else ()
    step = 1
    while step < count:
        step *= 2
    while step > 0:
        yield from range(step, count - 1, 2 * step)
        step //= 2


def _value(searcher: Searcher, position: Position, share: SearchLimits) -> tuple[Value | None, int]:
    """Return the value of a position, None where there are too many moves to look at, and the nodes that it took."""
    nodes = 0
    for limits in (share, SearchLimits(depth=1)):  # a share that does not reach for one ply is exceeded
        try:
            thought = searcher.think(position, (), limits, clock=perf_counter)
        except OverflowError:
            return None, nodes + 1
        nodes += thought.nodes
        if thought.score is not None:
            sign, plies = (1 if position.turn == 0 else -1), thought.plies_to_end
            return Value(sign * thought.score, thought.depth, None if plies is None else sign * plies), nodes
    return None, nodes + 1
