"""The tablebases that belong to this distribution: ``python -m tests.tablebases`` makes their files."""

import lzma

from engine.games.catalogue import start_of
from engine.solve.layers import Layers
from engine.solve.tablebase import MAX_PIECES, MEMORY, shipped_file

SIZE, RUNS = 2, (2, 3)
"""The side S of these boards, and their run lengths K."""


def main() -> None:
    """Solve all layers of each board, and write them into its file."""
    for run in RUNS:
        kernel = start_of("gipf", f"{SIZE} {run} {MAX_PIECES} {MAX_PIECES}").kernel()
        layers = Layers(kernel, (MAX_PIECES, MAX_PIECES), memory=MEMORY)
        layers.solve_all((MAX_PIECES, MAX_PIECES))
        shipped_file(kernel.rules).write_bytes(lzma.compress(bytes(layers.known().values)))


if __name__ == "__main__":
    main()
