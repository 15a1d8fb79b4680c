"""A process that proves positions for `server.contest.runtime.adjudication`, so that the server never waits for it.

Its arguments are the seconds and megabytes for a position. On its standard input comes a `Question` a line, and the
next one not before the answer, a line on its standard output: a `Proof`, or null. An empty line says meanwhile that
nobody wants to know any more; null comes soon then. It ends with its input, also in the middle of a position.
"""

import os
import sys
from collections.abc import Callable
from queue import SimpleQueue
from threading import Event, Thread
from time import perf_counter

import msgspec

from engine.games.catalogue import GAMES
from engine.games.interface import Position
from engine.solve.solver import Result, Solution, SolverLimits, solve
from server.config import process_settings
from server.contest.runtime.proof import Proof

MEGABYTE = 1 << 20

OWN_MEGABYTES = 1024
"""What interpreter, libraries and the compiler take beside what is for the solver; measured, 400 are enough."""

GROWTH = 2
"""While a table of the solver grows, the old one is there as well."""

FOREVER = 1e9
"""Seconds by which the solver's clock goes on when it is to give up."""


class Question(msgspec.Struct, frozen=True):
    """A position."""

    game: str
    text: str


def prove(
    position: Position, seconds: float, megabytes: int, unwanted: Callable[[], bool] = lambda: False
) -> Proof | None:
    """Solve a position; None where that takes longer, or more memory, or is ``unwanted``. Compiling is not counted."""

    def clock() -> float:
        return perf_counter() + (FOREVER if unwanted() else 0.0)

    limits = SolverLimits(memory=megabytes * MEGABYTE, deadline=perf_counter() + seconds)
    try:
        solution = solve(position, limits, clock=clock)
    except (OverflowError, MemoryError):
        return None
    if solution.result is Result.UNKNOWN:
        return None
    if solution.result is Result.DRAW:
        return Proof(None)
    plies = _most_plies(position, solution)
    return Proof((Result.FIRST, Result.SECOND).index(solution.result), plies, solution.plies is not None)


def _most_plies(position: Position, solution: Solution) -> int | None:
    """Return a number of plies that suffices for a win, where one is known."""
    if solution.plies is not None:
        return solution.plies
    kernel = position.kernel(compile=False)
    if solution.within is None and hasattr(kernel.rules, "plies_left"):
        return int(kernel.rules.plies_left(kernel.state))
    return solution.within


def _listen(lines: "SimpleQueue[bytes]", unwanted: Event) -> None:
    for line in sys.stdin.buffer:
        if line.strip():
            unwanted.clear()
            lines.put(line)
        else:
            unwanted.set()
    os._exit(0)  # the server is gone, however it ended


def main(seconds: float, megabytes: int) -> None:
    """Answer questions until there are no more."""
    process_settings.use_idle_time()
    process_settings.limit_memory((OWN_MEGABYTES + GROWTH * megabytes) * MEGABYTE)
    lines: SimpleQueue[bytes] = SimpleQueue()
    unwanted = Event()
    Thread(target=_listen, args=(lines, unwanted), daemon=True).start()
    questions = msgspec.json.Decoder(Question)
    while True:
        question = questions.decode(lines.get())
        proof = prove(GAMES[question.game].read(question.text), seconds, megabytes, unwanted.is_set)
        sys.stdout.buffer.write(msgspec.json.encode(proof) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]))
