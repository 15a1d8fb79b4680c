"""Limits of every request, quotas of the browsers of an address, and security headers of every answer.

A host of a trusted network that names its client (``X-Forwarded-For``) is a proxy: its requests count for the address
that it names, which is limited like any other. The numbers and the body of a request are read within bounds.
"""

import math
import re
from collections.abc import Callable, Mapping
from contextlib import aclosing
from urllib.parse import urlsplit

import trio
from starlette.convertors import Convertor, register_url_convertor
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.config.settings import Limits, Rate, address_of, is_trusted

QUOTA = "quota"
"""Key of the `ClientQuota`: that of the connection in an application's ``scope["state"]``, that of the request in its
``scope``."""

HOST = "host"
"""Key of an application's ``scope``: the address that the request comes from."""

REQUESTS = 100.0
"""Requests a second of an address, in the long run: they take the server's event loop a tenth of its time."""

TRUSTED_REQUESTS = 500.0
"""The same of a trusted network's address, as that of a proxy that names nobody: half of the event loop's time."""

REQUESTS_AT_ONCE = 1000.0
"""Requests beyond that rate: a class of forty behind one address may open its pages at the same moment."""

MAX_PROXIES = 16
"""Hosts that a request is believed to have come through."""

UNKNOWN = "unknown"
"""Key of those that a proxy names in a way that is no address."""

MAX_WAIT = 10.0
"""Seconds that a request of an address that asks for too much is kept waiting; beyond that it is refused."""

GUESS_COST = 20
"""A token or link that fits nothing counts as so many requests: an address may be wrong a hundred times at once."""

TOO_MANY = 429, "your address asks for too much at a time; wait a minute"
"""How a request is refused: its status, and a sentence."""


class ClientQuota:
    """The quota that all browsers of one address share."""

    def __init__(self, http_rate_limiter: "HttpRateLimiter", trusted: bool) -> None:
        """Begin unused; a trusted address has more requests, and any number of connections."""
        self.trusted = trusted
        self.http_rate_limiter = http_rate_limiter
        self.connections = 0
        self._most = math.inf if trusted else http_rate_limiter.limits.connections
        self._a_second = TRUSTED_REQUESTS if trusted else REQUESTS
        self._rate = Rate()
        self._clock = http_rate_limiter.clock

    def wait(self, cost: int = 1) -> float | None:
        """Charge a request, or as much as several; return the seconds that it has to wait, None where it is refused."""
        now = self._clock()
        if not self._rate.allows(now, cost, self._a_second, REQUESTS_AT_ONCE + self._a_second * MAX_WAIT):
            return None
        return self._rate.owed(now, self._a_second, REQUESTS_AT_ONCE) / 1_000_000

    def join(self) -> bool:
        """Count a connection, or a request that came through the connection of a proxy; return False if too many."""
        if self.connections >= self._most:
            return False
        self.connections += 1
        return True

    def part(self) -> None:
        """Release what `join` has counted."""
        self.connections -= 1

    def unused(self) -> bool:
        """Tell whether nothing is charged and nobody is connected, so that the quota can be forgotten."""
        return self.connections == 0 and self._rate.unused(self._clock())


