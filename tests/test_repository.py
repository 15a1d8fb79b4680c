"""What holds for the repository as a whole."""

import importlib
import re
from pathlib import Path

import pytest

from tests.test_options import LINES

ROOT = Path(__file__).parent.parent
PACKAGES = ("engine", "server", "bots")


@pytest.mark.parametrize("name", PACKAGES)
def test_generic_package_names_are_those_of_this_checkout(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__file__ is not None
    assert Path(module.__file__).resolve() == ROOT / name / "__init__.py"


def test_constraints_are_exact_and_name_no_addresses() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) > 20
    for line in lines:
        assert re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][A-Za-z0-9.]*", line), line


def help_of(program: str, command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Return what a command of one of our programs says about itself."""
    LINES[program]([command, "--help"], result_action="return_value")
    shown = capsys.readouterr().out
    assert command in shown, f"{program} {command}"
    return shown


def test_commands_of_the_readme_and_their_options_exist(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^    (arena-(?:engine|server|bot)) ([a-z]+)(.*)$", text, re.MULTILINE)
    commands = {(program, command): "" for program, command, _ in lines}
    options = 0
    for program, command in commands:
        commands[program, command] = help_of(program, command, capsys)
    for program, command, rest in lines:
        for option in (word.rstrip(",;") for word in rest.split() if word.startswith("--")):
            assert option in commands[program, command], f"{program} {command} {option}"
            options += 1
    assert len(commands) >= 7 and options > 5


@pytest.mark.parametrize("path", sorted((ROOT / "bots").glob("*_bot.py")), ids=lambda path: path.name)
def test_bots_stand_on_the_client_library(path: Path) -> None:
    assert "from bots." in path.read_text(encoding="utf-8")
