"""What the three programs have in common: their version, and completion in the user's shell."""

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

PROGRAMS = {"arena-bot": "bots", "arena-engine": "engine", "arena-server": "server"}


def run(program: str, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program of a user whose home is a folder."""
    return subprocess.run(
        [sys.executable, "-m", PROGRAMS[program], *arguments],
        env={**os.environ, "HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_tells_its_version(program: str, tmp_path: Path) -> None:
    done = run(program, tmp_path, "--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, version("gipf-arena") + "\n", "")


@pytest.mark.parametrize(
    ("program", "words", "completed"),
    [
        ("arena-bot", ["che"], ["check"]),
        ("arena-bot", ["check", "--ju"], ["--junit"]),
        ("arena-engine", ["sol"], ["solve"]),
        ("arena-server", ["serve", "--tls-"], ["--tls-cert", "--tls-key"]),
    ],
)
def test_bash_completes_commands_and_options(
    program: str, words: list[str], completed: list[str], tmp_path: Path
) -> None:
    assert run(program, tmp_path, "--install-completion", "--shell", "bash").returncode == 0
    line = [program, *words]
    function = f"_{program.replace('-', '_')}"
    ask = f'. ~/.bashrc; COMP_WORDS=("$@") COMP_CWORD={len(words)}; {function}; echo "${{COMPREPLY[@]}}"'
    done = subprocess.run(
        ["bash", "-c", ask, "bash", *line],
        env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == completed


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_home_that_cannot_be_written_takes_one_line(program: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("")
    done = run(program, home, "--install-completion", "--shell", "fish")
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith(f"{program}: --install-completion: {home}") and done.stderr.count("\n") == 1


@pytest.mark.parametrize("program", ["engine", "bots", "server"])
def test_what_an_encoding_lacks_is_shown_as_an_escape(program: str) -> None:
    main = f"import {program}.__main__ as program; program.load = lambda name: lambda: print('gr\\xfcn \\u25cb')"
    found = subprocess.run(
        [sys.executable, "-P", "-c", f"{main}; program.main()"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert found.stdout == "gr\\xfcn \\u25cb\n"
