"""Security headers of every answer, and limits of every request."""

from urllib.parse import urlsplit

import trio
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.web.http.client_quota import TOO_MANY, ClientQuota
from server.web.http.listener import HOST, QUOTA

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
"""Content security policy: nothing but the server's own files, nothing inline, no other page around it."""

FORM_POLICY = {"content-security-policy": POLICY.replace("form-action 'none'", "form-action 'self'")}
"""Header of a page with a form that is sent without a script."""

HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}

METHODS = ("GET", "HEAD", "POST")

OWN_PAGES = ("same-origin", "none")
"""What browsers say in ``Sec-Fetch-Site`` of what the server's own pages ask for, and of what their reader does."""

MAX_TARGET = 4096
"""Bytes of a path and its query: a link to a game on the page for playing holds the moves."""


class Guard:
    """Middleware around the application of the pages."""

    def __init__(self, app: ASGIApp) -> None:
        """Take the application."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await send({"type": "websocket.close"})  # the answer is status 403
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if "location" in headers:  # a path of this server: a Host header, or //NAME, would name another one
                    place = urlsplit(headers["location"])
                    headers["location"] = "/" + place._replace(scheme="", netloc="").geturl().lstrip("/")
            await send(message)

        quota: ClientQuota = scope["state"][QUOTA]
        named = Headers(scope=scope).getlist("x-forwarded-for") if quota.trusted else []
        if not named:
            scope[HOST] = scope["client"][0]
            await self._answer(quota, scope, receive, send_with_headers)
            return
        http_rate_limiter = quota.http_rate_limiter
        scope[HOST] = http_rate_limiter.host_behind(",".join(named))
        quota = http_rate_limiter.behind(scope[HOST])
        if not http_rate_limiter.join(quota):
            await _refuse(TOO_MANY, scope, receive, send_with_headers)
            return
        try:
            await self._answer(quota, scope, receive, send_with_headers)
        finally:
            http_rate_limiter.part(quota)

    async def _answer(self, quota: ClientQuota, scope: Scope, receive: Receive, send: Send) -> None:
        scope[QUOTA] = quota
        wait = quota.wait()
        fault = TOO_MANY if wait is None else _fault(scope)
        if wait:
            await trio.sleep(wait)
        if fault is None:
            await self._app(scope, receive, send)
        else:
            await _refuse(fault, scope, receive, send)


async def _refuse(fault: tuple[int, str], scope: Scope, receive: Receive, send: Send) -> None:
    await JSONResponse({"error": fault[1]}, fault[0])(scope, receive, send)


def _fault(scope: Scope) -> tuple[int, str] | None:
    """Return the status and sentence of a request that is wrong whatever it asks for; None for any other."""
    if scope["http_version"] not in ("1.0", "1.1"):
        return 505, "the pages are served by HTTP/1.1"
    if scope["method"] not in METHODS:
        return 405, f"requests are {', '.join(METHODS)}"
    if len(scope["raw_path"]) + len(scope["query_string"]) > MAX_TARGET:
        return 414, f"an address has at most {MAX_TARGET} bytes"
    if scope["method"] == "POST":
        headers = Headers(scope=scope)
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", OWN_PAGES[0])
        if site not in OWN_PAGES or (origin is not None and urlsplit(origin).netloc != headers.get("host")):
            return 403, "another site's page may not ask this server to work"
    return None
