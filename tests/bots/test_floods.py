"""Programs and servers that write without end: what is read of them is bounded."""

import http.server
import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from bots.client.errors import ArenaError
from bots.commands.league import Entry, League
from engine.wire.codes import ProtocolError
from engine.wire.coding import REPLY_BYTES
from engine.wire.ends import MAX_BLOCK_BYTES, ClientEnd


def test_a_block_has_a_bounded_size() -> None:
    end, line = ClientEnd(), b"| " + b"x" * (REPLY_BYTES - 10) + b"\n"
    end.receive(b"RECORD 1 100000\n")
    for _ in range(MAX_BLOCK_BYTES // len(line)):
        assert end.receive(line) == []
    with pytest.raises(ProtocolError, match=f"at most {MAX_BLOCK_BYTES} bytes"):
        end.receive(2 * line)


@contextmanager
def answering(answer: bytes) -> Iterator[tuple[str, list[str | None]]]:
    """Answer every request in these bytes, without end where they have no length; yield the URL, and the tokens."""
    tokens: list[str | None] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            tokens.append(self.headers.get("authorization"))
            self.wfile.write(answer)
            try:
                for _ in itertools.count() if b"content-length" not in answer else ():
                    self.wfile.write(b"[" * 65536)
            except OSError:  # the client has enough
                pass

        do_POST = do_GET  # noqa: N815

        def log_message(self, *_what: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", tokens
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("data", [None, b"zip"])
def test_a_token_goes_to_no_other_server(data: bytes | None) -> None:
    with answering(b"HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\n{}") as (other, tokens):
        redirect = f"HTTP/1.0 302 Found\r\nlocation: {other}/stolen\r\ncontent-length: 0\r\n\r\n"
        with answering(redirect.encode()) as (league, _), pytest.raises(ArenaError, match=other):
            League(Entry(name="ann-1", token="secret", server=league)).ask("versions", data)
    assert tokens == []


def test_an_answer_of_a_league_has_an_end() -> None:
    with answering(b"HTTP/1.0 200 OK\r\n\r\n") as (league, _), pytest.raises(ArenaError, match="more than"):
        League(Entry(name="ann-1", token="secret", server=league)).ask("versions")
