"""Searches in several threads that take turns by their nodes: what they find does not depend on the machine's load.

The search is the engine's own, with one function replaced: `halted`, which it asks at every node, passes the turn on
after TURN_NODES nodes. Only one thread runs at a time, so that two threads with a budget of nodes each see as much of
each other as they would on two idle cores, and the same every time. It needs a C compiler.
"""

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from engine.compiling.binding import UNBOUND, Numbers, specialise
from engine.games.interface import Kernel, Rules, State
from engine.search import alphabeta
from engine.search.alphabeta import AlphaBeta
from engine.search.iterative_deepening import HelperThreads
from engine.search.memory import BUDGET, NODES, STOPPED, Memory, written
from engine.search.searcher import Searcher

TURN_NODES = 64
"""Nodes of a turn: some ten microseconds."""

lockstep_step: Callable[[int], int] = UNBOUND


def halted(memory: Memory) -> bool:
    """Tell whether the search has to end here and now, after the turns of the other threads."""
    lockstep_step(memory.cells[NODES])
    if memory.stop[0] != 0 or memory.cells[NODES] >= memory.cells[BUDGET]:
        memory.cells[STOPPED] = 1
    return memory.cells[STOPPED] != 0


def compiler() -> str | None:
    """Return the C compiler of this machine, None where it has none."""
    return shutil.which("cc") or shutil.which("gcc")


@cache
def library() -> Any:
    """Compile and load the functions of lockstep.c."""
    import llvmlite.binding as llvm

    found = compiler()
    assert found is not None
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / "lockstep.so"
        source = Path(__file__).with_suffix(".c")
        subprocess.run([found, "-O2", "-shared", "-fPIC", "-pthread", "-o", built, source], check=True)
        loaded = ctypes.CDLL(str(built))
    loaded.lockstep_begin.argtypes = [ctypes.c_int, ctypes.c_int64]
    llvm.add_symbol("lockstep_step", ctypes.cast(loaded.lockstep_step, ctypes.c_void_p).value)
    return loaded


class TurnTakingThreads(HelperThreads):
    """Threads of which one runs at a time."""

    @contextmanager
    def at_work(self, state: State, memory: Memory, depth: int, *, interrupt: bool) -> Iterator[None]:
        """Search along with the caller, in turns."""
        library().lockstep_begin(1 + len(self._memories), TURN_NODES)
        with super().at_work(state, memory, depth, interrupt=interrupt):
            yield

    def _end(self, stop: Numbers) -> None:
        super()._end(stop)
        library().lockstep_leave()

    def _help(self, number: int, *arguments: Any) -> None:
        library().lockstep_enter(number + 1)
        try:
            super()._help(number, *arguments)
        finally:
            library().lockstep_leave()


@cache
def bound(rules: Rules, **constants: Any) -> AlphaBeta:
    """Return the search in turns, bound to a game's rules, with other constants of `engine.search.alphabeta`."""
    from numba import types

    step = types.ExternalFunction("lockstep_step", types.int64(types.int64))
    (in_turns,) = specialise((halted,), "lockstep", {"lockstep_step": step}, compile=True)
    told = {field.name: value for field in fields(Rules) if (value := getattr(rules, field.name)) is not None}
    functions = specialise(
        (alphabeta.search, written), rules.label, {**told, "halted": in_turns, **constants}, compile=True
    )
    return AlphaBeta(*functions, rules.MARGIN)


def searcher(kernel: Kernel, threads: int, *, megabytes: float | None = None, **constants: Any) -> Searcher:
    """Return a searcher whose threads take turns, for the variant of a compiled kernel."""
    library()
    made = Searcher(kernel, megabytes=megabytes, threads=threads)
    made._search = bound(kernel.rules, **constants)
    made._crew = TurnTakingThreads(kernel, made._search, threads - 1)
    return made
