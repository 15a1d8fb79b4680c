"""The page of bots that resemble each other, for organisers: a list for people to look at, and never a verdict.

- ``GET /organise/similar``: the last list; ``POST`` asks for a new one
- ``GET /organise/similar/places``: the places side by side, as a file
"""

import trio
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from server.league.accounts.people import ORGANISER
from server.league.pages.identity import Identities
from server.league.pages.rendering import page
from server.league.similarity import Similarity
from server.web.http.errors import Refused

PATH = "/organise/similar"


class SimilarityPages:
    """The handlers of these routes."""

    def __init__(self, identities: Identities, similarity: Similarity) -> None:
        """Take what tells who asks, and the comparison."""
        self._identities = identities
        self._similarity = similarity

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route(PATH, self._show, methods=["GET"]),
            Route(PATH, self._ask, methods=["POST"]),
            Route(f"{PATH}/places", self._places, methods=["GET"]),
        ]

    async def _show(self, request: Request) -> Response:
        identity = self._identities.require(request, ORGANISER)
        last = await trio.to_thread.run_sync(self._similarity.last)
        values = {"identity": identity, "last": last, "similarity": self._similarity}
        response = page("organise/similar", "Similar bots", values, current="/me")
        if self._similarity.is_running:
            response.headers["refresh"] = "3"
        return response

    async def _ask(self, request: Request) -> Response:
        identity = self._identities.require(request, ORGANISER)
        await self._identities.form(request, identity)
        self._similarity.ask()
        await trio.lowlevel.checkpoint()  # so that the page shows that it runs
        return RedirectResponse(PATH, 303)

    async def _places(self, request: Request) -> Response:
        self._identities.require(request, ORGANISER)
        found = await trio.to_thread.run_sync(self._similarity.places)
        if found is None:
            raise Refused(404, "nothing was compared yet")
        headers = {"content-disposition": 'attachment; filename="similar.html"', "cache-control": "private"}
        return Response(found, 200, headers, "text/html")
