"""Programs answer before they import the compiler, arrays, and what else takes long."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bots.fake import FakeServer
from tests.bots.scripts import QUIT, login_of
from tests.bots.texts import BOARD

pytestmark = pytest.mark.slow

HEAVY = {"numba", "numpy", "llvmlite", "rich"}


def imported(report: str) -> set[str]:
    """Return the packages of a report of -X importtime."""
    lines = [line for line in report.splitlines() if line.startswith("import time:")]
    return {line.rsplit("|", 1)[1].strip().split(".")[0] for line in lines}


COMMAND = [sys.executable, "-P", "-X", "importtime", "-m"]


@pytest.mark.parametrize("bot", ["alphabeta", pytest.param("random", marks=pytest.mark.thorough)])
def test_a_bot_imports_no_compiler_before_its_first_move(bot: str) -> None:
    match = f"< MATCH 17 gipf 4,4,15,15 white bob 60000 0 1000 secret\n{BOARD}\n> READY\n< START 59900 59800\n"
    played = "< TURN 59900 59800\n? NOTE *\n> MOVE *\n"  # a slow search notes what it saw
    ended = "< RESULT 17 white resign 59850 59800 bob (black) resigned\n> PING settled\n"
    level = ["--level", "1"] if bot == "alphabeta" else []
    with FakeServer(f"{login_of(bot)}> SEEK gipf\n< SEEKING gipf\n{match}{played}{ended}{QUIT}") as server:
        words = [*COMMAND, "bots", bot, "--port", str(server.port), "--games", "1", *level]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
    found = imported(done.stderr)
    assert "bots" in found and "engine" in found
    assert not found & HEAVY


def test_a_server_imports_no_compiler_before_it_listens(tmp_path: Path) -> None:
    words = [*COMMAND, "server", "serve", "--no-web", "--port", "0", "--data", str(tmp_path)]
    told: list[str] = []
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        while "event=server_listening" not in (line := process.stderr.readline()):
            assert line, "it has ended"
            told.append(line)
        process.send_signal(signal.SIGTERM)
        told.append(process.stderr.read())
    assert process.returncode == 0
    found = imported("".join(told))
    assert "server" in found and "trio" in found
    assert not found & (HEAVY - {"rich"} | {"jinja2", "multiprocessing", "starlette"}), "structlog loads rich"
