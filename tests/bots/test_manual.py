"""What the help of ``arena-bot`` ends with: each command has it, and its examples are right."""

import shlex

import pytest

from bots.cli import COMMANDS, app

EXAMPLES = [(command.name, line) for command in COMMANDS for line, _ in command.examples]


@pytest.mark.parametrize(("name", "line"), EXAMPLES)
def test_an_example_is_a_right_command_line(name: str, line: str) -> None:
    program, command, *arguments = shlex.split(line)
    assert (program, command) == ("arena-bot", name)
    app.parse_args([command, *arguments], exit_on_error=False, print_error=False)


def test_help_shows_them(capsys: pytest.CaptureFixture[str]) -> None:
    app(["check", "--help"], result_action="return_value")
    shown = capsys.readouterr().out
    assert "arena-bot check --junit check.xml -- python3 mybot.py (for CI)" in shown
    assert "Exit status: 0 nothing is wrong; 1 something is; 2 wrong usage; 130 interrupted." in " ".join(shown.split())
