"""A transcript over TCP and over TLS: all lines are equal."""

import re
from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

import pytest
import trustme

from bots.client.transport.address import address
from bots.client.transport.streams import ByteStream, open_stream
from server.config.tokens import hashed
from tests.server.process import START_SECONDS, ServerProcess

HANG_UP = "hang up"
SEEK = "SEEK gipf params=3,3,9,9 budget=600000"
ORGANISER = "rosebud-of-the-organiser"

Step = tuple[str, str, tuple[str, ...]]
"""Who sends, what in one piece, and who hears then which lines: ``name WORD``. What is sent may have {token} in it."""

STEPS: tuple[Step, ...] = (
    ("ann", "LOGIN ann", ("ann WELCOME",)),
    ("bob", "LOGIN bob", ("bob WELCOME",)),
    ("eve", "WATCH 1", ("eve ERROR",)),
    ("ann", f"{SEEK} colour=white", ("ann SEEKING",)),
    ("bob", f"PING early\n{SEEK}\nPING late", ("bob PONG", "bob MATCH", "bob PONG", "ann MATCH")),
    ("eve", "LIST", ("eve | 1",)),
    ("eve", "RECORD 1", ("eve ERROR",)),
    ("ann", "READY\nPING", ("ann PONG",)),
    ("bob", "READY", ("bob START", "ann START", "ann TURN")),
    ("eve", "WATCH 1\nPING", ("eve PONG",)),
    ("bob", "MOVE a3-b3", ("bob ERROR",)),
    ("ann", "SEEK\nPING\nBOARD\nMOVE a3-b3", ("ann ERROR", "ann PONG", "ann MOVED")),
    ("bob", "MOVES", ("bob MOVED", "bob TURN", "bob | ", "eve MOVED")),
    ("eve", "UNWATCH\nLIST\nWATCH 1\nPING", ("eve UNWATCHED", "eve | 1", "eve PONG")),
    ("eve", "UNWATCH\nLOGIN bob", ("eve UNWATCHED", "eve ERROR")),
    ("bob", HANG_UP, ("ann OPPONENT",)),
    ("new", "RESUME 1 {token}\n\a\nBOARD\nMOVE c1-c2", ("new ERROR", "ann OPPONENT", "ann MOVED", "ann TURN")),
    ("new", "RESIGN\nRECORD 1\nLIST", ("new RESULT", "new RECORD", "new MATCHES", "ann RESULT")),
    ("eve", f"RECORD 1\nORGANISE {ORGANISER}", ("eve RECORD", "eve ORGANISING")),
    ("ann", f"{SEEK} colour=white", ("ann SEEKING",)),
    ("new", SEEK, ("ann MATCH", "new MATCH")),
    ("eve", "ANNUL 2 enough\nLIST", ("eve ANNULLED", "eve | 2", "ann RESULT", "new RESULT")),
    ("ann", f"{SEEK} colour=white", ("ann SEEKING",)),
    ("new", SEEK, ("ann MATCH", "new MATCH")),
    ("eve", "DISMISS ann enough\nLIST", ("eve DISMISSED", "eve | 3", "ann BYE")),
    ("new", "RESIGN\nQUIT", ("new RESULT", "new BYE")),
)


class Peer:
    """A client that keeps each line that it hears."""

    def __init__(self, connect: Callable[[], ByteStream]) -> None:
        self._stream = connect()
        self._stream.settimeout(START_SECONDS)
        self.heard: list[str] = []
        self._read = 0
        self._rest = b""

    def say(self, text: str) -> None:
        self._stream.sendall(text.encode() + b"\n")

    def hear(self, beginning: str) -> None:
        """Wait for a line."""
        while True:
            while self._read < len(self.heard):
                self._read += 1
                if self.heard[self._read - 1].startswith(beginning):
                    return
            data = self._stream.recv(65536)
            assert data, f"closed before {beginning}: {self.heard}"
            *lines, self._rest = (self._rest + data).split(b"\n")
            self.heard += [line.decode() for line in lines]

    @property
    def token(self) -> str:
        """Return the token of its latest match."""
        return next(line for line in reversed(self.heard) if line.startswith("MATCH ")).split()[-1]

    def close(self) -> None:
        self._stream.close()


def transcript(connect: Callable[[], ByteStream]) -> dict[str, list[str]]:
    """Play it, and return what each peer has heard."""
    peers: dict[str, Peer] = {}
    with ExitStack() as kept:
        for name, text, heard in STEPS:
            if name not in peers:
                peers[name] = kept.enter_context(closing(Peer(connect)))
                peers[name].hear("ARENA")
            if text == HANG_UP:
                peers[name].close()
            else:
                peers[name].say(text.replace("{token}", peers["bob"].token) if name == "new" else text)
            for words in heard:
                listener, _, beginning = words.partition(" ")
                peers[listener].hear(beginning)
        return {
            name: [same(line) for line in peer.heard if not line.startswith("| unanswered")]
            for name, peer in peers.items()
        }


def same(line: str) -> str:
    """Return a line without what differs from run to run: tokens, clocks, dates, and how long a record is."""
    for pattern, word in (
        (r"[0-9a-f]{32}", "TOKEN"),
        (r"signature \S+", "signature"),
        (r"\b(5\d{5}|600000)(\.\d+)?\b|\b\d+\.\d{3}\b", "CLOCK"),
        (r"\d{4}-\S+Z", "DATE"),
    ):
        line = re.sub(pattern, word, line)
    return re.sub(r"^(RECORD \d+) \d+", r"\1 LINES", line)


@pytest.mark.slow
def test_a_transcript_is_the_same_over_tls(tmp_path: Path) -> None:
    organiser, papers = tmp_path / "organiser", papers_in(tmp_path)
    organiser.write_text(hashed(ORGANISER))
    heard = []
    for name, options, authority in (("plain", (), ""), ("encrypted", papers[:-1], papers[-1])):
        with ServerProcess(tmp_path / name, "--organiser", str(organiser), *options) as server:
            connect = partial(open_stream, *address("127.0.0.1", server.port, tls_ca=authority), 30)
            heard.append(transcript(connect))
            assert server.stop() == 0
            assert "level=error" not in server.log
    assert heard[0] == heard[1]


def papers_in(folder: Path) -> tuple[str, ...]:
    """Make a certificate; return the options for it, and the file of the authority."""
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    key, chain, trusted = folder / "key.pem", folder / "cert.pem", folder / "ca.pem"
    certificate.private_key_pem.write_to_path(key)
    certificate.cert_chain_pems[0].write_to_path(chain)
    authority.cert_pem.write_to_path(trusted)
    return "--tls-cert", str(chain), "--tls-key", str(key), str(trusted)
