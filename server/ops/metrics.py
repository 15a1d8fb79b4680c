"""What the server shows of itself to programs that watch over it: ``/metrics`` for Prometheus, and ``/health``.

A small answerer of HTTP for this machine: one request a connection, bounded in size and in time.
"""

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

from server.arena.arena import Arena
from server.arena.stats import Histogram
from server.net.rate_limiter import RateLimiter

HOST = "127.0.0.1"
"""Figures are for this machine: what shall see them from elsewhere comes through something that asks who it is."""

REQUEST_BYTES = 8192
"""Longest request: those of programs that collect figures have some hundred bytes."""

REQUEST_SECONDS = 5.0
"""How long a request and its answer may take."""

MICROSECOND = 1e-6


class ArenaCollector(Collector):
    """The figures of a server, as they are when somebody asks."""

    def __init__(self, arena: Arena, rate_limiter: RateLimiter) -> None:
        """Take where the figures are."""
        self._arena = arena
        self._rate_limiter = rate_limiter

    def collect(self) -> Iterable[Metric]:
        """Return all figures."""
        arena, tally = self._arena, self._arena.tally
        yield InfoMetricFamily("arena_server", "Program and version.", {"program": arena.server})
        yield GaugeMetricFamily("arena_matches_running", "Matches that are being played.", len(arena.matches))
        yield GaugeMetricFamily("arena_sessions", "Connections that are open.", len(self._rate_limiter.visits))
        yield GaugeMetricFamily("arena_players", "Sessions that are logged in.", len(arena.sessions))
        yield CounterMetricFamily("arena_refused", "Connections that were not let in.", self._rate_limiter.all_refused)
        yield CounterMetricFamily("arena_matches_started", "Matches begun, or taken up after a crash.", tally.started)
        ended = CounterMetricFamily("arena_matches_ended", "Matches that are over, by reason.", labels=["reason"])
        for reason, count in sorted(tally.results.items()):
            ended.add_metric([reason], count)
        yield ended
        yield _histogram("arena_move_seconds", "From a MOVE's arrival until its answer was handed over.", tally.moves)
        yield _histogram("arena_flag_lateness_seconds", "From a deadline until the flag fell.", tally.lateness)
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
    """Return what writes all figures in Prometheus' text format."""
    registry = CollectorRegistry()
    registry.register(ArenaCollector(arena, rate_limiter))
    ProcessCollector(registry=registry)
    return lambda: generate_latest(registry)


async def serve_metrics(
    arena: Arena, rate_limiter: RateLimiter, port: int, *, task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED
) -> None:
    """Answer until cancelled; reports the port. Raises OSError where it is not to be had."""
    figures = exposition(arena, rate_limiter)

    async def answer(stream: trio.SocketStream) -> None:
        with trio.move_on_after(REQUEST_SECONDS):
            try:
                async with stream:
                    request = await _request(stream)
                    # those of the process are read from /proc, with a line for each descriptor
                    data = await trio.to_thread.run_sync(_answer, request, arena, figures)
                    await stream.send_all(data)
                    await stream.send_eof()
                    await stream.receive_some()  # whoever asked closes first: nothing is cut off
            except trio.BrokenResourceError:
                return

    listeners = await trio.open_tcp_listeners(port, host=HOST)
    task_status.started(listeners[0].socket.getsockname()[1])
    await trio.serve_listeners(answer, listeners)


async def _request(stream: trio.SocketStream) -> bytes:
    """Return the first line of a request; empty where there is no whole one."""
    data = b""
    while b"\r\n\r\n" not in data and b"\n\n" not in data:
        more = await stream.receive_some(REQUEST_BYTES)
        data += more
        if not more or len(data) > REQUEST_BYTES:
            return b""
    return data.partition(b"\n")[0].strip()


def _answer(request: bytes, arena: Arena, figures: Callable[[], bytes]) -> bytes:
    method, _, rest = request.partition(b" ")
    path = rest.partition(b" ")[0].partition(b"?")[0]
    if method not in (b"GET", b"HEAD") or not path:
        return _reply("400 Bad Request", b"ask GET /metrics or GET /health\n")
    if path == b"/health":
        body = b"stopping\n" if arena.stopping else b"ok\n"
        return _reply("503 Service Unavailable" if arena.stopping else "200 OK", body, method)
    if path == b"/metrics":
        return _reply("200 OK", figures(), method, CONTENT_TYPE_LATEST)
    return _reply("404 Not Found", b"there are /metrics and /health\n", method)


def _reply(status: str, body: bytes, method: bytes = b"GET", kind: str = "text/plain; charset=utf-8") -> bytes:
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
        "Cache-Control: no-store\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + (b"" if method == b"HEAD" else body)
