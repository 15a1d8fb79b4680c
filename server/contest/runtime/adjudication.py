"""Adjudication: ends a game when the result of its position is proven.

Run as a program, this module is the prover: it answers each `Question` (`server.ops.question_loop`) with a
`Proof` or null, in JSON. Its arguments are the seconds and megabytes for a position. The answer to a question that is
cancelled is null, too.

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
from time import perf_counter

import msgspec
import structlog
import trio

from engine.games.catalogue import GAMES
from engine.games.history import REPETITIONS, History
from engine.games.interface import Position
from engine.solve.solver import Result, Solution, SolverLimits, solve
from engine.wire.words import number_of
from server.config import process_settings
from server.contest.definition import Adjudication
from server.match.match import Match
from server.ops.faults import pause_seconds
from server.ops.question_loop import OK, answer_questions
from server.ops.question_loop import Question as Asked
from server.ops.typed_json import decode
from server.ops.worker_process import FAULTS, WorkerProcess, command_of

log = structlog.get_logger()

LOOK_SECONDS = 0.05
"""How often to look for positions that were not looked at yet."""

HANG_SECONDS = 300.0
"""How much later than a position may take an answer may come: compiling goes before, on a busy machine."""

MAX_KNOWN = 20_000
"""Positions of which the answer is kept, for games that come to them again."""

FIRST_PAUSE_SECONDS = 0.2
"""Pause before a process that has died is started once more; it doubles with each further time."""

MAX_PAUSE_SECONDS = 60.0
"""Longest of these pauses."""

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


async def adjudicate(contest: str, rules: Adjudication, matches: Callable[[], Iterable[Match]]) -> None:
    """Adjudicate the matches of a contest until cancelled; what goes wrong with it costs no game."""
    while True:
        try:
            await Adjudicator(rules).run(matches)
        except Exception as error:
            log.error("adjudication_restarted", contest=contest, exc_info=error)
            await trio.sleep(MAX_PAUSE_SECONDS)


class Adjudicator:
    """Adjudicates running matches whose position is proven."""

    def __init__(self, rules: Adjudication, prover: Sequence[str] = ()) -> None:
        """Take the rules of a contest; ``prover`` is the command in place of this module."""
        own = command_of("server.contest.runtime.adjudication")
        self._from_ply = rules.from_ply
        self._prover = _Prover((*(prover or own), str(rules.seconds), str(rules.megabytes)), rules.seconds)
        self._asked: dict[int, int] = {}  # match -> plies of its last position, the one longest ago first
        self._known: dict[Question, Proof | None] = {}

    async def run(self, matches: Callable[[], Iterable[Match]]) -> None:
        """Adjudicate these matches in turn, each position at most once, until cancelled."""
        try:
            while True:
                match = self._next(list(matches()))
                if match is None:
                    await trio.sleep(LOOK_SECONDS)
                else:
                    await self._look_at(match, matches)
        finally:
            with trio.CancelScope(shield=True):
                await self._prover.end()

    def _next(self, matches: list[Match]) -> Match | None:
        """Return the match that has waited longest for its new position to be looked at."""
        running = {match.number for match in matches}
        self._asked = {number: plies for number, plies in self._asked.items() if number in running}
        order = {number: place for place, number in enumerate(self._asked)}
        waiting = [match for match in matches if self._is_new(match)]
        return min(waiting, key=lambda match: order.get(match.number, -1), default=None)

    def _is_new(self, match: Match) -> bool:
        plies = match.state.history.plies
        return match.state.playing and plies >= self._from_ply and self._asked.get(match.number) != plies

    async def _look_at(self, match: Match, matches: Callable[[], Iterable[Match]]) -> None:
        history = match.state.history

        def stands() -> bool:
            return match.state.history.plies == history.plies and match.state.playing and match in matches()

        self._asked.pop(match.number, None)
        self._asked[match.number] = history.plies
        question = Question(history.position.game.name, history.position.text())
        if question in self._known:
            await trio.lowlevel.checkpoint()
            proof = self._known[question]
        else:
            proof = await self._prover.ask(question, stands)
            if proof is not None or stands():
                self._known[question] = proof
            if len(self._known) > MAX_KNOWN:
                del self._known[next(iter(self._known))]
        if proof is None or not stands():
            return
        sentence = ruling(history, match.header.move_limit, match.header.players, proof)
        if sentence is not None:
            try:
                match.adjudicate(proof.winner, sentence)
            except Exception as error:
                match.failed(error)  # a fault of this match alone


class _Prover:
    """The prover process, which is started when it is needed, and again after it has died."""

    def __init__(self, command: Sequence[str], seconds: float) -> None:
        self._command = command
        self._seconds = seconds
        self._process: WorkerProcess | None = None
        self._failures = 0

    async def ask(self, question: Question, wanted: Callable[[], bool]) -> Proof | None:
        """Return the proof of a position; None if there is none, or the process dies or hangs.

        Proving is given up when the answer is not wanted any more.
        """
        try:
            with trio.fail_after(self._seconds + HANG_SECONDS):
                proof = await self._answer(question, wanted)
        except (OSError, *FAULTS, msgspec.DecodeError) as error:
            self._failures += 1
            log.warning("proof_process_failed", error=repr(error), times=self._failures)
            with trio.CancelScope(shield=True):
                await self.end()
            await trio.sleep(pause_seconds(self._failures, FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS))
            return None
        self._failures = 0
        return proof

    async def _answer(self, question: Question, wanted: Callable[[], bool]) -> Proof | None:
        if self._process is None:
            self._process = await WorkerProcess.start(self._command, own_session=True)
            await self._process.ready()
        _, answer = await self._process.ask("prove", msgspec.json.encode(question), wanted)
        return None if answer == b"null" else decode(answer, type=Proof)

    async def end(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is not None:
            await process.end()


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]))
