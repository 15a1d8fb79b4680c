"""What a request for each route costs the event loop: its own processor time, whatever else the machine does.

An arena of 400 matches, one of them of 300 moves on a board of 12 fields on a side, is asked by a client in a thread,
one request after the other. Told are milliseconds: of a request (mean), and of the longest pass of the loop meanwhile.
"""

import http.client
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import thread_time

import trio

from engine.games.interface import moves
from engine.wire import messages as m
from server.net.timing import microseconds
from server.web.app import application
from server.web.http.client_quota import HttpRateLimiter
from server.web.http.listener import serve_browsers
from server.web.live.channels import Hubs
from server.web.live.event_stream import Broadcaster
from server.web.people.routes import People
from server.web.play.routes import Playing
from tests.bench.playing import Passes
from tests.engine.test_record import played
from tests.server.harness import ArenaHarness, open_arena, play, ready
from tests.web.site import write_reports

MATCHES, PLIES, TIMES = 400, 300, 20

LONG = "params=12,23,999,999 budget=3600000"

ROUTES = (
    ("GET", "/", b""),
    ("GET", "/static/match/match.js", b""),
    ("GET", "/api/matches?name=b1", b""),
    ("GET", "/api/matches/{long}", b""),
    ("GET", "/live/lobby", b""),
    ("GET", "/live/matches/{long}", b""),
    ("GET", "/api/contests/1/fragments", b""),
    ("POST", "/api/record", played(end="resign", stop_after=50).encode()),
    ("POST", "/api/record", b"x" * 2_000_000),
    ("POST", "/api/play/look", b'{"game":"gipf"}'),
)


async def _seat(harness: ArenaHarness, number: int, options: str) -> None:
    first, second = await harness.connect(f"a{number}"), await harness.connect(f"b{number}")
    await first.say(m.Seek("gipf", m.Text(f"{options} colour=white opponent=b{number}")))
    await second.say(m.Seek("gipf", m.Text(f"{options} opponent=a{number}")))
    for client in (first, second):
        await client.hear(m.Board)
    await ready(first, second)
    match = harness.arena.matches[number]
    for ply in range(PLIES if options == LONG else 2):
        legal = moves(match.state.history.position)
        await play(*((first, second) if ply % 2 == 0 else (second, first)), legal[ply * 7 % len(legal)])


@contextmanager
def _passes() -> Iterator[Passes]:
    passes = Passes()
    trio.lowlevel.add_instrument(passes)
    try:
        yield passes
    finally:
        trio.lowlevel.remove_instrument(passes)


def _ask(port: int, method: str, path: str, body: bytes) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    headers = {"content-type": "application/json", "accept-encoding": "gzip"}
    connection.request(method, path, body or None, headers)
    answer = connection.getresponse()
    if path.startswith("/live"):
        answer.read(1000)
    else:
        answer.read()
    connection.close()


async def _measure() -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        data.mkdir()
        write_reports(data)
        async with open_arena(data) as harness, Playing() as playing, trio.open_nursery() as nursery:
            for number in range(1, MATCHES + 1):
                await _seat(harness, number, LONG if number == MATCHES else "budget=3600000")
            broadcaster = Broadcaster(harness.arena.send_queue.soon, thread_time)
            hubs = Hubs(harness.arena, broadcaster)
            listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
            app = application(
                harness.arena, harness.arena.record_store, hubs, playing, People(harness.arena.settings.data)
            )
            nursery.start_soon(broadcaster.run)
            nursery.start_soon(
                serve_browsers, app, listeners, HttpRateLimiter(harness.arena.settings.limits, 2000, microseconds)
            )
            port = listeners[0].socket.getsockname()[1]
            print(f"{'':34s}{'a request':>12s}{'longest pass':>14s}   ms of the event loop, {MATCHES} matches")
            for method, path, body in ROUTES:
                target = path.format(long=MATCHES)
                await trio.to_thread.run_sync(_ask, port, method, target, body)  # what is made once is made
                with _passes() as passes:
                    began = thread_time()
                    for _ in range(TIMES):
                        await trio.to_thread.run_sync(_ask, port, method, target, body)
                    spent = 1000 * (thread_time() - began) / TIMES
                name = f"{method} {path}" + (f" ({len(body)} bytes)" if body else "")
                print(f"{name:34s}{spent:12.2f}{max(passes.work):14.2f}")
            nursery.cancel_scope.cancel()


def run() -> None:
    """Print a line for each route."""
    trio.run(_measure)
