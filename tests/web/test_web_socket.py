"""Bots over WebSockets: the lines of the protocol, limits as those of TCP, and peers that keep no rules."""

import json
import socket
import ssl
import struct
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
import trio
import trustme

from bots.bot import Clocks
from bots.client.connection import Connection
from bots.client.errors import Unreachable
from bots.client.run import play
from bots.client.transport.address import address
from bots.random_bot import RandomBot
from engine.games.interface import Position, moves
from engine.wire import messages as m
from engine.wire.ends import ClientEnd
from engine.wire.messages import PORT
from engine.wire.web_socket import text_frame
from tests.server.process import START_SECONDS
from tests.web.site import Site, Table, open_site

KEY = "dGhlIHNhbXBsZSBub25jZQ=="
ACCEPT = b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
"""What answers the key: the example of RFC 6455, 1.3."""

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
MASK = b"mask"


def frame(
    data: bytes, opcode: int = TEXT, *, final: bool = True, size: int | None = None, masked: bool = True
) -> bytes:
    """Return a frame of a client, which may say that it is longer than it is."""
    size = len(data) if size is None else size
    length = bytes((size,)) if size < 126 else b"\x7e" + struct.pack("!H", size % (1 << 16))
    if size >= 1 << 16:
        length = b"\x7f" + struct.pack("!Q", size)
    if not masked:
        return bytes((final << 7 | opcode,)) + length + data
    mixed = bytes(byte ^ MASK[at % 4] for at, byte in enumerate(data))
    return bytes((final << 7 | opcode, length[0] | 0x80)) + length[1:] + MASK + mixed


class Peer:
    """A client that sends what it is told to."""

    def __init__(self, site: Site, *headers: str, place: str = "/ws", early: bytes = b"") -> None:
        """Shake hands."""
        self.socket = socket.create_connection(("127.0.0.1", site.web_port), timeout=START_SECONDS)
        own = (
            f"Host: 127.0.0.1:{site.web_port}",
            "Connection: keep-alive, Upgrade",
            "Upgrade: websocket",
            f"Sec-WebSocket-Key: {KEY}",
            "Sec-WebSocket-Version: 13",
        )
        self.socket.sendall("\r\n".join([f"GET {place} HTTP/1.1", *own, *headers, "", ""]).encode() + early)
        self.rest = b""
        while b"\r\n\r\n" not in self.rest:
            data = self.socket.recv(65536)
            if not data:
                break
            self.rest += data
        self.head, _, self.rest = self.rest.partition(b"\r\n\r\n")
        self.end = ClientEnd()
        self.heard: list[Any] = []

    @property
    def status(self) -> int:
        return int(self.head.split()[1])

    def frame(self) -> tuple[int, bytes] | None:
        """Return opcode and data of the next frame, None at the end."""
        while True:
            if len(self.rest) >= 2:
                size, at = self.rest[1], 2
                if size == 126:
                    size, at = int.from_bytes(self.rest[2:4], "big"), 4
                elif size == 127:
                    size, at = int.from_bytes(self.rest[2:10], "big"), 10
                if len(self.rest) >= at + size:
                    opcode, data = self.rest[0], self.rest[at : at + size]
                    self.rest = self.rest[at + size :]
                    assert opcode & 0xF0 == 0x80, "whole, and not compressed"
                    return opcode & 15, data
            try:
                data = self.socket.recv(65536)
            except ConnectionResetError:
                return None
            if not data:
                return None
            self.rest += data

    def say(self, message: m.Message) -> None:
        self.socket.sendall(frame(self.end.send(message)))

    def hear(self, kind: type) -> Any:
        """Return the next message of a kind."""
        while True:
            while not self.heard:
                found = self.frame()
                assert found is not None and found[0] == TEXT and found[1].endswith(b"\n"), found
                self.heard += self.end.receive(found[1])
            message = self.heard.pop(0)
            if isinstance(message, kind):
                return message

    def event(self, wanted: Callable[[Any], bool] = lambda _told: True) -> Any:
        """Return the JSON of the next message that is wanted."""
        while (found := self.frame()) is not None:
            assert found[0] == TEXT
            if wanted(told := json.loads(found[1])):
                return told
        raise AssertionError("closed before the event")

    def closed(self) -> int:
        """Return the code of the Close frame that has to come, then the end."""
        while (found := self.frame()) is not None and found[0] != CLOSE:
            pass
        assert found is not None
        assert self.frame() is None
        return int.from_bytes(found[1][:2], "big")


