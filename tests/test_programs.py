"""Common behaviour of the three programs: their version, their output and its faults."""

import errno
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engine.commands.program import VERSION
from tests.test_options import LINES

pytestmark = pytest.mark.slow

PROGRAMS = {"arena-bot": "bots", "arena-engine": "engine", "arena-server": "server"}


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_tells_its_version(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    LINES[program](["--version"], result_action="return_none")
    assert capsys.readouterr() == (f"{VERSION}\n", "")


def test_what_an_encoding_lacks_is_shown_as_an_escape() -> None:
    main = "from engine.commands import program; program.load = lambda name: lambda: print('gr\\xfcn \\u25cb')"
    found = subprocess.run(
        [sys.executable, "-P", "-c", f"{main}; from bots.__main__ import main; main()"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert found.stdout == "gr\\xfcn \\u25cb\n"


PRINTING = {
    "arena-bot": ["--version"],
    "arena-engine": ["shell", "gipf"],
    "arena-server": ["doctor"],
}
"""Arguments that print, by program: through a library, with other answers, line by line."""

# all programs share the class of the output: CI alone tries arena-server, which starts slowest
each_program = pytest.mark.parametrize(
    "program", ["arena-bot", "arena-engine", pytest.param("arena-server", marks=pytest.mark.thorough)]
)

LOST_STATUS = {"arena-bot": 1, "arena-engine": -signal.SIGPIPE, "arena-server": 1}
"""How a program ends whose output nobody reads. Compiled code of the engine leaves the end to the signal."""


def stderr_of(program: str, tmp_path: Path, stdout: int | None, **options: Any) -> tuple[int, str]:
    """Let a program print where nothing can be printed; return its status and what it says on stderr."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", PROGRAMS[program], *PRINTING[program]],
        cwd=tmp_path, input="PRINT_GAME_BOARD\n", stdout=stdout, stderr=subprocess.PIPE, text=True, check=False,
        **options,
    )  # fmt: skip
    return done.returncode, done.stderr


@each_program
def test_a_reader_that_closes_the_output_ends_a_program_quietly(program: str, tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        assert stderr_of(program, tmp_path, writer) == (LOST_STATUS[program], "")
    finally:
        os.close(writer)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@each_program
def test_a_full_disk_behind_the_output_takes_one_sentence(program: str, tmp_path: Path) -> None:
    with open("/dev/full", "wb") as full:
        said = stderr_of(program, tmp_path, full.fileno())
    assert said == (1, f"{program}: standard output: {os.strerror(errno.ENOSPC)}\n")


def test_output_that_is_closed_from_the_beginning_takes_one_sentence(tmp_path: Path) -> None:
    said = stderr_of("arena-engine", tmp_path, None, preexec_fn=partial(os.close, 1))
    assert said == (1, f"arena-engine: standard output: {os.strerror(errno.EBADF)}\n")
