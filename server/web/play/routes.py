"""Playing and analysing in the browser, as routes of the web application.

Every request names the whole game (`server.web.play.questions`, `server.web.play.analysis`); nothing is kept
here. The processes of the pool do the work.
"""

from collections.abc import Awaitable, Callable

import trio
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from engine.games.catalogue import GAMES
from server.web.http.answers import JSON
from server.web.http.errors import Refused
from server.web.http.listener import QUOTA
from server.web.http.request_body import cancel_when_gone, read_body
from server.web.pool import Pool

MAX_BYTES = 64 * 1024
"""Of a request: a thousand moves of GIPF are a quarter of it."""

KINDS = {"play": ("look", "rows", "think"), "analysis": ("lines", "open", "kit", "arrange", "record")}
"""What can be asked, by page."""


def routes(pool: Pool) -> list[Route]:
    """Return the routes: GET api/play/games, and POST of a question to api/PAGE/KIND for each of the KINDS."""

    def answering(kind: str) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            return await answer_question(kind, request, pool)

        return answer

    return [
        Route("/api/play/games", _games, methods=["GET"]),
        *(
            Route(f"/api/{page}/{kind}", answering(kind), methods=["POST"])
            for page, kinds in KINDS.items()
            for kind in kinds
        ),
    ]


async def answer_question(kind: str, request: Request, pool: Pool) -> Response:
    """Answer a question in JSON; raises `Refused`.

    When the browser goes, asking is cancelled.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip() != JSON:
        raise Refused(415, "a question is sent as application/json")
    body = await read_body(request, MAX_BYTES)
    response = Response(status_code=400)  # nobody is there to read it where the browser has gone
    refused: Refused | None = None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(cancel_when_gone, request.receive, nursery.cancel_scope)
        try:
            response = Response(await pool.ask(kind, body, request.scope.get(QUOTA)), media_type=JSON)
        except Refused as error:
            refused = error
        nursery.cancel_scope.cancel()
    if refused is not None:
        raise refused
    return response


async def _games(_request: Request) -> Response:
    return JSONResponse(
        [{"name": game.name, "sides": game.sides, "parameters": game.default_parameters} for game in GAMES.values()]
    )
