"""A Python file with a function that chooses moves, which plays with the library's help."""

import os
import subprocess
import sys
from pathlib import Path

from engine.wire.seat import Seat, environment_variables


def run(file: Path) -> tuple[int, str]:
    """Play with a file on a server that is not there; return its exit status, and what it says."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "bots.workbench.choose_file", str(file)],
        env={**os.environ, **environment_variables(Seat("127.0.0.1", 1, "ann", "mnk"))},
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
