"""Making a tablebase, once on a machine, and in a process of its own beside other work.

Tablebases lie in the user's cache directory, beside compiled code, a file of values and a journal for each board, as
`engine.solve.layered.store` writes them: what one variant of a board needs is part of what a larger one does.

Where the variable `GIVEN` names a directory, they are read from there, and none are made; where it is empty, there are
none. Nor are any made where compiled code is copied from a given place: that is a sandbox, in which nothing lasts.
"""

import os
from pathlib import Path

from engine.compiling import code_cache
from engine.games.interface import Kernel, Position
from engine.search.alphabeta import compiled_code_with_layers
from engine.search.searcher import warm_up
from engine.solve.layered.solver import Layers, layer_of
from engine.solve.tablebase.extent import extent
from engine.solve.tablebase.shipped import are_shipped

GIVEN = "ARENA_TABLEBASES"
"""Environment variable with a directory to read from; empty for none."""

FORMAT = 1
"""To be raised whenever a position gets another place: what was kept before would be read wrongly."""

MEMORY = 1 << 30
"""Bytes that making one may take beside its file."""


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
    return reads_shipped() and are_shipped(start)


def reads_shipped() -> bool:
    """Tell whether what belongs to this distribution is looked at."""
    return GIVEN not in os.environ


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
    with code_cache.folder_lock(directory):
        layers = Layers(kernel, largest, memory=MEMORY, directory=directory)
        for pair in layers.missing(largest):
            layers.solve(pair, lambda: False)
    if not is_whole(position.kernel(compile=False)):
        warm_up(position, layers.known())
