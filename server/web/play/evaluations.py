"""What the search thinks of the positions of a finished match, and of its moves.

Positions share a budget of nodes. Each position that is searched is searched to the end of a depth. If the budget is
too small for all positions, the searched ones lie evenly over the match.

Moves are reviewed in parts. A part has a bounded number of moves, each with the same nodes, so its cost is bounded
however long the match is. Parts are reviewed alike whether others are or not.
"""

from collections.abc import Iterator
from itertools import accumulate
from time import monotonic, perf_counter
from typing import Any

from engine.compiling.binding import can_compile
from engine.games.interface import play
from engine.match.review import Evaluator, ReviewedMove, Worth, review
from engine.match.verification import Summary
from engine.search.searcher import SearchResult, key_of

COMPILED_NODES, INTERPRETED_NODES = 4_000_000, 60_000
"""For all positions of a match together: some seconds' work, where the search is compiled and where it is not."""

COMPILED_SHARES, INTERPRETED_SHARES = (4_000, 100_000), (300, 2_000)
"""Least and most nodes for a position: what is enough for a ply or two, and what is more than a graph shows."""

SEARCH_SECONDS = 30.0
"""After which no other position is begun, however slow the machine is; the answer then says that it was cut."""

PART_MOVES = 24
"""Moves in a part."""

COMPILED_REVIEW_NODES, INTERPRETED_REVIEW_NODES = 20_000, 300
"""For each position, where the search is compiled and where it is not."""


def judge(summary: Summary, seconds: float = SEARCH_SECONDS) -> dict[str, Any]:
    """Search positions of a record for so many seconds at most.

    A value is None where the game was over, or nothing was searched. Values are cut where the time was over before the
    nodes were, or where the search was not compiled yet: another time there may be more.
    """
    positions = list(accumulate(summary.history.moves, play, initial=summary.header.position))
    keys = [key_of(position) for position in positions]
    evaluator = Evaluator(positions[0], clock=perf_counter)
    until = monotonic() + seconds
    evaluator.start_compiling()
    is_compiled = evaluator.compiled
    budget = COMPILED_NODES if is_compiled else INTERPRETED_NODES
    least, most = COMPILED_SHARES if is_compiled else INTERPRETED_SHARES
    share = min(most, max(least, budget // len(positions)))
    found: list[dict[str, int | None] | None] = [None] * len(positions)
    unsearched, cut = 0, False
    for ply in evenly(len(positions)):
        position = positions[ply]
        if position.verdict() is not None:
            continue
        cut = cut or (evaluator.nodes < budget and monotonic() > until)
        if evaluator.nodes < budget and not cut:
            found[ply] = _value(position.turn, evaluator.evaluate(position, keys[:ply], share))
        unsearched += found[ply] is None
    is_cut = cut or (can_compile() and not is_compiled)
    return {"values": found, "unsearched": unsearched, "cut": is_cut}


def evenly(count: int) -> Iterator[int]:
    """Yield the numbers below ``count``, each once, so that the first few lie evenly between both ends."""
    yield from sorted({0, count - 1}) if count else ()
    step = 1
    while step < count:
        step *= 2
    while step > 0:
        yield from range(step, count - 1, 2 * step)
        step //= 2


def _value(turn: int, thought: SearchResult | None) -> dict[str, int | None] | None:
    """Return what was found, seen by the side that began."""
    if thought is None or thought.score is None:
        return None
    sign, plies = (1 if turn == 0 else -1), thought.plies_to_end
    return {"score": sign * thought.score, "depth": thought.depth, "win": None if plies is None else sign * plies}


def review_part(summary: Summary, before: int) -> dict[str, Any]:
    """Review the last `PART_MOVES` moves of a record before that of a number, from 1."""
    stop = max(1, min(before, summary.history.plies + 1))
    first = max(1, stop - PART_MOVES)
    nodes = COMPILED_REVIEW_NODES if can_compile() else INTERPRETED_REVIEW_NODES
    moves = review(summary, nodes, clock=perf_counter, among=range(first, stop))
    return {"first": first, "nodes": nodes, "moves": list(map(_reviewed, moves))}


def _reviewed(move: ReviewedMove) -> dict[str, object]:
    return {
        "ply": move.ply,
        "best": move.best,
        "worth": _known(move.worth),
        "best_worth": _known(move.best_worth),
        "line": move.line,
        "loss": move.loss,
        "marks": [mark.value for mark in move.marks],
    }


def _known(worth: Worth | None) -> dict[str, int] | None:
    """Return the fields that are known; a depth of 0 says that the rules, the solver or a tablebase have told."""
    if worth is None:
        return None
    known = {name: value for name, value in worth._asdict().items() if value is not None}
    return known if worth.depth else {name: value for name, value in known.items() if name != "depth"}
