"""Making a tablebase, once on a machine, and in a process of its own beside other work.

Tablebases lie in the user's cache directory, beside compiled code, a file of values and a journal for each board, as
`engine.solve.layered.store` writes them: what one variant of a board needs is part of what a larger one does.

Where the variable `GIVEN` names a directory, they are read from there, and none are made; where it is empty, there are
none. Nor are any made where compiled code is copied from a given place: that is a sandbox, in which nothing lasts.

Tablebases of the smallest boards belong to this distribution, in packed files with the values of all layers up to one.
``python -m engine.solve.tablebase.making`` makes these files.
"""

import lzma
import os
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

from engine.compiling import code_cache
from engine.games.catalogue import start_of
from engine.games.interface import Kernel, Position, Rules
from engine.search.alphabeta import compiled_code_with_layers
from engine.search.searcher import warm_up
from engine.solve.layered.solver import Layers, layer_of, layer_rules, needed
from engine.solve.layered.store import Name

GIVEN = "ARENA_TABLEBASES"
"""Environment variable with a directory to read from; empty for none."""

FORMAT = 1
"""To be raised whenever a position gets another place: what was kept before would be read wrongly."""

MEMORY = 1 << 30
"""Bytes that making one may take beside its file."""

MAX_PLACES = 1 << 26
"""Bytes of a tablebase, of which a position takes one: they are solved in less than a minute, with 0.5 GB of memory."""

MAX_NUMBER = 40
"""No layer of a tablebase has a larger number in its name: each takes some milliseconds, however small it is."""

LARGEST = 15
"""They have all layers up to (LARGEST, LARGEST)."""

SIZE, RUNS = 2, (2, 3)
"""The side S of these boards, and their run lengths K."""


def folder() -> Path | None:
    """Return where tablebases are; None where there are to be none."""
    given = os.environ.get(GIVEN)
    if given is not None:
        return Path(given) if given else None
    return code_cache.home() / "tablebases" / str(FORMAT)


def are_made() -> bool:
    """Tell whether those that are missing are to be made."""
    return GIVEN not in os.environ and code_cache.GIVEN not in os.environ


def takes_shipped(start: Kernel) -> bool:
    """Tell whether a variant, of which the kernel has the start, is looked up in what belongs to this distribution."""
    return GIVEN not in os.environ and are_shipped(start)


def journal_of(kernel: Kernel, directory: Path) -> Path:
    """Return the file that tells which layers of a kernel's board are there."""
    return directory / f"{kernel.rules.label}.journal"


def can_have(position: Position) -> bool:
    """Tell whether a position's variant can have a tablebase, and is to have one."""
    return folder() is not None and position.kernel(compile=False).rules.layers is not None


def is_made(position: Position) -> bool:
    """Tell whether the whole tablebase of a position's variant is there."""
    kernel, directory = position.game.start(position.parameters).kernel(compile=False), folder()
    assert directory is not None
    if takes_shipped(kernel):
        return True
    if not journal_of(kernel, directory).exists():
        return False
    largest = extent(kernel)
    missing = Layers(kernel, largest, memory=MEMORY, directory=directory).missing(largest)
    return not missing and (is_whole(kernel) or compiled_code_with_layers(position).is_ready())


def is_whole(start: Kernel) -> bool:
    """Tell whether the tablebase of a variant knows every position of its games, of which the kernel has the start."""
    return extent(start) == tuple(sorted(layer_of(start), reverse=True))


def make(position: Position) -> None:
    """Solve what is missing of the tablebase of a position's variant; raises OSError where it cannot be written.

    A process that another one has come before waits for that one to make it. Where it does not know the start of the
    variant, a search that looks up what it comes to is compiled, too; who calls this has it kept.
    """
    directory = folder()
    assert directory is not None
    directory.mkdir(parents=True, exist_ok=True)
    kernel = position.kernel()
    largest = extent(position.kernel(compile=False))
    with code_cache.sole_use(directory):
        layers = Layers(kernel, largest, memory=MEMORY, directory=directory)
        for pair in layers.missing(largest):
            layers.solve(pair, lambda: False)
    if not is_whole(position.kernel(compile=False)):
        warm_up(position, layers.known())


def extent(kernel: Kernel) -> Name:
    """Return the largest layer that the tablebase of a variant has, of which the kernel has the start.

    That is where its games begin, if it is small enough with all layers below it. Otherwise it is what such games may
    come to late, when both sides have lost pieces. Of two layers that belong together the one with the larger number
    first is returned.
    """
    rules = layer_rules(kernel)

    @cache
    def places(mine: int, theirs: int) -> int:
        return int(rules.places(mine, theirs, rules.index))

    start = layer_of(kernel)
    found = (0, 0)
    for name in _growing(max(start), min(start)):
        total = sum(places(*layer) for pair in needed(name) for layer in {pair, pair[::-1]})
        if max(name) > MAX_NUMBER or total > MAX_PLACES:
            break
        found = name
    return found


def _growing(larger: int, smaller: int) -> Iterator[Name]:
    """Yield names that grow by one in one of both numbers, as evenly as they can, up to the one with these numbers."""
    for number in range(1, larger + 1):
        if number <= smaller:
            yield number, number - 1
        yield number, min(number, smaller)


def are_shipped(start: Kernel) -> bool:
    """Tell whether the layers of a variant belong to this distribution, of which the kernel has the start."""
    return _file(start).exists() and max(layer_of(start)) <= LARGEST


def shipped(kernel: Kernel) -> Layers:
    """Return the layers that belong to this distribution, for a board of which there are some."""
    return _shipped(kernel.rules)


@lru_cache(len(RUNS))
def _shipped(rules: Rules) -> Layers:
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
