"""The review of a match for its page, in parts: what was best for each move, and which moves were mistakes.

A part has so many moves at most, each with the same nodes, so that its cost is bounded however long the match is. Parts
are reviewed alike whether others are or not.
"""

from time import perf_counter
from typing import Literal

import msgspec

from engine.compiling.binding import can_compile
from engine.record import Summary
from engine.record.review import ReviewedMove, Worth, review

PART_MOVES = 24
"""Moves in a part."""

COMPILED_NODES, INTERPRETED_NODES = 20_000, 300
"""For each position, where the search is compiled and where it is not."""


class KnownWorth(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a move is worth for the side that makes it. What is not known is left out of the JSON."""

    score: int | None = None
    """A piece of GIPF is worth 100; left out where the result is proven."""
    result: int | None = None
    """1 a proven win, 0 a proven draw, -1 a proven loss."""
    plies: int | None = None
    """After how many plies the proven end comes, at the latest, if that is known."""
    depth: int = 0
    """Plies that were searched; left out where rules, solver or tablebase have told."""


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """A move, and what the review makes of it; None is what is not known."""

    ply: int
    """Its number, from 1."""
    best: str | None
    """The move itself where no other is better."""
    worth: KnownWorth | None
    best_worth: KnownWorth | None
    line: tuple[str, ...]
    """From the best move on, or empty."""
    loss: int | None
    marks: tuple[Literal["blunder", "missed win"], ...]
    cost: str | None
    """What the move has cost in words, where a tablebase has every value (`engine.record.exact_cost`)."""


class ReviewPart(msgspec.Struct, frozen=True, kw_only=True):
    """The review of some moves of a match, one after the other."""

    first: int
    """Number of the first one: the part before it is asked for with this; 1 where there is none."""
    nodes: int
    """For each position."""
    moves: tuple[Judged, ...]


def review_part(summary: Summary, before: int) -> ReviewPart:
    """Review the last `PART_MOVES` moves of a record before that of a number, from 1."""
    stop = max(1, min(before, summary.history.plies + 1))
    first = max(1, stop - PART_MOVES)
    nodes = COMPILED_NODES if can_compile() else INTERPRETED_NODES
    moves = review(summary, nodes, clock=perf_counter, among=range(first, stop))
    return ReviewPart(first=first, nodes=nodes, moves=tuple(map(_judged, moves)))


def _judged(move: ReviewedMove) -> Judged:
    return Judged(
        ply=move.ply,
        best=move.best,
        worth=_known(move.worth),
        best_worth=_known(move.best_worth),
        line=move.line,
        loss=move.loss,
        marks=tuple(mark.value for mark in move.marks),
        cost=None if move.cost is None else move.cost.words,
    )


def _known(worth: Worth | None) -> KnownWorth | None:
    return None if worth is None else KnownWorth(*worth)
