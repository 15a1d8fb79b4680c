"""``arena-engine precompile``: compiles code for later commands and bots, and computes tablebases."""

import os
from collections.abc import Callable
from functools import partial
from threading import Thread
from time import perf_counter
from typing import Annotated, Literal

from cyclopts import Parameter

from engine.commands.inputs import Params, start_of
from engine.commands.program import Rejected, install_line, say
from engine.compiling.binding import can_compile, is_installed, mark_code_complete
from engine.games.catalogue import GAMES, title_of
from engine.games.interface import Position
from engine.games.kernels import COUNTING, KernelSource, Purpose
from engine.games.perft import count
from engine.search.alphabeta import LOOKING_UP, SEARCHING
from engine.search.searcher import warm_up
from engine.solve import solver
from engine.solve.solver import SOLVING
from engine.solve.tablebase import tablebase_of

LEAST_PRIORITY = 19

WARM_UPS: dict[Purpose, Callable[[Position], object]] = {
    SEARCHING: warm_up,
    SOLVING: solver.warm_up,
    COUNTING: lambda position: count(position, 1),
}
"""For each purpose, a function that compiles all its code."""


def precompile(
    game: str = "",
    params: Params = None,
    /,
    *,
    purpose: Literal["search", "solve", "tablebase", "perft"] | None = None,
    background: bool = False,
    attached: Annotated[bool, Parameter(show=False)] = False,
) -> None:
    """Compile search and solver for later commands and bots, and compute tablebases.

    Parameters
    ----------
    game
        The game's name; without it every game.
    purpose
        search for bots and analyse, solve, or tablebase for the exact values of a small variant; without it all of
        these. perft is compiled only on request.
    background
        Run at the lowest priority.
    attached
        End if standard input ends without a byte: the process that started this one was killed.
    """
    if attached:
        Thread(target=_end_with_parent, daemon=True).start()
    if background and hasattr(os, "nice"):  # not on Windows
        os.nice(LEAST_PRIORITY)
    for name in [game] if game else GAMES:
        position = start_of(name, params)
        for each in WARM_UPS:
            if purpose == each.name or (purpose is None and each != COUNTING):
                compile_for(position, each)
        if purpose in (None, LOOKING_UP.name):
            make_tablebase(position)


def _end_with_parent() -> None:
    """End this process when its standard input ends, unless a byte comes first."""
    if not os.read(0, 1):
        os._exit(1)


def compile_for(position: Position, purpose: Purpose) -> None:
    """Compile for one purpose, unless it was done before, with a message on stderr."""
    is_ready = KernelSource(position, purpose).is_ready
    _provide(position, purpose.name, "compiled", is_ready, partial(WARM_UPS[purpose], position))


def make_tablebase(position: Position) -> None:
    """Compute the tablebase of a position's variant, if it has one, with a message on stderr."""
    book = tablebase_of(position)
    if book is not None:
        _provide(position, LOOKING_UP.name, "made", book.is_made, book.make)


def _provide(
    position: Position, name: str, verb: str, is_there: Callable[[], bool], make: Callable[[], object]
) -> None:
    """Make the files of a purpose, unless they exist, with a message on stderr."""
    what = f"{title_of(position)}, {name}"
    if not is_installed("numba"):
        raise Rejected(f"{what}: nothing is {verb}; {install_line('fast')} installs the compiler", status=1)
    if not can_compile():
        say(f"{what}: nothing is {verb}, NUMBA_DISABLE_JIT says so")
    elif is_there():
        say(f"{what}: {verb} before")
    else:
        began = perf_counter()
        make()
        mark_code_complete(name)
        say(f"{what}: {verb} in {perf_counter() - began:.1f} s")
