"""The bot of a Python file, which plays where it is told to, whatever the file says."""

import os
import subprocess
import sys
from pathlib import Path

from engine.wire.seat import Seat, environment_variables


def run(file: Path) -> tuple[int, str]:
    """Play with a file on a server that is not there; return its exit status, and what it says."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "bots.workbench.play_file", "127.0.0.1", "1", str(file)],
        env={**os.environ, **environment_variables(Seat("elsewhere", 2, "ann", "mnk"))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == ""
    return done.returncode, done.stderr


def test_it_plays_where_the_variables_say_with_the_modules_beside_it(tmp_path: Path) -> None:
    (tmp_path / "helper_of_a_test.py").write_text("MOVE = 'a1'\n")
    file = tmp_path / "mybot.py"
    file.write_text("from helper_of_a_test import MOVE\n\ndef choose(position, clocks):\n    return MOVE\n")
    assert run(file) == (1, "mybot.py: no server at 127.0.0.1 port 1: Connection refused\n")


def test_a_file_without_a_function_is_refused_in_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "mybot.py"
    file.write_text("")
    sentence = f"mybot.py: {file} neither calls play nor has a function choose(position, clocks)\n"
    assert run(file) == (1, sentence)


def test_what_a_file_says_of_the_server_does_not_count(tmp_path: Path) -> None:
    file = tmp_path / "mybot.py"
    file.write_text("from bots.client import play\n\nplay(lambda position, clocks: '', port=3, name='bob')\n")
    assert run(file) == (1, "mybot.py: no server at 127.0.0.1 port 1: Connection refused\n")
