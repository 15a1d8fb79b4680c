"""``/metrics`` for Prometheus, and ``/health``, for programs that watch over the server."""

import trio
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from server.arena.arena import Arena
from server.net.listener import close_all
from server.net.rate_limiter import RateLimiter
from server.net.timing import microseconds
from server.web.http.client_quota import HttpRateLimiter
from server.web.http.listener import configuration, serve_browsers
from server.web.http.metrics import HOST, exposition

MAX_CONNECTIONS = 50
"""A program that collects figures has one at a time."""

HEAD_BYTES = 8192
"""Largest head of a request: those of programs that collect figures have some hundred bytes."""

IDLE_SECONDS = 5
"""How long a request may take to come."""

HEADERS = {"cache-control": "no-store", "connection": "close"}


def application(arena: Arena, rate_limiter: RateLimiter) -> Starlette:
    """Return the ASGI application."""
    figures = exposition(arena, rate_limiter)

    def metrics(_request: Request) -> Response:
        # not async, so that a thread runs it: figures of the process are read from /proc, a line for each descriptor
        return Response(figures(), media_type=CONTENT_TYPE_LATEST, headers=HEADERS)

    async def health(_request: Request) -> Response:
        if arena.stopping:
            return PlainTextResponse("stopping\n", 503, HEADERS)
        return PlainTextResponse("ok\n", headers=HEADERS)

    return Starlette(
        routes=[Route("/metrics", metrics), Route("/health", health)], exception_handlers={HTTPException: _unknown}
    )


async def _unknown(request: Request, _error: Exception) -> Response:
    if request.method not in ("GET", "HEAD"):
        return PlainTextResponse("ask GET /metrics or GET /health\n", 400, HEADERS)
    return PlainTextResponse("there are /metrics and /health\n", 404, HEADERS)


async def serve_metrics(
    arena: Arena, rate_limiter: RateLimiter, port: int, *, task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED
) -> None:
    """Answer until cancelled; reports the port. Raises OSError where it is not to be had."""
    quota = HttpRateLimiter(arena.settings.limits, MAX_CONNECTIONS, microseconds)
    listeners = await trio.open_tcp_listeners(port, host=HOST)
    task_status.started(listeners[0].socket.getsockname()[1])
    app = application(arena, rate_limiter)
    try:
        await serve_browsers(app, listeners, quota, configuration(IDLE_SECONDS, HEAD_BYTES))
    finally:
        await close_all(listeners)
