"""Requests and answers over real sockets: what is told, what is refused and how, and what stays within bounds."""

import gzip
import json
import re
import socket
from functools import cache
from pathlib import Path
from urllib.parse import urljoin

import pytest
import trio
import trio.testing
from inline_snapshot import snapshot
from starlette.types import Receive, Scope, Send

from engine.games.interface import Termination
from engine.match.signature import ANOTHER_KEY, NOBODY, THIS_SERVER, shown
from engine.wire import messages as m
from server.commands import options
from server.config.keys import public_half
from server.config.settings import Limits
from server.web import app
from server.web.http import listener
from server.web.http.request import HttpRateLimiter
from server.web.http.static_files import address
from server.web.matches import RECORD_BYTES
from tests.engine.test_record import played
from tests.waiting import WAIT_SECONDS
from tests.web.asking import Answer
from tests.web.site import Seat, Site, Table


def over(site: Site) -> int:
    """Play a match to its end; return its number."""
    table = Table(site, "mnk", "params=3,3,3 budget=600000")
    table.resign()
    table.close()
    return table.match


def test_a_page_at_a_trailing_slash_is_at_the_same_server(site: Site) -> None:
    answer = site.ask("/games/", host="evil.example")
    assert answer.status == 307 and answer.headers["location"] == "/games"


