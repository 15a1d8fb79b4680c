"""Numbers that are none, in every option of every command line that takes a number with a fraction."""

import inspect
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import cyclopts
import pytest

import bots.cli
import engine.cli
import server.cli
from engine.commands.program import Rejected

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def with_commands_of_others(app: cyclopts.App) -> cyclopts.App:
    """Return ``arena-bot`` with the commands that pyproject.toml lists, whether or not they are installed yet."""
    for name, function in PROJECT["entry-points"][bots.cli.OTHERS].items():
        if name not in app:
            app.command(function, name=name)
    return app


LINES = {
    "arena-engine": engine.cli.application(),
    "arena-bot": with_commands_of_others(bots.cli.app),
    "arena-server": server.cli.app,
}


def options() -> Iterator[tuple[str, str, str, list[str]]]:
    """Yield program, command and option, and what has to stand before the option."""
    for program, line in LINES.items():
        for command, function in commands(line):
            parameters = inspect.signature(function).parameters.values()
            needed = ["gipf" for one in parameters if one.default is one.empty and one.kind is not one.VAR_POSITIONAL]
            for name, kind in hints_of(function):
                if float in (kind, *get_args(kind)):
                    yield program, command, f"--{name.replace('_', '-')}", needed


def commands(line: cyclopts.App, before: str = "") -> Iterator[tuple[str, Callable[..., object]]]:
    """Yield the commands of a program, and what carries each out; a group yields those in it."""
    for name in line:
        if name.startswith("-"):
            continue
        function = line[name].default_command
        if function is not None:
            yield before + name, function
        else:
            yield from commands(line[name], f"{before}{name} ")


def hints_of(function: Callable[..., object]) -> Iterator[tuple[str, Any]]:
    """Yield names and types of parameters, and of the fields of those that stand for several options."""
    for name, hint in get_type_hints(function, include_extras=True).items():
        kind = get_args(hint)[0] if get_origin(hint) is Annotated else hint
        if isinstance(kind, type) and is_dataclass(kind):
            yield from hints_of(kind)
        else:
            yield name, kind


OPTIONS = list(options())
SIGNED = {("arena-engine", "duel", option) for option in ("--elo0", "--elo1")}
"""Options that may be less than 0."""


def test_there_are_such_options() -> None:
    found = {option[:3] for option in OPTIONS}
    assert {("arena-engine", "solve", "--time"), ("arena-server", "serve", "--grace")} <= found
    assert found >= SIGNED and ("arena-bot", "play", "--time") in found


@pytest.mark.parametrize(("program", "command", "option", "needed"), OPTIONS)
@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "-1"])
def test_what_is_no_number_is_refused_and_named(
    program: str, command: str, option: str, needed: list[str], value: str
) -> None:
    line = [*command.split(), *needed, f"{option}={value}"]
    if value == "-1" and (program, command, option) in SIGNED:
        LINES[program].parse_args(line, exit_on_error=False, print_error=False)
        return
    with pytest.raises((cyclopts.ValidationError, Rejected)) as refused:
        LINES[program].parse_args(line, exit_on_error=False, print_error=False)
    assert option in str(refused.value) and value in str(refused.value)
