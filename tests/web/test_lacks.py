"""A machine that lacks descriptors: each page fails by itself, and matches go on."""

import os
import re
import resource
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest

from engine.wire import messages as m
from tests.server.process import Client
from tests.waiting import WAIT_SECONDS
from tests.web.site import Site, Table

QUESTION = b'{"game": "mnk", "parameters": "3 3 3", "moves": [], "seconds": 0.1}'

PAGES = (
    ("/api/games", b""),
    ("/api/player?name=ann", b""),
    ("/api/play/look", QUESTION),
    ("/api/play/think", QUESTION),
    ("/api/analysis/kit", QUESTION),
    ("/api/matches/1", b""),
    ("/api/matches/1/review", b""),
    ("/live/lobby", b""),
    ("/live/contests/1", b""),
    ("/contests", b""),
    ("/player/ann", b""),
    ("/me", b""),
    ("/ladder", b""),
    ("/metrics", b""),
)
"""Paths, and the body of a POST. The last one is asked of the port for figures."""

MAX_SPARE = 4
"""A worker process takes six descriptors at its start, others one or two."""


def leave(pid: int, spare: int) -> None:
    """Let a process have no more than so many further descriptors."""
    opened = {int(name) for name in os.listdir(f"/proc/{pid}/fd")}
    limit = 0
    while spare or limit in opened:
        spare -= limit not in opened
        limit += 1
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (limit, resource.prlimit(pid, resource.RLIMIT_NOFILE)[1]))


def metrics_port(site: Site) -> int:
    found = re.search(r"127.0.0.1:([0-9]+)/metrics", site.logs("metrics_started"))
    assert found is not None
    return int(found[1])


def ask(port: int, path: str, body: bytes = b"") -> bytes:
    """Return the beginning of an answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=WAIT_SECONDS) as connection:
        head = f"{'POST' if body else 'GET'} {path} HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n"
        connection.sendall(head.encode() + b"content-type: application/json\r\n\r\n" + body)
        return connection.recv(65536)


@pytest.fixture(scope="module")
def own_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with Site(tmp_path_factory.mktemp("poor"), "--metrics", "0") as site:
        yield site
        assert site.stop() == 0


@pytest.fixture
def poor(own_site: Site) -> Iterator[Site]:
    """A server that a test lets lack descriptors; it has them again for the next test, whichever that is."""
    most = resource.prlimit(own_site.process.pid, resource.RLIMIT_NOFILE)
    yield own_site
    resource.prlimit(own_site.process.pid, resource.RLIMIT_NOFILE, most)


@pytest.mark.slow("interpreted")
def test_pages_that_lack_descriptors_end_no_match(poor: Site) -> None:
    pid = poor.process.pid
    most = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    metrics = metrics_port(poor)
    over = Table(poor, "mnk", "params=3,3,3 budget=86400000")
    over.resign()
    over.close()
    table = Table(poor, "mnk", "params=19,19,19 budget=86400000")
    moves = (f"{column}{row}" for row in range(1, 20) for column in "abcdefghijklmnopqrs")
    for path, body in PAGES:
        for spare in range(MAX_SPARE + 1):
            leave(pid, spare)
            answer = ask(metrics if path == "/metrics" else poor.web_port, path, body)
            assert answer.startswith(b"HTTP/1.1 "), (path, spare, answer)
            table.move(next(moves))
    resource.prlimit(pid, resource.RLIMIT_NOFILE, most)
    assert ask(poor.web_port, "/api/games").startswith(b"HTTP/1.1 200 ")
    table.resign()
    table.close()


@pytest.mark.slow
def test_a_server_without_descriptors_refuses_in_a_sentence(poor: Site) -> None:
    with ExitStack() as stack:
        leave(poor.process.pid, 3)

        def take_all() -> m.Bye:
            """Hold connections until one is refused; the server itself may have closed a file meanwhile."""
            while True:
                greeting = stack.enter_context(closing(Client(poor.port))).hear(m.Arena, m.Bye)
                if isinstance(greeting, m.Bye):
                    return greeting

        refused = take_all()
        assert refused.reason == "too_many" and "descriptors" in refused.sentence
        until = time.monotonic() + WAIT_SECONDS
        for port in (poor.web_port, metrics_port(poor)):
            while not ask(port, "/metrics").startswith(b"HTTP/1.1 503 "):
                assert time.monotonic() < until, f"port {port} did not refuse"
                take_all()
