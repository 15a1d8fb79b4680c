"""Caches for variants that clients choose are bounded, whatever the number of variants."""

from itertools import product
from math import prod

import pytest

from engine.games import kernels
from engine.games.catalogue import start_of
from engine.games.gipf import kernel as gipf
from engine.games.mnk import board, position as mnk
from engine.search.searcher import Searcher, SearchLimits


@pytest.mark.slow
def test_rules_of_more_boards_than_are_kept_can_be_played() -> None:
    first = start_of("mnk", "1 3 2")
    bound = mnk.bind(first.variant)
    sizes = [(rows, columns) for rows, columns in product(range(1, 20), repeat=2) if rows * columns <= 120]
    variants = [
        (*size, run) for size in sorted(sizes, key=prod) for run in range(1, max(size) + 1) if (*size, run) != (1, 3, 2)
    ]
    for rows, columns, run in variants[: mnk.MAX_BOARDS]:
        start = start_of("mnk", f"{rows} {columns} {run}")
        assert start.outcome is None and start.play("a1").turn == 1
    assert mnk._bind.cache_info().currsize == mnk.MAX_BOARDS
    again = first.play(first.legal_moves[0]).play("b1")
    assert again.play("c1").outcome is not None
    assert mnk.bind(first.variant) is not bound, "it was made again"


def test_searches_of_more_boards_than_are_kept_can_be_made() -> None:
    for run in range(kernels.MAX_BOUND + 4):
        rows, columns = 1 + run // 17 % 15, 3 + run % 17
        position = start_of("mnk", f"{rows} {columns} {3 + run // 255}")
        kernel = position.kernel(compile=False)
        found = Searcher(kernel, megabytes=0).think(kernel.state, (), SearchLimits(nodes=1), clock=lambda: 0.0)
        assert found.move(position) in position.legal_moves
    assert kernels._bind.cache_info().currsize == kernels.MAX_BOUND


def test_every_variant_of_gipf_is_kept() -> None:
    variants = [(size, run) for size in range(2, 13) for run in range(2, 2 * size)]
    assert 2 * len(variants) <= gipf.MAX_BOUND, "interpreted and compiled"
    assert gipf.bind.cache_info().maxsize == gipf.MAX_BOUND


def test_boards_of_pages_are_made_again() -> None:
    for columns, rows in product(range(4, 14), repeat=2):
        assert len(board.layout(columns, rows).fields) == columns * rows
    assert board.layout.cache_info().currsize == board.MAX_LAYOUTS
