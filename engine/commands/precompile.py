"""``arena-engine precompile``: compiles what other commands and bots load later, and makes tablebases."""

import os
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Literal

from engine.commands.inputs import start_of
from engine.commands.program import Rejected, install_line, say
from engine.compiling.binding import can_compile, is_installed, keep_compiled
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
"""For each purpose a function that has numba compile all code for it."""


def precompile(
    game: str = "",
    params: str | None = None,
    /,
    *,
    purpose: Literal["search", "solve", "tablebase", "perft"] | None = None,
    background: bool = False,
) -> None:
    """Compile what searching and solving need, and keep it for commands and bots to come; make tablebases.

    Parameters
    ----------
    game
        The game's name; every game when left out.
    params
        The variant, as in "4 4 15 15"; the usual one when left out.
    purpose
        What to compile for: search, which bots and analyse need, or solve; or tablebase, the exact values of all
        positions of a small variant. All of these when left out. Then there is perft, which is compiled when asked for.
    background
        Run at the lowest priority.
    """
    if background and hasattr(os, "nice"):  # not on Windows
        os.nice(LEAST_PRIORITY)
    for name in [game] if game else GAMES:
        position = start_of(name, params)
        for each in WARM_UPS:
            if purpose == each.name or (purpose is None and each != COUNTING):
                compile_for(position, each)
        if purpose in (None, LOOKING_UP.name):
            make_tablebase(position)


def compile_for(position: Position, purpose: Purpose) -> None:
    """Compile for one purpose, unless it was done before, and say so on stderr."""
    is_ready = KernelSource(position, purpose).is_ready
    _provide(position, purpose.name, "compiled", is_ready, partial(WARM_UPS[purpose], position))


def make_tablebase(position: Position) -> None:
    """Make the tablebase of a position's variant, unless it was done before or it has none, and say so on stderr."""
    book = tablebase_of(position)
    if book is not None:
        _provide(position, LOOKING_UP.name, "made", book.is_made, book.make)


def _provide(
    position: Position, name: str, verb: str, is_there: Callable[[], bool], make: Callable[[], object]
) -> None:
    """Make what a purpose needs, unless it is there, and say so on stderr."""
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
        keep_compiled(name)
        say(f"{what}: {verb} in {perf_counter() - began:.1f} s")
