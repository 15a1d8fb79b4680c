"""The prover: a worker process that proves positions for `server.contest.runtime.adjudication`, and its rulings.

Its arguments are the seconds and megabytes for a position. A question (`server.ops.workers.question_loop`) is a
`Question` in JSON, the answer a `Proof` or null. The answer to a question that is cancelled is null, too.

A solver knows neither limits nor earlier positions: a side wins if it can force the end of the game, and play that goes
on for ever is a draw. A match has more draws: by repetition, lack of progress and its move limit.

*A draw holds always.* A match only adds draws. If a side could force a win in the match, the same moves would force it
without these draws.

*A win holds if none of these draws can come before it.* If the winner wins within n plies and lowers the greatest
number of plies to the win with each move, no position comes twice.

- Limits: an end on the board goes before them. So n plies have to be left up to each of them.
- Repetition: on the way to the win a position comes on the board at most once. It is a draw only if it has stood there
  twice since the last change of the stage: stages never come back. If any position has, the win is left undecided.
  Only the present position does not matter, since the way does not lead through it again.
"""

import sys
from collections import Counter
from collections.abc import Callable
from time import perf_counter

import msgspec

from engine.games.catalogue import GAMES
from engine.games.history import REPETITIONS, History
from engine.games.interface import Position
from engine.solve.solver import Result, Solution, SolverLimits, solve
from engine.wire.words import number_of
from server.config import process_settings
from server.ops.typed_json import decode
from server.ops.workers.question_loop import OK, answer_questions
from server.ops.workers.question_loop import Question as Asked

BY = "adjudicated by the server's exact solver"
"""The end of the sentence of each adjudicated game."""


class Proof(msgspec.Struct, frozen=True):
    """The result of perfect play from a position."""

    winner: int | None
    """The side that wins, 0 for the one that began the game; None for a draw."""
    plies: int | None = None
    """As many suffice for the win; None where that is not known, and for a draw."""
    exact: bool = False
    """Whether fewer do not."""


def ruling(history: History, move_limit: int, players: tuple[str, str], proof: Proof) -> str | None:
    """Return the outcome of a game whose position is proven; None if the proof does not hold for the game."""
    if proof.winner is None:
        return f"neither side can force a win from here, {BY}"
    if proof.plies is None or not _wins_in_time(history, move_limit, proof.plies):
        return None
    side = history.position.game.sides[proof.winner]
    length = f"{'in' if proof.exact else 'within'} {number_of(proof.plies, 'ply', 'plies')}"
    return f"{players[proof.winner]} ({side}) wins {length}, {BY}"


def _wins_in_time(history: History, move_limit: int, plies: int) -> bool:
    """Tell whether a win within a number of plies comes before the move limit, and before any draw by rule."""
    if history.plies + plies > move_limit:
        return False
    quiet_limit = history.position.game.quiet_limit
    if 0 < quiet_limit < history.quiet + plies:
        return False
    return max(Counter(history.keys).values(), default=0) < REPETITIONS - 1


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


def answer(asked: Asked, seconds: float, megabytes: int) -> tuple[int, bytes]:
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
