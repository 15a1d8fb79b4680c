"""The JSON routes as docs/api.md shows them, within bounds, and pictures of matches."""

import json
import shlex
import shutil
import subprocess
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
import trio

from server.config.settings import Limits
from server.web.app import application
from server.web.http.guard import MAX_WAIT, REQUESTS, REQUESTS_AT_ONCE, SECONDS, TOO_MANY, HttpRateLimiter
from server.web.http.listener import serve_browsers
from server.web.live.event_stream import Broadcaster
from server.web.live.matches import MatchHubs
from server.web.live.pages import LivePages
from server.web.people.routes import People
from server.web.pool import Pool
from tests.server.harness import open_arena
from tests.waiting import WAIT_SECONDS
from tests.web.site import Site, Table

DOCUMENT = Path(__file__).parents[2] / "docs" / "api.md"
CURL = [line for line in DOCUMENT.read_text(encoding="utf-8").splitlines() if line.startswith("curl ")]
TIMED_OUT = 28
"""Status of a curl that has listened for as long as it was told to."""


def finished(site: Site) -> int:
    """Play a match to its end; return its number."""
    table = Table(site, "mnk", "params=3,3,3 budget=600000")
    table.move("b2")
    table.resign()
    table.close()
    return table.match


@pytest.mark.slow  # processes are started for it
def test_the_lines_of_the_document_are_answered(site: Site) -> None:
    curl = shutil.which("curl")
    if curl is None:
        pytest.skip("curl is not installed")
    assert len(CURL) > 8
    match = finished(site)
    for line in CURL:
        here = line.replace("http://127.0.0.1:8080", site.url).replace("/17", f"/{match}")
        done = subprocess.run(
            [curl, "--fail", *shlex.split(here)[1:]], capture_output=True, timeout=WAIT_SECONDS, check=False
        )
        assert done.returncode == (TIMED_OUT if "--max-time" in line else 0) and done.stdout, (line, done.stderr)
        assert b'"error"' not in done.stdout, line


async def test_a_program_that_asks_for_too_much_is_refused_until_its_time_has_come(tmp_path: Path) -> None:
    now = 0
    limiter = HttpRateLimiter(Limits(trusted=()), 10, lambda: now)
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listeners[0].socket.getsockname()[1]

    def get(path: str) -> tuple[int, Any]:
        with closing(HTTPConnection("127.0.0.1", port, timeout=WAIT_SECONDS)) as connection:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())

    async def statuses(count: int) -> list[int]:
        return [(await trio.to_thread.run_sync(get, "/api/matches"))[0] for _ in range(count)]

    async with open_arena(tmp_path) as harness, Pool() as pool, trio.open_nursery() as nursery:
        arena = harness.arena
        people = People(arena.settings.data, pool)
        broadcaster = Broadcaster(lambda: 0.0)
        pages, matches = LivePages(arena, broadcaster, people.newest), MatchHubs(broadcaster)
        app = application(arena, arena.record_store, pages, matches, pool, people)
        nursery.start_soon(serve_browsers, app, listeners, limiter)
        program = limiter.enter("127.0.0.1")
        assert program is not None
        assert program.wait(int(REQUESTS_AT_ONCE) - 2) == 0
        assert await statuses(2) == [200, 200]
        assert program.wait(int(REQUESTS * MAX_WAIT)) == MAX_WAIT
        assert await statuses(2) == [429, 429]
        assert await trio.to_thread.run_sync(get, "/api/matches/17/record") == (429, {"error": TOO_MANY[1]})
        now += round((MAX_WAIT + 3 / REQUESTS) * SECONDS)
        assert await statuses(2) == [200, 200]
        nursery.cancel_scope.cancel()
