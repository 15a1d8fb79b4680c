"""How much a request makes the event loop do, counted in calls of functions: the same on every machine."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from engine.games.catalogue import GAMES
from tests.bench.requests import Costs, ask_for_all, limited_to
from tests.server.harness import open_arena

MAX_CALLS = 5000
"""Calls for one request, or one part of it: they take less than a millisecond."""

PLIES = 40

LARGEST = [("gipf", "12,4,200,200"), ("gipf", "2,2,5,5"), ("arrows", "10,10"), ("morris", ""), ("mnk", "19,19,5")]


@contextmanager
def counted_calls() -> Iterator[list[int]]:
    """Count calls, of Python's own functions too, as long as the ``with`` lasts."""
    count = [0]

    def called(_frame: Any, event: str, _what: Any) -> None:
        if event in ("call", "c_call"):
            count[0] += 1

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        yield count
    finally:
        sys.setprofile(before)


@pytest.mark.parametrize(("game", "params"), LARGEST)
async def test_no_request_does_more_than_a_bound(tmp_path: Path, game: str, params: str) -> None:
    GAMES[game].start(GAMES[game].parameters(params) if params else "").verdict()  # binds the rules to the board, once
    async with open_arena(tmp_path, change=limited_to(PLIES)) as harness:
        with counted_calls() as calls:
            costs = Costs(lambda: calls[0])
            await ask_for_all(harness, costs, game, params)
        worst = costs.worst()
        assert {"MOVE", "MOVES", "BOARD", "RESUME", "LIST", "RECORD", "WATCH"} <= worst.keys()
        assert {kind: count for kind, count in worst.items() if count > MAX_CALLS} == {}
