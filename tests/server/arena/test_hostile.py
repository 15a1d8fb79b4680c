"""Hostile and broken clients: each gets one clear error, its session alone is closed, and a match beside it goes on."""

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
import structlog
import trio
from hypothesis import given, strategies as st
from trio.testing import MockClock

from engine.wire import messages as m
from engine.wire.coding import REQUEST_BYTES
from server.config import tokens
from server.config.settings import ERRORS, Settings
from tests.bench.sampled import memory
from tests.server.arena import attack
from tests.server.harness import ArenaHarness, logged, open_arena, play, playing
from tests.server.process import Client as Peer, ServerProcess, pair

NASTY = (
    "\x1b[31mred\x1b[0m",
    "a\rb",
    "a\x00b",
    "\u202egpj.exe",
    "\u2028line",
    "\x9b2J",
    "\u200bnothing",
    "[bold red]markup[/]",
    "[link=http://example.org]here[/link]",
    "<script>alert(1)</script>",
    "../../etc/passwd",
    "%s%n{0}",
    "аnn",  # a Cyrillic letter in front
    "ann\u0301",
    "a" * 5000,
    "-rf",
    ".",
    "CON",
    "=cmd()",
)
"""Text that a terminal, a log, a file name or a page might misread."""

REQUESTS = (
    "LOGIN {}", "LOGIN ann {}", "RESUME 1 {}", "RESUME {} x", "SEEK {}", "SEEK gipf {}", "SEEK gipf params={}",
    "SEEK gipf opponent={}", "SEEK gipf colour={}", "WATCH {}", "RECORD {}", "PING {}", "MOVE {}", "{}", "{} x",
    "ORGANISE {}", "ANNUL {}", "ANNUL 2 {}", "DISMISS {}", "DISMISS nobody {}",
)  # fmt: skip
"""Every field of every request."""

ORGANISER = "the-token-of-the-organiser"


@asynccontextmanager
async def with_match(
    folder: Path, change: Callable[[Settings], Settings] = lambda settings: settings
) -> AsyncIterator[ArenaHarness]:
    """An arena with a match that is played; when the test is done, the match has to go on as if nothing had been."""

    def with_organiser(settings: Settings) -> Settings:
        return change(msgspec.structs.replace(settings, organiser=tokens.hashed(ORGANISER)))

    async with playing(folder, "params=4,4,15,15 budget=10000000", change=with_organiser) as (harness, first, second):
        yield harness
        with trio.fail_after(1):
            for mover, other, move in ((first, second, "a5-b5"), (second, first, "e9-e8")):
                await mover.hear(m.Turn)
                await play(mover, other, move)
            await first.say(m.Resign())
            assert (await second.hear(m.Result)).reason == "resign"


async def test_tokens_are_not_to_be_guessed_for_long(tmp_path: Path, autojump_clock: MockClock) -> None:
    known = {name: sha256(b"secret").hexdigest() for name in ("eve",)}

    async with open_arena(tmp_path, change=lambda s: msgspec.structs.replace(s, tokens=known)) as harness:
        thief = await harness.connect()
        for number in range(ERRORS):
            assert (
                await thief.answer(m.Login("eve", f"guess{number}") if number % 2 else m.Resume(1, f"guess{number}"))
            ).code == "bad_token"
        assert (await thief.next()).reason == "errors"
        assert await thief.next() is None


def test_time_of_a_comparison_does_not_depend_on_whether_there_is_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[int, int]] = []

    def compare(first: str, second: str) -> bool:
        compared.append((len(first), len(second)))
        return first == second

    monkeypatch.setattr("hmac.compare_digest", compare)
    known = sha256(b"secret").hexdigest()
    assert [tokens.fits(known, "secret"), tokens.fits(known, "guess"), tokens.fits("", ""), tokens.fits("", "x")] == [
        True, False, False, False,
    ]  # fmt: skip
    assert compared == [(64, 64)] * 4


