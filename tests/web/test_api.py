"""The interface for programs: its description, what docs/api.md shows, and lists of records within bounds."""

import json
import re
import shlex
import shutil
import subprocess
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
import trio
from playwright.sync_api import Browser

from engine.record import verify
from server.config.limits import Limits
from server.web.api import openapi
from server.web.api.operations import OPERATIONS
from server.web.api.records import played_match
from server.web.app import application
from server.web.http.client_quota import MAX_WAIT, REQUESTS, REQUESTS_AT_ONCE, SECONDS, TOO_MANY, HttpRateLimiter
from server.web.http.listener import serve_browsers
from server.web.live.channels import Hubs
from server.web.live.event_stream import Broadcaster
from server.web.people.routes import People
from server.web.play.routes import Playing
from tests.engine.records import records
from tests.engine.test_record import played
from tests.server.harness import open_arena
from tests.web.chromium import check_accessibility, fits, open_page
from tests.web.site import Site, Table, open_site
from tests.web.test_app import ask

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
        done = subprocess.run([curl, "--fail", *shlex.split(here)[1:]], capture_output=True, timeout=1200, check=False)
        assert done.returncode == (TIMED_OUT if "--max-time" in line else 0) and done.stdout, (line, done.stderr)
        assert b'"error"' not in done.stdout, line


def test_the_description_names_every_request_once() -> None:
    described = openapi.document(OPERATIONS, "1")
    text = json.dumps(described)
    names = [openapi.name_of(operation) for operation in OPERATIONS]
    assert len(set(names)) == len(names)
    components = described["components"]
    assert isinstance(components, dict)
    for name in re.findall('"#/components/schemas/([^"]+)"', text):
        assert name in components["schemas"]
    for operation in OPERATIONS:
        assert f'"{operation.path}"' in text


def test_every_described_request_has_a_route(site: Site) -> None:
    served = ask(site, "/api/openapi.json").json
    assert served["openapi"] == "3.1.0"
    for operation in OPERATIONS:
        assert served["paths"][operation.path][operation.method.lower()]["summary"] == operation.summary
        path = "/api/v1" + operation.path.replace("{number}", "999999")
        other = "GET" if operation.method == "POST" else "POST"
        assert ask(site, path, other).status == 405, path


def test_a_match_is_told_while_it_is_played_and_afterwards(site: Site) -> None:
    table = Table(site, "mnk", "params=3,3,3 budget=600000")
    table.move("b2")
    running = ask(site, f"/api/v1/matches/{table.match}").json
    assert running["now"]["phase"] == "running" and [step[0] for step in running["now"]["steps"]] == ["b2"]
    assert running["now"]["frame"]["pieces"] == [["b2", 0, None]]
    refused = ask(site, f"/api/v1/records/{table.match}")
    assert refused.status == 409 and "is being played" in refused.json["error"]
    table.resign()
    table.close()
    record = ask(site, f"/api/v1/records/{table.match}").json
    assert (record["players"], record["moves"], record["reason"]) == (["ann", "bob"], ["b2"], "resign")
    assert ask(site, f"/api/v1/matches/{table.match}").json["now"]["ending"]["reason"] == "resign"


@pytest.mark.slow
def test_records_come_a_line_each_the_newest_first(tmp_path: Path) -> None:
    (tmp_path / "records").mkdir(parents=True)
    for number in (3, 5, 8):
        text = played(end="resign", stop_after=number).replace("match 7\n", f"match {number}\n")
        (tmp_path / "records" / f"{number}.txt").write_text(text)
    (tmp_path / "records" / "6.txt").write_text("not a record")
    (tmp_path / "records" / "7.txt").write_bytes(b"\xff")
    with open_site(tmp_path) as site:

        def lines(query: str) -> list[int]:
            answer = ask(site, f"/api/v1/records{query}")
            assert (answer.status, answer.headers["content-type"]) == (200, "application/x-ndjson")
            return [json.loads(line)["match"] for line in answer.body.splitlines()]

        assert lines("") == [8, 5, 3]
        assert lines("?before=8") == [5, 3] and lines("?limit=1") == [8] and lines("?before=3") == []
        for query in ("?limit=0", "?limit=1001", "?before=x", "?limit=-1"):
            refused = ask(site, f"/api/v1/records{query}")
            assert refused.status == 400 and re.search("limit|before", refused.json["error"])


async def test_a_program_that_asks_for_too_much_is_refused_until_its_time_has_come(tmp_path: Path) -> None:
    now = 0
    limiter = HttpRateLimiter(Limits(trusted=()), 10, lambda: now)
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listeners[0].socket.getsockname()[1]

    def get(path: str) -> tuple[int, Any]:
        with closing(HTTPConnection("127.0.0.1", port, timeout=1200)) as connection:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())

    async def statuses(count: int) -> list[int]:
        return [(await trio.to_thread.run_sync(get, "/api/v1/matches"))[0] for _ in range(count)]

    async with open_arena(tmp_path) as harness, Playing() as playing, trio.open_nursery() as nursery:
        arena = harness.arena
        hubs = Hubs(arena, Broadcaster(arena.send_queue.soon, lambda: 0.0))
        app = application(arena, arena.record_store, hubs, playing, People(arena.settings.data))
        nursery.start_soon(serve_browsers, app, listeners, limiter)
        program = limiter.enter("127.0.0.1")
        assert program is not None
        assert program.wait(int(REQUESTS_AT_ONCE) - 2) == 0
        assert await statuses(2) == [200, 200]
        assert program.wait(int(REQUESTS * MAX_WAIT)) == MAX_WAIT
        assert await statuses(2) == [429, 429]
        assert await trio.to_thread.run_sync(get, "/api/v1/records/17") == (429, {"error": TOO_MANY[1]})
        now += round((MAX_WAIT + 3 / REQUESTS) * SECONDS)
        assert await statuses(2) == [200, 200]
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("name", sorted(records()))
def test_a_record_is_told_as_the_rules_read_it(name: str) -> None:
    text = records()[name]
    told, summary = played_match(text), verify(text)
    assert told.moves == summary.history.moves and told.players == summary.header.players
    assert (told.result, told.reason, told.sentence) == (summary.result, summary.reason, summary.sentence)
    assert told.position == summary.header.position.text() and told.sides == summary.header.position.game.sides


@pytest.mark.parametrize("text", ["", "\n", "position\nresult white", "match 1\nposition\nresult a b 1 2 3"])
def test_what_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"record|values|position"):
        played_match(text)


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
def test_the_list_of_requests_can_be_read_everywhere(browser: Browser, site: Site, dark: bool) -> None:
    with open_page(browser, phone=True, dark=dark) as page:
        page.goto(f"{site.url}/api")
        assert page.locator("h2").count() == len(OPERATIONS)
        assert fits(page)
        check_accessibility(page)
