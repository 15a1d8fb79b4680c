"""The bot of a Python file, which plays where it is told to, whatever the file says."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

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


NOWHERE = "no server at 127.0.0.1 port 1: Connection refused"


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        ("from helper_of_a_test import MOVE\n\ndef choose(position, clocks):\n    return MOVE\n", NOWHERE),
        ("from bots.client import play\n\nplay(lambda position, clocks: '', port=3, name='bob')\n", NOWHERE),
        ("", "{file} neither calls play nor has a function choose(position, clocks)"),
    ],
    ids=["imports a module beside it", "names another server", "has no bot"],
)
def test_a_file_plays_where_the_variables_say(program: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "helper_of_a_test.py").write_text("MOVE = 'a1'\n")
    file = tmp_path / "mybot.py"
    file.write_text(program)
    assert run(file) == (1, f"mybot.py: {sentence.format(file=file)}\n")
