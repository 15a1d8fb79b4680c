"""Adjudication: ends a game when the result of its position is proven.

Run as a program, this module is the prover: it answers each `WorkerQuestion` (`server.ops.worker_process`) with a
`PerfectPlay` or null, in JSON. Its arguments are the seconds and megabytes for a position. The answer to a question
that is cancelled is null, too.

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
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from time import perf_counter

import msgspec
import trio

from engine.games.catalogue import GAMES
from engine.games.interface import REPETITIONS, History, Position
from engine.wire.words import number_of
from server.config import process_settings
from server.contest.definition import Adjudication
from server.match.match import Match
from server.ops.typed_json import decode
from server.ops.worker_process import OK, WorkerProcess, WorkerQuestion, answer_questions, command_of

POLL_SECONDS = 0.05
"""How often to look for positions that were not looked at yet."""

HANG_SECONDS = 300.0
"""How much later than a position may take an answer may come: compiling goes before, on a busy machine."""

BY = "adjudicated by the server's exact solver"
"""The end of the sentence of each adjudicated game."""


class PerfectPlay(msgspec.Struct, frozen=True):
    """The result of perfect play from a position."""

    winner: int | None
    """The side that wins, 0 for the one that began the game; None for a draw."""
    plies: int | None = None
    """As many suffice for the win; None where that is not known, and for a draw."""
    exact: bool = False
    """Whether fewer do not."""


def ruling(history: History, move_limit: int, players: tuple[str, str], proof: PerfectPlay) -> str | None:
    """Return the outcome of a game whose position is proven; None if the proof does not hold for the game."""
    if proof.winner is None:
        return f"neither side can force a win from here, {BY}"
    # a win counts if it comes before the move limit, and before any draw by rule
    if (
        proof.plies is None
        or history.plies + proof.plies > move_limit
        or 0 < history.position.game.quiet_limit < history.quiet + proof.plies
        or max(Counter(history.keys).values(), default=0) >= REPETITIONS - 1
    ):
        return None
    side = history.position.game.sides[proof.winner]
    length = f"{'in' if proof.exact else 'within'} {number_of(proof.plies, 'ply', 'plies')}"
    return f"{players[proof.winner]} ({side}) wins {length}, {BY}"


MEGABYTE = 1 << 20

OWN_MEGABYTES = 1024
"""Megabytes of the process without the solver's tables: interpreter, libraries, compiler. Measured: 400."""

GROWTH = 2
"""While a table of the solver grows, the old one is there as well."""

FOREVER = 1e9
"""Seconds by which the solver's clock goes on when it is to give up."""


def prove(
    position: Position, seconds: float, megabytes: int, unwanted: Callable[[], bool] = lambda: False
) -> PerfectPlay | None:
    """Solve a position; None if that exceeds the time or memory, or is ``unwanted``. Compiling does not count."""
    # the server, which reads the answers, does not load the solver
    from engine.solve.solver import Result, SolverLimits, solve

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
        return PerfectPlay(None)
    plies = solution.within if solution.plies is None else solution.plies
    if plies is None:
        kernel = position.kernel(compile=False)
        if kernel.rules.plies_left is not None:  # a bound on the number of plies of a win
            plies = int(kernel.rules.plies_left(kernel.state))
    return PerfectPlay((Result.FIRST, Result.SECOND).index(solution.result), plies, solution.plies is not None)


def answer(question: WorkerQuestion, seconds: float, megabytes: int) -> tuple[int, bytes]:
    """Return the JSON of the `PerfectPlay` of a position, or null. The question has the game and the text."""
    game, text = decode(question.body, type=tuple[str, str])
    return OK, msgspec.json.encode(prove(GAMES[game].read(text), seconds, megabytes, question.stop.is_set))


def main(seconds: float, megabytes: int) -> None:
    """Answer questions until the input ends."""
    process_settings.use_idle_time()
    process_settings.limit_memory((OWN_MEGABYTES + GROWTH * megabytes) * MEGABYTE)
    answer_questions(partial(answer, seconds=seconds, megabytes=megabytes))


class Adjudicator:
    """Adjudicates running matches whose position is proven, by a process that proves positions."""

    def __init__(self, rules: Adjudication, prover: Sequence[str] = ()) -> None:
        """Take the rules of a contest; ``prover`` is the command in place of this module."""
        self._rules = rules
        prover = prover or command_of("server.contest.runtime.adjudication")
        self._command = (*prover, str(rules.seconds), str(rules.megabytes))
        self._asked: dict[int, int] = {}
        """By match, the plies of its last position that was looked at. The one longest ago comes first."""

    async def run(self, matches: Callable[[], Iterable[Match]]) -> None:
        """Adjudicate these matches in turn, each position at most once, until cancelled.

        Raises OSError and the faults of the process. The next run goes on with the next position.
        """
        process: WorkerProcess | None = None
        try:
            while True:
                if (match := self._next(list(matches()))) is None:
                    await trio.sleep(POLL_SECONDS)
                    continue
                self._asked.pop(match.number, None)
                self._asked[match.number] = match.state.history.plies
                with trio.fail_after(self._rules.seconds + HANG_SECONDS):
                    if process is None:
                        process = await WorkerProcess.start(self._command, own_session=True)
                        await process.ready()
                    await _adjudicate(match, matches, process)
        finally:
            if process is not None:
                with trio.CancelScope(shield=True):
                    await process.end()

    def _next(self, matches: list[Match]) -> Match | None:
        """Return the match that has waited longest for its new position to be looked at."""
        running = {match.number for match in matches}
        self._asked = {number: plies for number, plies in self._asked.items() if number in running}
        order = {number: place for place, number in enumerate(self._asked)}
        waiting = [
            match
            for match in matches
            if match.state.playing
            and self._rules.from_ply <= match.state.history.plies != self._asked.get(match.number)
        ]
        return min(waiting, key=lambda match: order.get(match.number, -1), default=None)


async def _adjudicate(match: Match, matches: Callable[[], Iterable[Match]], process: WorkerProcess) -> None:
    """Let the process prove the position of a match, and end the match by a proof."""
    history = match.state.history

    def stands() -> bool:
        return match.state.history.plies == history.plies and match.state.playing and match in matches()

    question = history.position.game.name, history.position.text()
    _, answer = await process.ask("prove", msgspec.json.encode(question), stands)
    proof = None if answer == b"null" else decode(answer, type=PerfectPlay)
    if proof is None or not stands():
        return
    if (sentence := ruling(history, match.header.move_limit, match.header.players, proof)) is not None:
        try:
            match.adjudicate(proof.winner, sentence)
        except Exception as error:
            match.failed(error)  # a fault of this match alone


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]))
