"""Adjudication: ends a game when the result of its position is proven."""

from collections.abc import Callable, Iterable, Sequence

import msgspec
import structlog
import trio

from server.contest.definition import Adjudication
from server.contest.runtime.prover_process import Proof, Question, ruling
from server.match.match import Match
from server.ops.faults import pause_seconds
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

_PROOFS: msgspec.json.Decoder[Proof | None] = msgspec.json.Decoder(Proof | None)


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
        """Take the rules of a contest; ``prover`` is the command in place of `prover_process`."""
        own = command_of("server.contest.runtime.prover_process")
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
        return _PROOFS.decode(answer)

    async def end(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is not None:
            await process.end()
