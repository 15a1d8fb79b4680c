"""How a version is built and started, told from its files.

A ``Makefile`` builds whatever it wants, by ``make``; without one each language is built as the examples are. A file
``command`` says in one line how the bot is started; without one it is started as those that ``arena-bot new`` makes
are.
"""

import os
import shlex
import sys
from pathlib import Path
from typing import NamedTuple

COMMAND = "command"
"""The file that says how a bot is started."""

MAX_COMMAND = 1000
"""Characters of it."""

TOLD = ("{host}", "{port}", "{name}", "{game}")
"""What a program that does not look into its environment is told."""


PYTHON = ("python3", "python")
"""What stands for the server's own Python, which has the client library."""


class NoRecipe(ValueError):
    """Nobody can tell how a bot is built or started; ``str(error)`` says what would be right."""


class Language(NamedTuple):
    """How a bot whose folder has a certain file is built."""

    source: str
    build: tuple[str, ...]


LANGUAGES = (
    Language("Makefile", ("make",)),
    Language("makefile", ("make",)),
    Language("Cargo.toml", ("cargo", "build", "--release", "--offline", "--quiet")),
    Language("go.mod", ("go", "build", "-o", "bot", ".")),
    Language("bot.go", ("go", "build", "-o", "bot", "bot.go")),
    Language("bot.cpp", ("c++", "-std=c++17", "-O2", "-o", "bot", "bot.cpp")),
    Language("bot.c", ("cc", "-O2", "-o", "bot", "bot.c")),
    Language("bot.rs", ("rustc", "-O", "-o", "bot", "bot.rs")),
    Language("Bot.java", ("javac", "Bot.java")),
)
"""The first whose file is there holds."""

STARTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("bot.py", ("python3", "bot.py")),
    ("bot.js", ("node", "bot.js", *TOLD)),
    ("Bot.class", ("java", "-cp", ".", "Bot", *TOLD)),
    ("target/release/bot", ("target/release/bot", *TOLD)),
    ("bot", ("./bot", *TOLD)),
)
"""How a bot is started that has, once it is built, a certain file; the first holds."""


def build_command(folder: Path) -> tuple[str, ...]:
    """Return what builds the bot in a folder; nothing where nothing is to be built."""
    for source, build in LANGUAGES:
        if (folder / source).is_file():
            return build
    return ()


def start_command(folder: Path) -> tuple[str, ...]:
    """Return what starts a bot that was built in a folder, as seen from there, if its author has not written it down.

    Raises `NoRecipe`.
    """
    for product, start in STARTS:
        if os.path.lexists(folder / product) and not os.path.isdir(folder / product):  # a link may lead nowhere here
            return start
    scripts = sorted(path.name for path in folder.glob("*.py") if path.name.isprintable())
    if len(scripts) == 1:
        return "python3", scripts[0]
    raise NoRecipe(
        f"it is not clear how the bot is started: name its program bot.py, bot.js, Bot.java or bot, or write the "
        f"command into a file {COMMAND}, as in: python3 src/main.py"
    )


def written_command(folder: Path) -> tuple[str, ...]:
    """Return what the author has written down to start the bot; nothing if there is no such file. Raises `NoRecipe`."""
    file = folder / COMMAND
    if not file.is_file() or os.access(file, os.X_OK):
        return ()
    try:
        text = file.read_text(encoding="utf-8-sig").strip()
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise NoRecipe(f"the file {COMMAND} cannot be read: {error}") from None
    if not words or "\n" in text or len(text) > MAX_COMMAND:
        raise NoRecipe(f"the file {COMMAND} holds one line with the command that starts the bot, as in: python3 bot.py")
    return words


def runnable(command: tuple[str, ...]) -> tuple[str, ...]:
    """Return the command that starts a bot on this machine: Python is the server's own, with the client library."""
    return (sys.executable, *command[1:]) if command[0] in PYTHON else command