@contextmanager
def peer(site: Site, *headers: str, **more: Any) -> Iterator[Peer]:
    """A peer that was greeted."""
    one = Peer(site, *headers, **more)
    try:
        assert one.status == 101 and ACCEPT in one.head
        one.hear(m.Arena)
        yield one
    finally:
        one.socket.close()


def test_a_match_is_played_over_web_sockets_and_resumed(site: Site) -> None:
    with peer(site) as ann, peer(site) as bob:
        ann.say(m.Login("wsann"))
        bob.say(m.Login("wsbob"))
        ann.say(m.Seek("mnk", m.Text("params=3,3,3 colour=first opponent=wsbob")))
        ann.hear(m.Seeking)
        bob.say(m.Seek("mnk", m.Text("opponent=wsann")))
        token = ann.hear(m.Match)
        bob.hear(m.Match)
        ann.say(m.Ready())
        bob.say(m.Ready())
        ann.hear(m.Turn)
        ann.say(m.Move(m.Text("b2")))
        bob.hear(m.Turn)
        ann.socket.close()
        bob.hear(m.Opponent)
        with peer(site) as again:
            again.say(m.Resume(token.match, token.token))
            assert again.hear(m.Moved).move == "b2"
            bob.say(m.Move(m.Text("a1")))
            again.hear(m.Turn)
            again.say(m.Resign())
            assert again.hear(m.Result).reason == bob.hear(m.Result).reason == "resign"
            again.say(m.Quit())
            again.hear(m.Bye)
            assert again.closed() == 1000


def test_lines_may_be_shared_out_over_messages_and_frames_as_a_client_likes(site: Site) -> None:
    with peer(site) as one:
        one.socket.sendall(frame(b"PING one\nPING two"))  # the end of a message ends its last line
        assert [one.hear(m.Pong).text for _ in range(2)] == ["one", "two"]
        one.socket.sendall(frame(b""))
        one.socket.sendall(frame(b"PI", final=False) + frame(b"x", PING) + frame(b"NG three", 0))
        assert one.frame() == (PONG, b"x")
        assert one.hear(m.Pong).text == "three"
        for byte in frame(b"PING four\n"):
            one.socket.sendall(bytes((byte,)))
        assert one.hear(m.Pong).text == "four"
        one.socket.sendall(frame(b"PING 5") * 100)
        assert [one.hear(m.Pong).text for _ in range(100)] == ["5"] * 100
        one.socket.sendall(frame(b"", CLOSE))
        assert one.closed() == 0


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (frame(b"PING x", BINARY), 1003),
        (frame(b"\xff"), 1007),
        (frame(b"PING x", masked=False), 1002),
        (frame(b"PING x", 3), 1002),
        (frame(b"PING x", 0), 1002),
        (frame(b"x" * 126, PING), 1002),
        (frame(b"x", PING, final=False), 1002),
        (b"\xc1" + frame(b"compressed")[1:], 1002),
        (frame(b"PING x", final=False) + frame(b"PING y"), 1002),
        (frame(b"\x03\xe8bye", CLOSE), 1000),
        (frame(b"\x00", CLOSE), 1002),
        (b"\x81\xff" + b"\xff" * 8 + MASK, 1002),
    ],
    ids=str,
)
def test_what_breaks_the_rules_of_web_sockets_closes_it_with_a_code(site: Site, sent: bytes, code: int) -> None:
    with peer(site, "Sec-WebSocket-Extensions: permessage-deflate") as one:
        assert b"deflate" not in one.head
        one.socket.sendall(sent)
        assert one.closed() == code


def test_a_giant_frame_is_a_line_that_is_too_long(site: Site) -> None:
    with peer(site) as one:
        one.socket.sendall(frame(b"PING on\n" + b"x" * 100_000, size=1 << 40))
        assert one.hear(m.Pong).text == "on"
        assert one.hear(m.Error).code == "line_too_long"
    with peer(site) as one:
        one.socket.sendall(frame(b"x" * 100_000 + b"\nPING on"))
        assert one.hear(m.Error).code == "line_too_long"
        assert one.hear(m.Pong).text == "on"


