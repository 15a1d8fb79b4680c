"""Tablebases of the smallest boards of GIPF, which belong to this distribution: no machine has to make them.

A file holds the values of all layers up to one, in the order in which `engine.solve.layered.store` keeps them, packed.
``python -m engine.solve.tablebase.shipped`` makes these files.
"""

import lzma
from functools import lru_cache
from pathlib import Path

from engine.games.catalogue import start_of
from engine.games.interface import Kernel, Rules
from engine.solve.layered.solver import Layers, layer_of

LARGEST = 15
"""They have all layers up to (LARGEST, LARGEST)."""

SIZE, RUNS = 2, (2, 3)
"""The side S of these boards, and their run lengths K."""

MEMORY = 1 << 26
"""Bytes that one may take while it is made."""


def are_shipped(start: Kernel) -> bool:
    """Tell whether the layers of a variant belong to this distribution, of which the kernel has the start."""
    return _file(start).exists() and max(layer_of(start)) <= LARGEST


def shipped(kernel: Kernel) -> Layers:
    """Return the layers that belong to this distribution, for a board of which there are some."""
    return _unpacked(kernel.rules)


def unpacked(run: int) -> bytes:
    """Return the values of the board with a run length, one of `RUNS`."""
    kernel = start_of("gipf", f"{SIZE} {run} {LARGEST} {LARGEST}").kernel(compile=False)
    return lzma.decompress(_file(kernel).read_bytes())


@lru_cache(len(RUNS))
def _unpacked(rules: Rules) -> Layers:
    kernel = Kernel(rules, False, None)
    layers = Layers(kernel, (LARGEST, LARGEST), memory=MEMORY)
    layers.fill(lzma.decompress(_file(kernel).read_bytes()))
    return layers


def _file(kernel: Kernel) -> Path:
    return Path(__file__).with_name(f"{kernel.rules.label}.xz")


def main() -> None:
    """Make the files."""
    for run in RUNS:
        kernel = start_of("gipf", f"{SIZE} {run} {LARGEST} {LARGEST}").kernel()
        layers = Layers(kernel, (LARGEST, LARGEST), memory=MEMORY)
        for pair in layers.missing((LARGEST, LARGEST)):
            layers.solve(pair, lambda: False)
        _file(kernel).write_bytes(lzma.compress(bytes(layers.known().values)))


if __name__ == "__main__":
    main()
