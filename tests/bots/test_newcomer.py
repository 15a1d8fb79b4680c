"""What somebody reads whose first bot does not run: one sentence, whatever is wrong."""

import signal
import subprocess
import sys
from pathlib import Path

from tests.bots.fake import FakeServer
from tests.bots.scripts import SEEK, login_of

BOT = """
from bots.client import play
from engine.games.interface import moves

play(lambda position, clocks: {choice}, name="mybot", port={port})
"""


def run(folder: Path, choice: str = "moves(position)[0]", port: int = 1) -> tuple[int, str]:
    """Run a bot as its author would; return its exit status, and what it shows on stderr."""
    program = folder / "mybot.py"
    program.write_text(BOT.format(choice=choice, port=port), encoding="utf-8")
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=False)
    assert done.stdout == ""
    return done.returncode, done.stderr


def test_without_a_server(tmp_path: Path) -> None:
    assert run(tmp_path) == (1, "mybot.py: no server at 127.0.0.1 port 1: Connection refused\n")


WAITING = login_of("mybot") + SEEK + "hold\n"


def test_ctrl_c_ends_without_a_traceback(tmp_path: Path) -> None:
    program = tmp_path / "mybot.py"
    with FakeServer(WAITING) as server:
        program.write_text(BOT.format(choice="None", port=server.port), encoding="utf-8")
        bot = subprocess.Popen([sys.executable, str(program)], stderr=subprocess.PIPE, text=True)
        server.wait_for("SEEK gipf")
        bot.send_signal(signal.SIGINT)
        shown = bot.communicate()[1]
    assert (bot.returncode, shown) == (-signal.SIGINT, "mybot.py: interrupted\n")
    assert server.said[-1] == "QUIT"
