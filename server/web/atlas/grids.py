"""Which variants of GIPF are solved, as tables: one for each board and run length, with a cell for each GW and GB."""

from collections import defaultdict
from collections.abc import Iterable

import msgspec

from engine.solve.atlas.entries import Entry
from engine.solve.solver import Result


class Cell(msgspec.Struct, frozen=True):
    """How a variant ends with perfect play."""

    winner: int | None
    """0 for the side that begins, 1 for the other one, None for a draw."""
    plies: int | None
    """After how many moves; None for a draw, and where the length is not known."""


class Grid(msgspec.Struct, frozen=True):
    """The variants with one S and one K."""

    size: int
    run: int
    rows: tuple[int, ...]
    """What GW may be."""
    columns: tuple[int, ...]
    """What GB may be."""
    cells: tuple[tuple[Cell | None, ...], ...]
    """A row for each GW, in it one for each GB; None where nothing is known."""


WINNERS = {str(Result.FIRST): 0, str(Result.SECOND): 1, str(Result.DRAW): None}


def grids(entries: Iterable[Entry]) -> list[Grid]:
    """Return the tables of solved variants, smaller boards first."""
    boards: dict[tuple[int, int], dict[tuple[int, int], Cell]] = defaultdict(dict)
    for entry in entries:
        if entry.result in WINNERS:
            size, run, white, black = map(int, entry.parameters.split())
            boards[size, run][white, black] = Cell(WINNERS[entry.result], int(entry.plies) if entry.plies else None)
    return [_grid(size, run, boards[size, run]) for size, run in sorted(boards)]


def _grid(size: int, run: int, known: dict[tuple[int, int], Cell]) -> Grid:
    rows, columns = (tuple(sorted({name[i] for name in known})) for i in (0, 1))
    cells = tuple(tuple(known.get((row, column)) for column in columns) for row in rows)
    return Grid(size, run, rows, columns, cells)
