"""The prover: a worker process that proves positions for `server.contest.runtime.adjudication`.

Its arguments are the seconds and megabytes for a position. What it is asked (`server.ops.workers.question_loop`) is a
`Question` in JSON, the answer a `Proof` or null; null also comes soon where it is told to stop.
"""

import sys
from collections.abc import Callable
from threading import Event
from time import perf_counter

import msgspec

from engine.games.catalogue import GAMES
from engine.games.interface import Position
from engine.solve.solver import Result, Solution, SolverLimits, solve
from server.config import process_settings
from server.contest.runtime.proof import Proof
from server.ops.typed_json import decode
from server.ops.workers.question_loop import OK, answer_questions
from server.ops.workers.question_loop import Question as Asked

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
    """Solve a position; None if that exceeds the time or memory, or is ``unwanted``. Compiling does not count."""

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
    """Return a bound on the number of plies of a win, if one is known."""
    if solution.plies is not None:
        return solution.plies
    kernel = position.kernel(compile=False)
    if solution.within is None and kernel.rules.plies_left is not None:
        return int(kernel.rules.plies_left(kernel.state))
    return solution.within


def answer(asked: Asked[Event], seconds: float, megabytes: int) -> tuple[int, bytes]:
    """Return the JSON of the `Proof` of a `Question`, or null."""
    question = decode(asked.body, type=Question)
    position = GAMES[question.game].read(question.text)
    return OK, msgspec.json.encode(prove(position, seconds, megabytes, asked.stop.is_set))


def main(seconds: float, megabytes: int) -> None:
    """Answer questions until the input ends."""
    process_settings.use_idle_time()
    process_settings.limit_memory((OWN_MEGABYTES + GROWTH * megabytes) * MEGABYTE)
    answer_questions(lambda asked: answer(asked, seconds, megabytes))


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]))
