"""The board to think on, as routes: the best moves, what a text holds, positions of pieces that are put on a board.

Every request names the whole game; nothing is kept here. Other processes do the work, in fair turns of the clients.
"""

from collections.abc import Awaitable, Callable, Hashable
from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from server.web.http.errors import Refused
from server.web.http.listener import QUOTA
from server.web.http.work_queue import Full, WorkQueue
from server.web.play.analysis.questions import MAX_SECONDS
from server.web.play.routes import COMPILE_SECONDS, LOOK_NICE, LOOK_SECONDS, THINK_NICE, answer_question
from server.web.play.workers import Workers

KINDS = {
    "lines": MAX_SECONDS + COMPILE_SECONDS,
    **dict.fromkeys(("open", "kit", "arrange", "record"), LOOK_SECONDS),
}
"""What can be asked, and how long the answer may take."""

THINKERS = 2
"""Processes that search, in a thread each; of one client all but one."""

MAX_WAITING, MAX_WAITING_OF_ONE = 48, 16
"""Searches that wait for their turn, of all and of one client."""

MODULE = "server.web.play.analysis.worker"


class Analysis:
    """The handlers of these routes, with the processes that answer. An async context manager."""

    def __init__(self) -> None:
        """Start no process before somebody asks."""
        self._lookers = Workers(1, nice=LOOK_NICE, module=MODULE)
        self._thinkers = Workers(THINKERS, nice=THINK_NICE, module=MODULE)
        self._turns = WorkQueue(THINKERS, MAX_WAITING, MAX_WAITING_OF_ONE)

    async def __aenter__(self) -> "Analysis":
        return self

    async def __aexit__(self, *_error: object) -> None:
        async with self._lookers, self._thinkers:
            pass

    def routes(self) -> list[Route]:
        """Return the routes: POST of a question to api/analysis/KIND for each of the KINDS."""
        return [Route(f"/api/analysis/{kind}", self._answering(kind), methods=["POST"]) for kind in KINDS]

    async def ask(self, client: Hashable, kind: str, body: bytes) -> tuple[int, bytes]:
        """Return the status and the JSON of an answer of one of the KINDS; raises `Refused`."""
        if kind != "lines":
            return await self._lookers.ask(kind, body, KINDS[kind])
        try:
            async with self._turns.of(client):
                return await self._thinkers.ask(kind, body, KINDS[kind])
        except Full:
            raise Refused(503, "too many positions are being searched now; try again in a minute") from None

    def _answering(self, kind: str) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            return await answer_question(partial(self.ask, request.scope[QUOTA], kind), request)

        return answer