async def test_endless_line_gets_one_error_and_takes_no_room(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with with_match(tmp_path) as harness:
        client = await harness.connect()
        for _ in range(1000):
            await client.stream.send_all(b"x" * REQUEST_BYTES)
        assert (await client.next()).code == "line_too_long"
        await client.nothing()
        (session,) = [
            v.session for v in harness.rate_limiter.quotas if v.session is not None and v.session.state == "guest"
        ]
        assert len(session._end._lines._rest) <= REQUEST_BYTES + 1  # type: ignore[attr-defined]
        await client.stream.send_all(b"\nPING\n")
        assert await client.next() == m.Pong()


@pytest.mark.slow
@given(pieces=st.lists(st.binary(max_size=200), max_size=12), ends=st.booleans())
def test_garbage_harms_nobody(tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes], ends: bool) -> None:
    async def main() -> None:
        async with with_match(tmp_path_factory.mktemp("garbage")) as harness:
            client = await harness.connect()
            for piece in pieces:
                await client.stream.send_all(piece + b"\n" * ends)
            await client.stream.send_all(b"\nPING still\n")
            assert (await client.hear(m.Pong)) == m.Pong(m.Text("still"))

    trio.run(main, clock=MockClock(autojump_threshold=0))


@pytest.mark.slow
async def test_nothing_that_is_said_reaches_logs_files_or_others_unescaped(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    with logged(verbose=True) as written:
        async with with_match(tmp_path) as harness:
            watcher = await harness.connect("carl")
            await watcher.say(m.Watch(1))
            for first in (m.Ping(), m.Login("eve"), m.Organise(ORGANISER)):
                for text in NASTY:
                    client = await harness.guest(first)
                    for request in REQUESTS:
                        await client.stream.send_all(request.format(text).encode() + b"\n")
                    await client.stream.send_all(b"QUIT\n")
                    while await client.next() is not None:  # the client's end refuses what cannot be printed
                        pass
                    await trio.sleep(0.01)
    assert all(line.isascii() and line.isprintable() for line in written.getvalue().splitlines())
    names = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert names and all(re.fullmatch(r"(records|running|keys)/[0-9]+\.txt|lock", name) for name in names), names


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize("text", NASTY)
def test_log_line_stays_one_line_of_printable_ascii(text: str, as_json: bool) -> None:
    with logged(json=as_json) as written:
        log = structlog.get_logger()
        log.error("a fault", name=text, names=(text, [text]), path=Path(text), exc_info=ValueError(f"bad\n{text}"))
    (line,) = written.getvalue().split("\n")[:-1]
    assert line.isascii() and line.isprintable()
    if as_json:
        assert json.loads(line)["name"] == text


MATCHES = 20 if os.environ.get("ARENA_CAMPAIGN") else 1
"""Matches beside each attack."""

MAX_KILOBYTES_A_SESSION = 256
"""Most that the server may grow by for a session that does what it can: 64 KB of answers that wait, and what it is made
of itself."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind",
    ["lists", *(pytest.param(kind, marks=pytest.mark.thorough) for kind in ("garbage", "connections"))],
)
def test_match_goes_on_beside_an_attack(tmp_path: Path, kind: str) -> None:
    (tmp_path / "arena.toml").write_text('[limits]\ntrusted = ["127.0.0.1/32"]\n')  # the attackers have another address
    with ServerProcess(tmp_path / "data", "--config", str(tmp_path / "arena.toml")) as server:
        before, grown = memory(server.process.pid), 0.0
        command = [sys.executable, "-P", "-m", "tests.server.arena.attack", str(server.port), kind]
        with subprocess.Popen(command) as attackers:
            try:
                _wait_for(attackers)
                for _ in range(MATCHES):
                    with pair(server.port) as (ann, bob):
                        ann.say(m.Move(m.Text("a5-b5")))
                        bob.hear(m.Moved)
                        bob.say(m.Resign())
                        ann.hear(m.Result)
                    grown = max(grown, memory(server.process.pid) - before)
                _wait_for(attackers)
            finally:
                attackers.kill()
        assert grown < attack.SESSIONS * MAX_KILOBYTES_A_SESSION
        peer = Peer(server.port)
        peer.ask(m.Ping(), m.Pong)
        peer.close()


def _wait_for(attackers: subprocess.Popen[bytes]) -> None:
    """Wait until the attack is under way: for a moment it has none, when the server has closed them all."""
    while not _connected_from(attack.SOURCE):
        assert attackers.poll() is None
        time.sleep(0.01)


def _connected_from(host: str) -> bool:
    """Tell whether somebody is connected from an address of IPv4, as the kernel lists it."""
    source = socket.inet_aton(host)[::-1].hex().upper()
    lines = Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]
    return any(line.split()[1].startswith(source + ":") and line.split()[3] == "01" for line in lines)
