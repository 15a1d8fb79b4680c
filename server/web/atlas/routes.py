"""The atlas of solved variants, as routes of the web application."""

from functools import cache

import msgspec
import trio
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from engine.solve.atlas.entries import shipped
from server.web.atlas.grids import grids


class AtlasRoutes:
    """The handlers of these routes."""

    def routes(self) -> list[Route]:
        """Return the routes: GET api/atlas."""
        return [Route("/api/atlas", _atlas, methods=["GET"])]


async def _atlas(_request: Request) -> Response:
    return Response(await trio.to_thread.run_sync(_tables), media_type="application/json")


@cache
def _tables() -> bytes:
    """Return all tables as JSON; made once, in a thread, since it takes some milliseconds."""
    return msgspec.json.encode(grids(shipped()))
