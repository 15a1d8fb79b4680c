"""The review of a finished match in parts: each part has a bounded number of moves, each with the same nodes.

So the cost of a part is bounded however long the match is, and parts are reviewed alike whether others are or not.
"""

from time import perf_counter
from typing import Any

from engine.compiling.binding import can_compile
from engine.match.review import ReviewedMove, Worth, review
from engine.match.verification import Summary

PART_MOVES = 24
"""Moves in a part."""

COMPILED_REVIEW_NODES, INTERPRETED_REVIEW_NODES = 20_000, 300
"""For each position, where the search is compiled and where it is not."""


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
