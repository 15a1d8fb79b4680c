"""Hostile clients against a real server: a match beside them goes on, and memory stays bounded.

The long form, ``ARENA_CAMPAIGN=1``, has more matches, and also measures what other players notice;
`tests.bench.hostile` prints the figures.
"""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.wire import messages as m
from tests.bench import attack, hostile
from tests.bench.sampled import memory
from tests.server.process import Client, ServerProcess, pair

SECONDS = 1000
"""Longer than the matches beside an attack take, on any machine."""

MATCHES = 20 if os.environ.get("ARENA_CAMPAIGN") else 6
"""Matches beside each attack."""

MAX_KILOBYTES_A_SESSION = 256
"""Most that the server may grow by for a session that does what it can: 64 KB of answers that wait, and what it is made
of itself."""


@pytest.mark.slow
def test_match_goes_on_beside_an_attack(tmp_path: Path) -> None:
    (tmp_path / "arena.toml").write_text(hostile.CONFIGURATION)
    with ServerProcess(tmp_path / "data", "--config", str(tmp_path / "arena.toml")) as server:
        for kind in ("lists", "garbage", "connections"):
            before, grown = memory(server.process.pid), 0.0
            command = [sys.executable, "-P", "-m", "tests.bench.attack", str(server.port), kind, str(SECONDS)]
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
        peer = Client(server.port)
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


@pytest.mark.slow
@pytest.mark.skipif("ARENA_CAMPAIGN" not in os.environ, reason="takes minutes; make campaign runs it")
@pytest.mark.parametrize("kind", attack.KINDS)
def test_others_notice_little(kind: str) -> None:
    (row,) = hostile.run([kind])
    assert row.beside < max(2 * row.before, hostile.UNNOTICED)