def test_pings_without_end_are_read_slowly_and_nobody_else_waits(site: Site) -> None:
    with peer(site) as one, peer(site) as other:
        one.socket.sendall(frame(b"", PING) * 5000)  # as many as are read in a minute and a half
        other.say(m.Ping(m.Text("x")))
        assert other.hear(m.Pong).text == "x"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (("Origin: http://evil.example",), 403),
        (("Origin: null",), 403),
        (("X-Forwarded-For: nonsense",), 400),
    ],
)
def test_pages_of_other_sites_may_not_connect(site: Site, headers: tuple[str, ...], status: int) -> None:
    refused = Peer(site, *headers)
    assert refused.status == status
    refused.socket.close()
    with peer(site, f"Origin: {site.url}"):
        pass


def test_half_handshakes_and_wrong_ones_hold_nobody_up(site: Site) -> None:
    halves = [socket.create_connection(("127.0.0.1", site.web_port), timeout=START_SECONDS) for _ in range(50)]
    for half in halves:
        half.sendall(b"GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nSec-WebSocket-Key: ")
    with peer(site) as one:
        one.say(m.Ping(m.Text("x")))
        assert one.hear(m.Pong).text == "x"
    for half in halves:
        half.close()
    for headers, place, status in (
        (("Sec-WebSocket-Version: 99",), "/ws", 400),
        ((), "/api/games", 403),
        ((), "/no/such/place", 403),
    ):
        wrong = Peer(site, *headers, place=place)
        assert wrong.status == status
        wrong.socket.close()
    with pytest.raises(HTTPError, match="426"):
        urlopen(f"{site.url}/ws")


def test_what_is_sent_before_the_handshake_is_done_harms_nothing(site: Site) -> None:
    early = Peer(site, early=frame(b"PING x") * 1000)
    early.socket.close()


def test_limits_of_addresses_and_the_end_of_the_server_are_as_over_tcp(tmp_path: Path) -> None:
    (tmp_path / "arena.toml").write_text("[limits]\nconnections = 2\n")
    with open_site(tmp_path / "data", "--config", str(tmp_path / "arena.toml")) as site:
        behind = "X-Forwarded-For: 192.0.2.1"  # the machine itself is trusted, as a proxy is
        with peer(site, behind), peer(site, behind):
            third = Peer(site, behind)
            assert third.hear(m.Bye).reason == "too_many"
            assert third.closed() == 1000
            third.socket.close()
            with peer(site, "X-Forwarded-For: 192.0.2.2") as other:
                assert site.stop() == 0
                assert other.hear(m.Bye).reason == "stopping"
                assert other.closed() == 1000


def test_live_events_come_over_web_sockets_too(site: Site) -> None:
    table = Table(site, "mnk", "params=3,3,3 budget=600000", ("evann", "evbob"))
    one = Peer(site, place=f"/live/matches/{table.match}")
    assert one.status == 101
    assert one.event()["steps"] == []
    table.move("b2")
    assert [step[0] for step in one.event(lambda told: bool(told.get("steps")))["steps"]] == ["b2"]
    one.socket.sendall(frame(b"x", PING) + frame(b"said"))
    while one.frame() != (PONG, b"x"):
        pass
    table.resign()
    assert one.event(lambda told: told.get("phase") == "over")["ending"]["reason"] == "resign"
    one.socket.sendall(frame(b"\x03\xe8", CLOSE))
    assert one.closed() == 1000
    one.socket.close()
    table.close()
    for place, status in ((f"/live/matches/{table.match + 1000}", 404), ("/api/play/games", 403)):
        refused = Peer(site, place=place)
        assert refused.status == status
        refused.socket.close()


def test_listeners_that_flood_are_read_slowly(site: Site) -> None:
    with closing(Peer(site, place="/live/lobby").socket) as flooding:
        flooding.sendall(frame(b"", PING) * 5000)
        with closing(Peer(site, place="/live/lobby").socket) as other:
            assert other.recv(1)


