"""``/metrics`` for Prometheus, and ``/health``, for programs that watch over the server."""

from collections.abc import Callable, Iterable, Iterator

import trio
from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from server.arena.arena import Arena
from server.match.stats import Histogram
from server.net.admission import Listener, RateLimiter, close_all
from server.net.timing import microseconds
from server.ops.supervisor import supervise
from server.web.http.listener import REFUSAL, serve_browsers
from server.web.http.request import HttpRateLimiter

HOST = "127.0.0.1"
"""Figures are for this machine: what shall see them from elsewhere comes through something that asks who it is."""

MICROSECOND = 1e-6


MAX_CONNECTIONS = 50
"""A program that collects figures has one at a time."""

HEADERS = {"cache-control": "no-store", "connection": "close"}


class ArenaCollector(Collector):
    """The figures of a server, as they are when somebody asks."""

    def __init__(self, arena: Arena, rate_limiter: RateLimiter) -> None:
        """Take where the figures are."""
        self._arena = arena
        self._rate_limiter = rate_limiter

    def collect(self) -> Iterable[Metric]:
        """Return all figures."""
        arena, stats = self._arena, self._arena.stats
        started = stats.results.total() + len(arena.matches)
        yield InfoMetricFamily("arena_server", "Program and version.", {"program": arena.server})
        yield GaugeMetricFamily("arena_matches_running", "Matches that are being played.", len(arena.matches))
        yield GaugeMetricFamily("arena_sessions", "Connections that are open.", len(self._rate_limiter.quotas))
        yield GaugeMetricFamily("arena_players", "Sessions that are logged in.", len(arena.sessions))
        yield CounterMetricFamily(
            "arena_refused", "Connections that were not let in.", self._rate_limiter.total_refused
        )
        yield CounterMetricFamily("arena_matches_started", "Matches begun, or taken up after a crash.", started)
        ended = CounterMetricFamily("arena_matches_ended", "Matches that are over, by reason.", labels=["reason"])
        for reason, count in sorted(stats.results.items()):
            ended.add_metric([reason], count)
        yield ended
        yield _histogram("arena_move_seconds", "From a MOVE's arrival until its answer was handed over.", stats.moves)
        yield _histogram("arena_flag_lateness_seconds", "From a deadline until the flag fell.", stats.lateness)
        stalls = arena.stalls
        yield CounterMetricFamily("arena_stalls", "Times at which the event loop stood still.", stalls.count)
        yield CounterMetricFamily("arena_stall_seconds", "How long it stood still in all.", stalls.total * MICROSECOND)


def _histogram(name: str, help_text: str, histogram: Histogram) -> HistogramMetricFamily:
    return HistogramMetricFamily(name, help_text, list(_buckets(histogram)), histogram.sum * MICROSECOND)


def _buckets(histogram: Histogram) -> Iterator[tuple[str, float]]:
    """Return each bound in seconds with how many values lie within it: bounds are included, and values whole."""
    total = 0
    for power, count in enumerate(histogram.counts):
        total += count
        yield (repr(round(((1 << power) - 1) * MICROSECOND, 6)) if power < histogram.BOUNDS else "+Inf"), total


def exposition(arena: Arena, rate_limiter: RateLimiter) -> Callable[[], bytes]:
    """Return a function that writes all figures in Prometheus' text format."""
    registry = CollectorRegistry()
    registry.register(ArenaCollector(arena, rate_limiter))
    ProcessCollector(registry=registry)
    return lambda: generate_latest(registry)


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

    return Starlette(routes=[Route("/metrics", metrics), Route("/health", health)])


async def serve_metrics(
    arena: Arena, rate_limiter: RateLimiter, port: int, *, task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED
) -> None:
    """Answer until cancelled; reports the port. Raises OSError where it is not to be had."""
    quota = HttpRateLimiter(arena.settings.limits, MAX_CONNECTIONS, microseconds)
    listeners = await trio.open_tcp_listeners(port, host=HOST)
    task_status.started(listeners[0].socket.getsockname()[1])
    wrapped = [Listener(listener, arena.accept_status, REFUSAL) for listener in listeners]
    try:
        await supervise("metrics", serve_browsers, application(arena, rate_limiter), wrapped, quota)
    finally:
        await close_all(listeners)
