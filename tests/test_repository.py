"""Checks of the repository as a whole."""

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


NESTED = ("contest", "ladder", "people")
"""Commands that have commands."""


def help_of(program: str, command: str, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Return what a command of one of our programs says about itself."""
    LINES[program]([command, *words, "--help"], result_action="return_value")
    shown = capsys.readouterr().out
    assert command in shown, f"{program} {command}"
    return shown


@pytest.mark.slow
def test_commands_of_the_documents_and_their_options_exist(capsys: pytest.CaptureFixture[str]) -> None:
    """With the words behind a command that are commands of their own, as in contest withdraw."""
    shown: dict[tuple[str, str], str] = {}
    options = 0
    for document in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        text = document.read_text(encoding="utf-8")
        for program, command, rest in re.findall(r"\b(arena-(?:engine|server|bot)) ([a-z][a-z-]+)\b([^`\n|]*)", text):
            if (program, command) not in shown:
                shown[program, command] = help_of(program, command, capsys)
            known = shown[program, command]
            if command in NESTED and (word := re.match(r" ([a-z]+)\b", rest)):
                known = help_of(program, command, capsys, word[1])
            for option in re.findall(r"(?<= )--[a-z0-9-]+", rest):
                assert re.search(rf"{option}(?![\w-])", known), f"{document.name}: {program} {command} {option}"
                options += 1
    assert len(shown) > 40 and options > 60