class HttpRateLimiter:
    """The quotas of all addresses, and the number of connections."""

    def __init__(self, limits: Limits, most: int, clock: Callable[[], int]) -> None:
        """Admit ``most`` connections, of an address as many as the limits say. The clock counts microseconds."""
        self.limits = limits
        self.clock = clock
        self._most = most
        self._count = 0
        self._addresses: dict[str, ClientQuota] = {}

    def enter(self, host: str) -> ClientQuota | None:
        """Admit a connection, None where there are too many; call `leave` when one that was admitted ends."""
        quota = self.behind(host)
        if self._count >= self._most or not quota.join():
            return None
        self._count += 1
        return quota

    def leave(self, quota: ClientQuota) -> None:
        """Release an admitted connection that has ended."""
        quota.part()
        self._count -= 1

    def host_behind(self, forwarded: str) -> str:
        """Return the client of a proxy: the last address in the header that is no proxy itself, or UNKNOWN."""
        named = [part.strip() for part in forwarded.split(",")[-MAX_PROXIES:]]
        for host in reversed(named):
            try:
                trusted = is_trusted(host, self.limits)
            except ValueError:
                return UNKNOWN
            if not trusted or host == named[0]:
                return host
        return UNKNOWN

    def behind(self, host: str) -> ClientQuota:
        """Return the quota of an address, or of all UNKNOWN clients."""
        trusted = host != UNKNOWN and is_trusted(host, self.limits)
        key = UNKNOWN if host == UNKNOWN else address_of(host)
        if key not in self._addresses:
            if len(self._addresses) > 2 * self._most:
                self._addresses = {one: quota for one, quota in self._addresses.items() if not quota.unused()}
            self._addresses[key] = ClientQuota(self, trusted)
        return self._addresses[key]


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
"""Values of ``Sec-Fetch-Site`` for requests by the server's own pages, and by their reader."""

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
        if not quota.join():
            await _refuse(TOO_MANY, scope, receive, send_with_headers)
            return
        try:
            await self._answer(quota, scope, receive, send_with_headers)
        finally:
            quota.part()

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


DIGITS = 15
"""Digits of the largest match number (`server.storage.record_store`)."""


class Number(Convertor[int]):
    """``{number:number}`` in a route: 1 to 15 decimal digits, no leading zero: each match has one address."""

    regex = f"0|[1-9][0-9]{{0,{DIGITS - 1}}}"

    def convert(self, value: str) -> int:
        """Return the number."""
        return int(value)


register_url_convertor("number", Number())


def number_in(values: Mapping[str, str], name: str, otherwise: int | None = None) -> int:
    """Return a number of a query or of a form, ``otherwise`` where it holds none; raises `Refused`."""
    given = values.get(name, "")
    if not given and otherwise is not None:
        return otherwise
    if not re.fullmatch(f"[0-9]{{1,{DIGITS}}}", given):
        raise Refused(400, f"{name} is a number, 1 to {DIGITS} digits, and not {given!r}")
    return int(given)


def query_before(request: Request) -> int:
    """Return the number that a request asks to stay below, one above all numbers where it has none."""
    return number_in(request.query_params, "before", 10**DIGITS)


BODY_SECONDS = 20.0
"""Longest that a browser may take to send a body."""

CHARGED_BYTES = 64 * 1024
"""So many bytes count as one more request: the event loop takes as long to receive them."""

DRAINED_BYTES = 64 * 1024 * 1024
"""Most bytes of a long body that are read and dropped: a browser that still sends reads no answer."""


async def read_body(request: Request, most_bytes: int) -> bytes:
    """Return the body of a request.

    Raises `Refused` if it is longer or does not arrive in time, or if its address has sent too much.
    """
    body, received = bytearray(), 0
    with trio.move_on_after(BODY_SECONDS) as late:
        async with aclosing(request.stream()) as pieces:
            async for piece in pieces:
                received += len(piece)
                if received <= most_bytes:
                    body += piece
                elif received > most_bytes + DRAINED_BYTES:
                    break
    if late.cancelled_caught:
        raise Refused(408, f"the request did not arrive within {BODY_SECONDS:.0f} seconds")
    quota: ClientQuota | None = request.scope.get(QUOTA)
    wait = quota.wait(received // CHARGED_BYTES) if quota is not None else 0
    if wait is None:
        raise Refused(*TOO_MANY)
    await trio.sleep(wait)
    if received > most_bytes:
        raise Refused(413, f"a request has at most {most_bytes} bytes here, and this is longer")
    return bytes(body)


async def cancel_when_gone(receive: Receive, scope: trio.CancelScope) -> None:
    """Cancel what a browser asked for when it has gone; its body has been read before."""
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


MAX_SENTENCE = 400
"""Characters of a sentence; a longer text in it is cut off."""


class Refused(Exception):
    """A request that is not answered; ``str(error)`` is one sentence that says why."""

    def __init__(self, status: int, sentence: str) -> None:
        """Keep the status of HTTP beside the sentence."""
        super().__init__(sentence[:MAX_SENTENCE])
        self.status = status
