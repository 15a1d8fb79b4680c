"""Requests to the pages of a server."""

import json
from http.client import HTTPException, HTTPMessage
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from bots.client.errors import ArenaError
from engine.commands.program import explain_fault

ANSWER_SECONDS = 60.0


class SameOrigin(HTTPRedirectHandler):
    """Follows a redirect only within an origin, since a token may go along."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        """Return the request that follows; raises `ArenaError` for another origin."""
        if urlsplit(req.full_url)[:2] != urlsplit(newurl)[:2]:
            raise ArenaError(f"{req.full_url} redirects to {newurl}; if that is right, name it")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def fetch(url: str, most: int, data: bytes | None = None, token: str = "") -> bytes:
    """Return the answer to a request, a POST where it has data. Raises `ArenaError` with the server's own sentence."""
    headers = {"authorization": f"Bearer {token}", "accept": "application/json"} if token else {}
    try:
        with build_opener(SameOrigin).open(Request(url, data, headers), timeout=ANSWER_SECONDS) as reply:
            content = bytes(reply.read(most + 1))
    except HTTPError as error:
        try:
            sentence = json.loads(error.read(most))["error"]
        except (ValueError, KeyError, TypeError, OSError):  # another server than ours
            sentence = f"the server answers {error}"
        raise ArenaError(f"{url}: {sentence}") from None
    except (URLError, HTTPException, OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise ArenaError(f"{url}: {explain_fault(reason) if isinstance(reason, Exception) else reason}") from None
    if len(content) > most:
        raise ArenaError(f"{url}: more than {most} bytes")
    return content
