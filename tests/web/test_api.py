"""The interface for programs: its description, what docs/api.md shows, and lists of records within bounds."""

import html
import json
import re
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
from server.web.views import preview as previews
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


def test_a_match_can_be_shown_on_another_site(browser: Browser, site: Site) -> None:
    match = finished(site)
    picture = ask(site, f"/api/v1/matches/{match}/position.svg")
    assert picture.headers["content-type"] == "image/svg+xml" and picture.body.startswith(b"<svg ")
    assert picture.headers["cross-origin-resource-policy"] == "cross-origin"
    first = ask(site, f"/api/v1/matches/{match}/position.svg?ply=0")
    assert first.status == 200 and first.body != picture.body
    beyond = ask(site, f"/api/v1/matches/{match}/position.svg?ply=9")
    assert (beyond.status, beyond.json) == (400, {"error": "ply is 9, but there is 1 move"})
    policy = ask(site, f"/embed/match/{match}").headers["content-security-policy"]
    assert "frame-ancestors *" in policy and "script-src 'self'" in policy
    with open_page(browser, dark=True) as page:
        page.goto(f"{site.url}/embed/match/{match}")
        assert page.locator("img").evaluate("image => image.currentSrc").endswith("?ply=1&theme=dark")
        assert page.get_by_text("ann – bob: second").is_visible()
        board = page.get_by_role("img", name="The board, moves made: 1")
        assert board.evaluate("image => image.complete && image.naturalWidth > 0")
        assert fits(page)
        check_accessibility(page)


def test_a_frame_is_in_the_language_of_its_reader(site: Site) -> None:
    shown = ask(site, f"/embed/match/{finished(site)}", accept_language="de")
    assert {"accept-language", "cookie"} <= {*shown.headers["vary"].replace(" ", "").split(",")}
    document = shown.body.decode()
    assert '<html lang="de">' in document and "Das Brett, bisherige Züge: 1" in document
    assert "<span>ann – bob: Zweiter gewinnt</span>" in document


def test_a_frame_without_a_match_says_so_on_the_other_site(browser: Browser, site: Site) -> None:
    """The whole page of an error has links, and a policy by which browsers show it in no frame."""
    for language, told in (("en", "There is no match 999 here."), ("de", "Es gibt hier keine Partie 999.")):
        answer = ask(site, "/embed/match/999", accept="text/html", accept_language=language)
        assert answer.status == 404 and "frame-ancestors *" in answer.headers["content-security-policy"]
        assert f"<p>{told}</p>" in answer.body.decode() and "<a " not in answer.body.decode()
    with open_page(browser, refused=404) as page:
        page.goto(f"{site.url}/embed/match/999")
        assert page.get_by_text("There is no match 999 here.").is_visible()
        assert fits(page)
        check_accessibility(page)


def test_oembed_names_the_frame_of_a_match_of_this_server_only(site: Site) -> None:
    match = finished(site)
    told = ask(site, f"/oembed?url={site.url}/match/{match}&maxwidth=300").json
    assert (told["version"], told["type"], told["width"]) == ("1.0", "rich", 300)
    assert f'<iframe src="{site.url}/embed/match/{match}" width="300"' in told["html"]
    for url in (f"http://example.net/match/{match}", f"{site.url}/contest/{match}", "http://[", ""):
        assert ask(site, f"/oembed?url={url}").status == 404, url
    assert ask(site, f"/oembed?url={site.url}/match/{match}&format=xml").status == 501


def test_the_page_of_a_match_says_where_oembed_is_told(site: Site) -> None:
    match = finished(site)
    (found,) = re.findall(
        r'<link rel="alternate" type="application/json\+oembed" href="([^"]*)" title="([^"]*)">',
        ask(site, f"/match/{match}").body.decode(),
    )
    address, title = map(html.unescape, found)
    assert address.startswith(f"{site.url}/oembed?")
    told = ask(site, address.removeprefix(site.url)).json
    assert told["title"] == title == "ann – bob: second wins" and f"/embed/match/{match}" in told["html"]
    assert "oembed" not in ask(site, "/contest/1").body.decode()


@pytest.mark.slow  # processes are started for it
def test_pictures_of_a_match_and_the_tags_that_lead_to_them(site: Site) -> None:
    table = Table(site, "mnk", "params=3,3,3 budget=600000")
    table.move("b2")
    path = f"/api/v1/matches/{table.match}"
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