def test_a_message_of_any_length_is_framed_as_it_has_to_be() -> None:
    for size in (0, 1, 125, 126, 65535, 65536, 100_000):
        framed = text_frame(b"x" * size)
        assert framed == b"\x81" + frame(b"x" * size, masked=False)[1:]


def test_bots_of_the_client_library_play_over_web_sockets_and_come_back(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    connected: list[socket.socket] = []
    connect = socket.create_connection

    def remember(place: tuple[str, int], **more: Any) -> socket.socket:
        found = connect(place, **more)
        if place[1] == site.web_port:
            connected.append(found)
        return found

    def first_move(position: Position, _clocks: Clocks) -> str:
        asked.append(position)
        if len(asked) == 2:
            connected[-1].shutdown(socket.SHUT_RDWR)
        return moves(position)[0]

    monkeypatch.setattr("socket.create_connection", remember)
    asked: list[Position] = []
    reported: list[str] = []

    def over_tcp() -> None:
        play(RandomBot(), port=site.port, name="overtcp", opponent="overws", game="mnk", params="3,3,3", report=ignore)

    opponent = Thread(target=over_tcp)
    opponent.start()
    results = play(
        first_move,
        host=f"ws://127.0.0.1:{site.web_port}",
        name="overws",
        opponent="overtcp",
        game="mnk",
        params="3,3,3",
        colour="first",
        report=reported.append,
    )
    opponent.join()
    assert len(results) == 1 and results[0].history.plies >= 5 and len(connected) == 2
    assert any("trying to come back" in line for line in reported)
    assert any("back again" in line for line in reported)


def ignore(_line: str) -> None:
    pass


@pytest.mark.parametrize(
    ("path", "sentence"),
    [("/nowhere", "no WebSocket at 127.0.0.1 port {port}, /nowhere: the answer is status 403"), ("", "")],
)
def test_a_client_is_told_where_there_is_no_web_socket(
    site: Site, path: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bots.client.connection.CONNECT_SECONDS", 0.2 if not path else START_SECONDS)
    port = site.web_port if path else site.port
    with pytest.raises(Unreachable) as raised:
        Connection(*address(f"ws://127.0.0.1:{port}{path}", 2754))
    wanted = sentence.format(port=port) or f"no WebSocket at 127.0.0.1 port {port}, /ws: "
    assert str(raised.value).startswith(wanted)


@contextmanager
def encrypting_proxy(port: int, folder: Path) -> Iterator[tuple[int, str]]:
    """Encrypt one connection in front of a port; yield the proxy's port, and the file of the authority to trust."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "ca.pem")
    papers = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(papers)

    async def pump(source: trio.abc.Stream, target: trio.abc.Stream, proxy: trio.CancelScope) -> None:
        with suppress(trio.BrokenResourceError):  # either end may be gone by now
            async for data in source:
                await target.send_all(data)
        proxy.cancel()

    async def serve() -> None:
        plain = await trio.SocketListener(trio.socket.from_stdlib_socket(listening)).accept()
        # a stream of trio can be read and written at once, which no socket of ssl can by two threads
        client = trio.SSLStream(plain, papers, server_side=True, https_compatible=True)
        async with client, await trio.open_tcp_stream("127.0.0.1", port) as web, trio.open_nursery() as nursery:
            nursery.start_soon(pump, web, client, nursery.cancel_scope)
            nursery.start_soon(pump, client, web, nursery.cancel_scope)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = Thread(target=trio.run, args=(serve,))
        thread.start()
        yield listening.getsockname()[1], str(folder / "ca.pem")
        thread.join()


def test_an_encrypted_web_socket_behind_a_proxy_takes_large_answers(site: Site, tmp_path: Path) -> None:
    with encrypting_proxy(site.web_port, tmp_path) as (port, authority):
        where = address(f"wss://127.0.0.1:{port}", PORT, tls_ca=authority)
        with Connection(*where) as connection:
            for _ in range(200):
                connection.send(m.AskHelp())
            helped = [connection.receive(START_SECONDS) for _ in range(200)]
            assert all(isinstance(message, m.Help) for message in helped)
            connection.send(m.Ping(m.Text("hello")))
            assert connection.receive(START_SECONDS) == m.Pong(m.Text("hello"))
