"""Numbers that are none, in options that take a number with a fraction."""

import re
import tomllib
from functools import cache
from pathlib import Path

import cyclopts
import pytest

import bots.cli
import engine.cli
import server.cli
from engine.commands.program import Rejected

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def with_commands_of_others(app: cyclopts.App) -> cyclopts.App:
    """Return ``arena-bot`` with the commands that pyproject.toml lists, whether or not they are installed yet."""
    for name, function in PROJECT["entry-points"]["arena_bot.commands"].items():
        if name not in app:
            app.command(function, name=name)
    return app


LINES = {
    "arena-engine": engine.cli.application(),
    "arena-bot": with_commands_of_others(bots.cli.app),
    "arena-server": server.cli.app,
}

SIGNED = ("duel gipf gipf --elo0", "duel gipf gipf --elo1")
"""Options that may be less than 0."""

BOUNDED = ("solve gipf --time", "analyse gipf --time", "duel nodes=1 nodes=2 --alpha", "duel nodes=1 nodes=2 --beta")
"""Options whose bounds the command itself checks."""

ROOT = Path(__file__).parent.parent
QUOTED = re.compile(r"(arena-(?:bot|engine|server)) (?!is |knows |--help)([a-z-]+)((?: (?!-- )[^\s`\";,]+)*)")
"""A command that a sentence or a page names, with the words behind it."""

DOCUMENTED = re.compile(r"\b(arena-(?:bot|engine|server)) ([a-z][a-z-]+)\b([^`\n|]*)")
"""A command that a document names, with the rest of its line."""

OPTIONS = {
    "arena-engine": (*SIGNED, *BOUNDED),
    "arena-bot": ("play --time",),
    "arena-server": (
        "serve --grace", "serve --return-time", "serve --sync-interval", "contest a.toml --grace",
        "contest a.toml --return-time", "announce --hours",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("program", "option", "value"),
    [
        (program, option, value)
        for program, options in OPTIONS.items()
        for option in options
        for value in ("nan", "inf", "-1")
        if value != "-1" or option not in (*SIGNED, *BOUNDED[2:])
    ],
)
def test_what_is_no_number_is_refused_and_named(program: str, option: str, value: str) -> None:
    with pytest.raises((cyclopts.ValidationError, Rejected)) as refused:
        LINES[program].parse_args(f"{option}={value}".split(), exit_on_error=False, print_error=False)
    assert option.split()[-1] in str(refused.value) and value in str(refused.value)


@pytest.mark.slow
def test_commands_that_sentences_pages_and_documents_name_exist_with_their_options() -> None:
    """With the words behind a command that are commands of their own, as in contest withdraw."""
    files = [path for path in ROOT.glob("[bes]*/**/*") if path.suffix in (".py", ".html", ".js")]
    named = [(path.name, *words) for path in files for words in QUOTED.findall(path.read_text(encoding="utf-8"))]
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")):
        named += [(path.name, *words) for words in DOCUMENTED.findall(path.read_text(encoding="utf-8"))]
    count = 0
    for file, program, command, words in named:
        assert command in LINES[program], f"{file}: {program} {command}"
        if options := set(re.findall(r"(?<= )--[a-z][a-z0-9-]*", words)):
            assert options <= options_of(program, command, words.split()[0]), f"{file}: {program} {command}{words}"
            count += len(options)
    assert count > 150


@cache
def options_of(program: str, command: str, word: str) -> set[str]:
    """Return the options of a command, or of the command that the word behind it names."""
    app = LINES[program][command]
    app = app[word] if not word.startswith("-") and word in app else app
    return {name for argument in app.assemble_argument_collection() for name in argument.names}
