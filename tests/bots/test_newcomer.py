"""What somebody reads whose first bot does not run: one sentence, whatever is wrong."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bots.cli import main
from bots.client.errors import hides_us
from tests.bots.fake import FakeServer
from tests.bots.scripts import SEEK, login_of

BOT = """
from bots.client.run import play
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


@pytest.mark.parametrize("name", ["engine.py", "engine/__init__.py", "ssl.py"])
def test_a_file_that_hides_what_is_needed_is_named(tmp_path: Path, name: str) -> None:
    hiding = tmp_path / name
    hiding.parent.mkdir(exist_ok=True)
    hiding.write_text("")
    status, shown = run(tmp_path)
    path = tmp_path / Path(name).parts[0]
    assert status == 1
    assert shown.startswith(
        f"mybot.py: {path} hides the module {path.stem!r}, which the arena's client library needs: "
    )
    assert shown.count("\n") == 1


def test_files_that_hide_nothing_are_not_named(tmp_path: Path) -> None:
    (tmp_path / "moves.py").write_text("")
    (tmp_path / "test.py").write_text("")  # a module of Python's own that is not needed
    assert run(tmp_path)[1].startswith("mybot.py: no server")
    assert hides_us(tmp_path) == ""
    (tmp_path / "bots.py").write_text("")
    assert hides_us(tmp_path).startswith(f"{tmp_path / 'bots.py'} hides the module 'bots'")


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


@pytest.mark.parametrize("command", ["bridge", "check"])
def test_a_program_beside_which_a_package_is_hidden_is_warned_of(
    command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bots.py").write_text("")
    program = tmp_path / "mybot.py"
    program.write_text("from bots.client.run import play")
    with pytest.raises(SystemExit):
        main([command, "--", sys.executable, str(program)])
    assert f"warning: {tmp_path / 'bots.py'} hides the module 'bots', " in capfd.readouterr().err