@pytest.mark.slow
def test_every_answer_keeps_the_page_to_itself(site: Site) -> None:
    for path in (
        "/",
        f"/match/{over(site)}",
        address("site.css"),
        address("boards/board.js"),
        "/api/matches/999",
        "/nothing",
    ):
        answer = site.ask(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff" and "server" not in answer.headers
    assert site.ask(address("boards/board.js")).headers["content-type"].startswith("text/javascript")


@pytest.mark.slow
def test_files_that_a_page_names_are_small_and_kept_for_good_until_one_changes(site: Site) -> None:
    fetch = cache(lambda path: site.ask(path, accept_encoding="gzip"))

    def text(path: str) -> str:
        answer = fetch(path)
        return (gzip.decompress(answer.body) if "content-encoding" in answer.headers else answer.body).decode()

    for path in ("/", f"/match/{over(site)}", "/contest/1", "/play"):
        named = set(re.findall('(?:href|src)="(/static/[^"]+)"', text(path)))
        assert len({name.split("/")[2] for name in named}) == 1
        for name in named:
            answer = fetch(name)
            assert (answer.status, answer.headers["cache-control"]) == (200, "public, max-age=31536000, immutable")
        scripts = {name for name in named if name.endswith(".js")}
        for script in (name for name in scripts if "/vendor/" not in name):
            imported = re.findall(r'(?:from|import) "(\.[^"]+)"', text(script))
            assert {urljoin(script, one) for one in imported} <= scripts, "they are fetched before they are asked for"
        assert len(fetch(path).body) + sum(len(fetch(name).body) for name in named) <= 44 * 1024, path
    assert site.ask("/static/v-" + "0" * 16 + "/site.css").status == 404, "files of two versions do not mix"


def test_what_is_live_is_not_compressed_and_comes_at_once(site: Site) -> None:
    with (
        socket.create_connection(("127.0.0.1", site.web_port), timeout=WAIT_SECONDS) as browser,
        browser.makefile() as lines,
    ):
        browser.sendall(b"GET /live/lobby HTTP/1.1\r\nhost: x\r\naccept-encoding: gzip\r\n\r\n")
        head = list(iter(lambda: lines.readline().strip(), ""))
        assert not any("content-encoding" in line for line in head)
        assert {"x-accel-buffering: no", "cache-control: no-store, no-transform"} <= set(head), "proxies pass it on"
        assert any(line.startswith("event: boards") for line in iter(lines.readline, ""))  # while more is to come


@pytest.mark.slow
def test_a_report_that_a_page_has_is_not_sent_again(site: Site) -> None:
    whole = site.ask("/contest/2").body.decode()
    (again,) = re.findall('hx-get="(/contest/2/report[^"]+)"', whole)
    same = site.ask(again)
    assert (same.status, same.body) == (204, b"")
    assert site.ask(again.partition("?")[0]).body.decode().splitlines()[-1] == "</div>"


def test_pages_name_no_other_host() -> None:
    web = Path(app.__file__).parent / "assets"
    for path in [*(web / "static").rglob("*"), *(web / "pages").iterdir()]:
        if path.suffix in (".html", ".js", ".css") and path.parent.name != "vendor":
            text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
            assert "http:" not in text and "https:" not in text and ".innerHTML" not in text, path


@pytest.mark.parametrize(
    ("path", "status", "sentence"),
    [
        ("/nothing", 404, snapshot("there is nothing at '/nothing'")),
        ("/match/999", 404, snapshot("there is no match 999 here")),
        ("/contest/999", 404, snapshot("there is no report of a contest 999 here")),
        ("/live/matches/999", 404, snapshot("match 999 is not being played")),
        ("/" + "x" * 5000, 414, snapshot("an address has at most 4096 bytes")),
    ],
)
def test_a_refusal_is_a_sentence(site: Site, path: str, status: int, sentence: str) -> None:
    answer = site.ask(path)
    assert answer.status == status
    assert answer.json["error"] == sentence


def test_nothing_else_is_found(site: Site) -> None:
    files = ("/static/../app.py", address("../pages/base.html"), address("%2e%2e/app.py"), "/static/")
    others = ("/contest/999/live", "/api/matches/999", "/api/matches/999/record", "/api/matches/99999999999999999999")
    for path in (*files, *others):
        assert site.ask(path).status == 404, path


def test_a_match_is_told_while_it_is_played_and_afterwards(site: Site, seat: Seat) -> None:
    table = seat("gipf", "params=3,3,9,9 budget=600000")
    for move in ("a4-b4", "d7-d6", "a4-b4"):
        table.move(move)
    told = site.ask(f"/api/matches/{table.match}").json
    assert told["info"]["players"] == ["ann", "bob"] and told["info"]["start"]["parameters"] == "3 3 9 9"
    assert [step[0] for step in told["now"]["steps"]] == ["a4-b4", "d7-d6", "a4-b4"]
    assert [frame["ply"] for frame in told["frames"]] == [0, 1, 2, 3]
    assert told["now"]["phase"] == "running" and told["now"]["runs"] == [False, True]
    for part in ("record", "review"):
        refused = site.ask(f"/api/matches/{table.match}/{part}")
        assert refused.status == 409
    table.resign()
    table.close()
    over = site.ask(f"/api/matches/{table.match}").json
    assert over["frames"] == told["frames"] and over["now"]["ending"]["reason"] == "resign"
    record = site.ask(f"/api/matches/{table.match}/record")
    assert record.headers["content-type"] == "text/plain; charset=utf-8"
    again = site.ask("/api/record", "POST", record.body).json
    assert again == over


@pytest.mark.slow
def test_a_fault_behind_a_page_is_logged_with_one_traceback(tmp_path: Path) -> None:
    (tmp_path / "records").mkdir(parents=True)
    (tmp_path / "records" / "7.txt").write_bytes(b"\xff")
    with Site(tmp_path) as site:
        answer = site.ask("/api/matches/7/record")
        assert site.stop() == 0
    assert answer.status == 500
    assert site.log.count("Traceback (most recent") == 1 and "no UTF-8" in site.log


def test_a_record_is_bounded_in_size(site: Site) -> None:
    more_than_sockets_hold = 8 << 20
    answer = site.ask("/api/record", "POST", bytes(RECORD_BYTES + more_than_sockets_hold))
    assert answer.status == 413


def test_a_server_shows_its_key_and_says_who_has_signed_a_record(site: Site) -> None:
    assert site.ask("/api/key").json == {"key": shown(public_half(site.data))}
    record = site.ask(f"/api/matches/{over(site)}/record").body
    for text, by in (
        (record, THIS_SERVER),
        (record.replace(b"match ", b"match 1"), ANOTHER_KEY),
        (record[:-2] + b"\n", ANOTHER_KEY),
        (record[: record.rindex(b"signature")], NOBODY),
        (b"arena-record 1\n", NOBODY),
        (b"arena-record 1\nsignature \xff\n", ANOTHER_KEY),
    ):
        assert site.ask("/api/signature", "POST", text).json == {"by": by}


def test_the_log_of_a_player_is_for_who_posts_its_token(site: Site, seat: Seat) -> None:
    table = seat("mnk", "params=3,3,3 budget=600000")
    path = f"/api/matches/{table.match}/log"

    def log(body: object) -> Answer:
        return site.ask(path, "POST", json.dumps(body).encode(), content_type="application/json")

    ann, bob = table.players
    assert log({"token": ann.token}).status == 409, "it is being played"
    ann.hear(m.Turn)
    ann.say(m.Stderr(m.Text('|   File "<b>bot.py</b>", line 12')))
    ann.say(m.Crashed(m.Text("ValueError")))
    bob.hear(m.Result)
    found = log({"token": f" {ann.token}"})
    assert (found.status, found.json) == (200, {"lines": ['first 1 |   File "<b>bot.py</b>", line 12']})
    assert log({"token": bob.token}).json == {"lines": []}
    assert [log({"token": token}).status for token in ("", "guess")] == [403, 403]
    assert log({"token": "guess"}).json["error"] == snapshot("this token is of neither player of the match")
    assert log({"token": 7}).status == 400
    assert site.ask("/api/matches/999/log", "POST", b'{"token": ""}').status == 404


def test_another_sites_page_may_not_ask_for_work(site: Site) -> None:
    record = played(stop_after=2, end=Termination.RESIGN).encode()
    own = f"http://127.0.0.1:{site.web_port}"
    assert site.ask("/api/record", "POST", record, origin=own).status == 200
    for origin in ("http://example.net", "null"):
        assert site.ask("/api/record", "POST", record, origin=origin).status == 403


@pytest.mark.parametrize(
    "request_text",
    [
        b"GET / HTTP/1.1\r\n" + b"x: " + b"y" * listener.HEAD_BYTES + b"\r\n\r\n",
        b"\x00\x01\x02\r\n\r\n",
        b"GET / HTTP/9.9\r\nhost: x\r\n\r\n",
        b"POST /api/record HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n",
        b"TRACE / HTTP/1.1\r\nhost: x\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /live/lobby HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
        b"sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n\r\n",
        b"HEAD /live/lobby HTTP/1.1\r\nhost: x\r\n\r\n",
    ],
)
def test_odd_requests_are_answered_or_closed(site: Site, request_text: bytes) -> None:
    with socket.create_connection(("127.0.0.1", site.web_port), timeout=WAIT_SECONDS) as browser:
        browser.sendall(request_text)
        answer = browser.recv(65536)
        assert not answer.startswith(b"HTTP/1.1 200")
    assert site.ask("/").status == 200


async def test_a_server_stops_at_once_though_a_browser_does_not_read(mock_clock: trio.testing.MockClock) -> None:
    async def flood(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while True:
            await send({"type": "http.response.body", "body": b"x" * 65536, "more_body": True})

    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port, began = listeners[0].socket.getsockname()[1], trio.current_time()
    async with await trio.open_tcp_stream("127.0.0.1", port) as browser, trio.open_nursery() as nursery:
        nursery.start_soon(listener.serve_browsers, flood, listeners, HttpRateLimiter(Limits(), 5, lambda: 1))
        await browser.send_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        assert await browser.receive_some(1)
        await trio.testing.wait_all_tasks_blocked(0.05)  # what is sent meets a window that is full
        mock_clock.autojump_threshold = 0
        nursery.cancel_scope.cancel()
    assert trio.current_time() == began


def test_a_place_is_an_address_and_a_port(capsys: pytest.CaptureFixture[str]) -> None:
    read = [options.place("web", text) for text in ("127.0.0.1:8080", "[::1]:0", "host:1")]
    assert read == [("127.0.0.1", 8080), ("::1", 0), ("host", 1)]
    for wrong in ("x", ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:99999", "127.0.0.1:-1", "a:b"):
        with pytest.raises(SystemExit):
            options.place("web", wrong)
    assert capsys.readouterr().err.splitlines()[-1].partition(": ")[2] == snapshot(
        "--web is 'a:b'; it is an address and a port, as in 127.0.0.1:8080"
    )
