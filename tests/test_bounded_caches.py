"""Caches for variants that clients choose are bounded, whatever the number of variants."""

from functools import lru_cache
from itertools import product

import pytest

from engine.games import kernels
from engine.games.catalogue import start_of
from engine.games.gipf import kernel as gipf
from engine.games.mnk import board, position as mnk
from engine.search.searcher import Searcher, SearchLimits

FEW = 8
"""Size of a cache that the tests fill; the real size is compared."""


def test_rules_of_more_boards_than_are_kept_can_be_played(monkeypatch: pytest.MonkeyPatch) -> None:
    assert mnk._bind.cache_info().maxsize == mnk.MAX_BOARDS
    monkeypatch.setattr(mnk, "_bind", lru_cache(FEW)(mnk._bind.__wrapped__))
    first = start_of("mnk", "1 3 2")
    bound = mnk.bind(first.variant)
    for rows in range(2, FEW + 2):
        assert start_of("mnk", f"{rows} 3 2").play("a1").turn == 1
    assert mnk._bind.cache_info().currsize == FEW
    again = first.play(first.legal_moves[0]).play("b1")
    assert again.play("c1").outcome is not None
    assert mnk.bind(first.variant) is not bound, "it was made again"


def test_searches_of_more_boards_than_are_kept_can_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    assert kernels._bind.cache_info().maxsize == kernels.MAX_BOUND
    monkeypatch.setattr(kernels, "_bind", lru_cache(FEW)(kernels._bind.__wrapped__))
    for columns in range(3, FEW + 7):
        position = start_of("mnk", f"1 {columns} 3")
        kernel = position.kernel(compile=False)
        found = Searcher(kernel, megabytes=0).think(kernel.state, (), SearchLimits(nodes=1), clock=lambda: 0.0)
        assert found.move(position) in position.legal_moves
    assert kernels._bind.cache_info().currsize == FEW


def test_every_variant_of_gipf_is_kept() -> None:
    variants = [(size, run) for size in range(2, 13) for run in range(2, 2 * size)]
    assert 2 * len(variants) <= gipf.MAX_BOUND, "interpreted and compiled"
    assert gipf.bind.cache_info().maxsize == gipf.MAX_BOUND


def test_boards_of_pages_are_made_again() -> None:
    for columns, rows in product(range(4, 14), repeat=2):
        assert len(board.layout(columns, rows).fields) == columns * rows
    assert board.layout.cache_info().currsize == board.MAX_LAYOUTS
