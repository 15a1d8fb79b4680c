"""``arena-engine precompile``: compiles what other commands and bots load later, and makes tablebases."""

import os
from collections.abc import Callable
from functools import partial
from threading import Thread
from time import perf_counter
from typing import Annotated, Literal

from cyclopts import Parameter

from engine.commands.inputs import Params, start_of
from engine.commands.program import say
from engine.compiling.binding import can_compile, keep_compiled
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
    params: Params = None,
    /,
    *,
    purpose: Literal["search", "solve", "tablebase", "perft"] | None = None,
    background: bool = False,
    attached: Annotated[bool, Parameter(show=False)] = False,
) -> None:
    """Compile what searching and solving need, and keep it for commands and bots to come; make tablebases.

    Parameters
    ----------
    game
        The game's name; every game when left out.
    purpose
        What to compile for: search, which bots and analyse need, or solve; or tablebase, the exact values of all
        positions of a small variant. All of these when left out. Then there is perft, which is compiled when asked for.
    background
        Run at the lowest priority.
    attached
        End if standard input ends without a byte: the process that wanted this one was killed.
    """
    if attached:
        Thread(target=_end_with_parent, daemon=True).start()
    if background:
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
    if not can_compile():
        say(f"{what}: nothing is {verb}, NUMBA_DISABLE_JIT says so")
    elif is_there():
        say(f"{what}: {verb} before")
    else:
        began = perf_counter()
        make()
        keep_compiled(name)
        say(f"{what}: {verb} in {perf_counter() - began:.1f} s")
