"""What the engine thinks of running games that a page shows, found in a process that takes only idle time."""

import msgspec
import trio

from engine.games.history import History
from server.config.process_settings import MAX_NICENESS
from server.ops.lru_cache import LruCache
from server.ops.typed_json import decode
from server.web.http.errors import Refused
from server.web.play.analysis.questions import Worth
from server.web.play.questions import Question
from server.web.play.workers import Workers
from server.web.views.contest_night import Evaluation

MODULE = "server.web.play.analysis.idle_worker"

KEPT = 64
"""Matches whose last evaluation is kept, the last ones that were asked for."""

ANSWER_SECONDS = 120.0
"""How long an answer may take: where players use all cores it does not come before they rest."""

REST_SECONDS = 60.0
"""After which a process that nobody has asked is ended, and after a fault another one is started."""


class RunningEvaluations:
    """Evaluates positions of running matches, one at a time; of each match the last one that was wanted."""

    def __init__(self) -> None:
        """Begin with none; `run` does the work."""
        self._known: LruCache[int, Evaluation] = LruCache(KEPT)
        self._wanted: dict[int, History] = {}
        self._asked: dict[int, int] = {}
        """For each match after how many plies it was looked at last."""
        self._wake = trio.Event()

    def of(self, match: int, history: History) -> Evaluation | None:
        """Return the last evaluation of a match, perhaps of an earlier position; ask for that of this one."""
        if self._asked.get(match) != history.plies:
            self._asked[match] = history.plies
            self._wanted[match] = history
            self._wake.set()
        return self._known.get(match)

    def keep(self, matches: set[int]) -> None:
        """Look at no match but these any more."""
        self._wanted = {match: history for match, history in self._wanted.items() if match in matches}
        self._asked = {match: plies for match, plies in self._asked.items() if match in matches}

    async def run(self) -> None:
        """Evaluate what is wanted, until cancelled."""
        while True:
            await self._wake.wait()
            try:
                async with Workers(1, nice=MAX_NICENESS, module=MODULE) as workers:
                    await self._evaluate(workers)
            except Refused:  # the workers have logged why
                await trio.sleep(REST_SECONDS)

    async def _evaluate(self, workers: Workers) -> None:
        """Evaluate until nothing was wanted for a while."""
        while True:
            if not self._wanted:
                self._wake = trio.Event()
                with trio.move_on_after(REST_SECONDS) as rest:
                    await self._wake.wait()
                if rest.cancelled_caught:
                    return
                continue
            match = next(iter(self._wanted))
            history = self._wanted.pop(match)
            start = history.start
            question = Question(game=start.game.name, start=start.text(), moves=history.moves)
            _, answer = await workers.ask("worth", msgspec.json.encode(question), ANSWER_SECONDS)
            found = decode(answer, type=Worth | None)
            if found is not None:
                self._known.put(match, Evaluation(history.plies, found.score, found.depth, found.win))
