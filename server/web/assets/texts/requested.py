"""The language of a request: which one it is answered in, and keeping another one that its reader chooses."""

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from server.web.assets.texts.catalogue import Texts, texts
from server.web.assets.texts.choice import COOKIE, LANGUAGES, language_of

LANGUAGE_SECONDS = 365 * 24 * 3600
"""How long a browser keeps the language that a reader has chosen."""


def texts_of(request: Request, *parts: str) -> Texts:
    """Return the texts of the language that a browser is answered in, those of parts among them."""
    language = language_of(request.cookies.get(COOKIE), request.headers.get("accept-language", ""))
    return texts(language, *parts)


class LanguageChoice:
    """An application that answers ``?language=de`` on any page itself: the browser keeps it, and asks again."""

    def __init__(self, app: ASGIApp) -> None:
        """Take what answers all other requests."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and b"language=" in scope["query_string"]:
            request = Request(scope)
            chosen = request.query_params.get("language", "")
            if chosen in LANGUAGES:
                await _keep(request, chosen)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _keep(request: Request, chosen: str) -> Response:
    """Let the browser keep a language, and ask for the same page in it."""
    there = request.url.remove_query_params("language")
    response = Response(status_code=303, headers={"location": f"{quote(there.path)}?{there.query}".rstrip("?")})
    response.set_cookie(COOKIE, chosen, max_age=LANGUAGE_SECONDS, samesite="lax")
    return response
