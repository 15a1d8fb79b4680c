"""The atlas of solved variants, as routes of the web application."""

from functools import cache

import msgspec
import trio
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from engine.solve.atlas.entries import shipped
from server.web.atlas.downloads import Downloads, FileResponse
from server.web.atlas.grids import grids
from server.web.atlas.tables import DESCRIPTION, TableFiles
from server.web.http.errors import Refused

DESCRIBED = ("README.md", "probe.py", "probe.c")
"""The description of the format of tablebases, and a program in one file in each of two languages that reads them."""


class AtlasRoutes:
    """The handlers of these routes."""

    def __init__(self) -> None:
        """Begin without downloads."""
        self._files = TableFiles()
        self._looking = trio.CapacityLimiter(1)
        self._downloads = Downloads()

    def routes(self) -> list[Route]:
        """Return the routes: GET api/atlas, api/atlas/tables, and each file of these, and what reads them."""
        return [
            Route("/api/atlas", _atlas, methods=["GET"]),
            Route("/api/atlas/tables", self._tables, methods=["GET"]),
            Route("/api/atlas/tables/{name}", self._file, methods=["GET"]),
            Route("/api/atlas/format/{name}", _description, methods=["GET"]),
        ]

    async def _tables(self, _request: Request) -> Response:
        found = await trio.to_thread.run_sync(self._files.tables, limiter=self._looking)
        return Response(
            msgspec.json.encode(found), media_type="application/json", headers={"cache-control": "no-store"}
        )

    async def _file(self, request: Request) -> Response:
        name = request.path_params["name"]
        found = await trio.to_thread.run_sync(self._files.describe, name, limiter=self._looking)
        if found is None:
            raise Refused(404, f"there is no tablebase {name!r} here; /api/atlas/tables lists them")
        if found.sha256 is None:
            raise Refused(503, f"{name} is being written; try again in some seconds")
        return FileResponse(request, name, found.bytes, found.sha256, self._downloads)


async def _description(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in DESCRIBED:
        raise Refused(404, f"there is no {name!r} here, but README.md, probe.py and probe.c")
    text = await trio.to_thread.run_sync((DESCRIPTION / name).read_bytes)
    return Response(text, media_type="text/plain; charset=utf-8")


async def _atlas(_request: Request) -> Response:
    return Response(await trio.to_thread.run_sync(_tables), media_type="application/json")


@cache
def _tables() -> bytes:
    """Return all tables as JSON; made once, in a thread, since it takes some milliseconds."""
    return msgspec.json.encode(grids(shipped()))
