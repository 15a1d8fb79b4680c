"""The JSON routes as docs/api.md shows them, within bounds, and pictures of matches."""

import json
import shlex
import shutil
import subprocess
from contextlib import closing
from http.client import HTTPConnection
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import trio
from PIL import Image
from playwright.sync_api import Browser

from engine.record import verify
from server.config.limits import Limits
from server.web.app import application
from server.web.http.client_quota import MAX_WAIT, REQUESTS, REQUESTS_AT_ONCE, SECONDS, TOO_MANY, HttpRateLimiter
from server.web.http.listener import serve_browsers
from server.web.live.channels import Hubs
from server.web.live.event_stream import Broadcaster
from server.web.match_pictures import shown_record
from server.web.people.routes import People
from server.web.play.routes import Playing
from server.web.views import preview as previews
from tests.engine.records import records
from tests.server.harness import open_arena
from tests.web.chromium import open_page
from tests.web.site import Site, Table
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
        return [(await trio.to_thread.run_sync(get, "/api/matches"))[0] for _ in range(count)]

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
        assert await trio.to_thread.run_sync(get, "/api/matches/17/record") == (429, {"error": TOO_MANY[1]})
        now += round((MAX_WAIT + 3 / REQUESTS) * SECONDS)
        assert await statuses(2) == [200, 200]
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("name", sorted(records()))
def test_a_record_is_shown_as_the_rules_read_it(name: str) -> None:
    text = records()[name]
    shown, summary = shown_record(text), verify(text)
    question = shown.question
    assert question.moves == summary.history.moves and question.players == summary.header.players
    assert question.start == summary.header.position.text() and shown.result == summary.result


@pytest.mark.parametrize("text", ["", "\n", "position\nresult white", "match 1\nposition\nresult a b 1 2 3"])
def test_what_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"record|values|position"):
        shown_record(text)


LINES = """
    path => new Promise(resolve => {
        const server = new WebSocket(path);
        let heard = "";
        server.onopen = () => server.send("LOGIN browser\\nQUIT");
        server.onmessage = event => heard += event.data;
        server.onclose = event => resolve([event.code, event.wasClean, server.extensions, heard]);
    })
"""
"""Logs in over a WebSocket, and leaves; tells how it was closed, and what was heard."""


def test_a_browser_can_speak_the_protocol_from_a_page_of_this_server_only(browser: Browser, site: Site) -> None:
    place = f"ws://127.0.0.1:{site.web_port}/ws"
    with open_page(browser) as page:
        page.goto(f"{site.url}/games")
        code, clean, extensions, heard = page.evaluate(LINES, place)
        assert (code, clean, extensions) == (1000, True, "")
        assert [line.split()[0] for line in heard.splitlines()] == ["ARENA", "WELCOME", "BYE"]
    page = browser.new_page()
    try:
        assert page.evaluate(LINES, place) == [1006, False, "", ""], "the empty page is of no site"
    finally:
        page.close()


@pytest.mark.slow  # processes are started for it
def test_pictures_of_a_match_and_the_tags_that_lead_to_them(site: Site) -> None:
    table = Table(site, "mnk", "params=3,3,3 budget=600000")
    table.move("b2")
    path = f"/api/matches/{table.match}"
    refused = ask(site, f"{path}/match.gif")
    assert refused.status == 409 and "can be had when it is over" in refused.json["error"]
    assert 'content="ann – bob"' in ask(site, f"/match/{table.match}").body.decode()
    table.resign()
    table.close()
    for query, size in (("", (204, 254)), ("?scale=2&theme=dark&ply=0", (408, 508))):
        picture = ask(site, f"{path}/position.png{query}")
        assert picture.headers["content-type"] == "image/png"
        assert Image.open(BytesIO(picture.body)).size == size
    assert ask(site, f"{path}/match.gif").body.startswith(b"GIF89a")
    for query in ("scale=4", "ply=2", "theme=blue"):
        assert ask(site, f"{path}/position.png?{query}").status == 400, query
    for page, card in (
        (f"/match/{table.match}", f"/card/match/{table.match}.png"),
        ("/contest/1", "/card/contest/1.png"),
        ("/player/ann", "/card/player/ann.png"),
    ):
        told = ask(site, page).body.decode()
        assert f'<meta property="og:image" content="{site.url}{card}">' in told
        assert f'<meta property="og:url" content="{site.url}{page}">' in told
        assert Image.open(BytesIO(ask(site, card).body)).size == (1200, 630)
    for missing in ("/card/match/999999.png", "/card/contest/999.png", "/card/player/a%20b.png"):
        assert ask(site, missing).status == 404, missing


def test_what_is_no_host_is_not_written_into_a_page() -> None:
    preview = previews.of_player("ann")
    assert previews.origin("https", "arena.example.org:8443") == "https://arena.example.org:8443"
    for scheme, host in (("javascript", "a"), ("http", 'a"><script>'), ("http", "a/b"), ("http", "")):
        assert previews.origin(scheme, host) == ""
    assert "og:image" not in previews.tags(preview, "") and "og:title" in previews.tags(preview, "")
    assert "&lt;b&gt;" in previews.tags(preview._replace(title="<b>"), "")
