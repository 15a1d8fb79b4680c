"""The files of a new bot, made from the examples and from templates.

A bot's program is the one of bots/examples, word for word, so that there is one of each language. The other files
are made from `bots/workbench/templates`.
"""

import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from engine.commands.program import requirement
from engine.wire.messages import PORT


class Language(NamedTuple):
    """How a bot in a language is built, tested and started.

    ``{source}`` stands for the file of its program, and ``{folder}`` in ``run`` for the folder where it was built.
    """

    title: str
    example: str
    """The bot in bots/examples that a new one is a copy of."""
    run: str
    build: str = ""
    """The command that builds it, in its folder; empty where nothing is to be built."""
    built: str = ""
    """The file that this command makes."""
    products: str = ""
    """All that it leaves behind, as a pattern of make and git."""
    files: Mapping[str, str] = MappingProxyType({})
    """The templates of further files, and their paths in the bot's folder."""
    choose: str = "choose"
    """The function to change first."""
    test: str = 'arena-bot check --game $(GAME) --only "plays the" -- $(call run,.)'
    tested: str = "two of the situations of make check, in seconds"


PACKAGES = ("bots", "engine", "server")
"""Packages of the arena. Python would import a file of that name beside a bot in place of the package."""

SAID = "{host} {port} {name} {game}"
"""Where to play, as whom and what, as arguments; whatever starts programs fills these in."""

LANGUAGES = {
    "python": Language(
        "Python",
        "python/bot.py",
        "python3 {folder}/{source}",
        products="__pycache__",
        files={"test_bot.py": "test_{source}"},
        test="python3 test_{source}",
        tested="the bot chooses legal moves in the positions of a random game",
    ),
    "c": Language(
        "C", "c/bot.c", f"{{folder}}/bot {SAID}", "cc -Wall -O2 -o bot bot.c", "bot", "bot", choose="choose_move"
    ),
    "cpp": Language(
        "C++",
        "cpp/bot.cpp",
        f"{{folder}}/bot {SAID}",
        "c++ -std=c++17 -Wall -O2 -o bot bot.cpp",
        "bot",
        "bot",
        choose='what follows `kind == "MOVES"`',
    ),
    "java": Language(
        "Java", "java/Bot.java", f"java -cp {{folder}} Bot {SAID}", "javac Bot.java", "Bot.class", "*.class"
    ),
    "javascript": Language(
        "JavaScript", "javascript/bot.js", f"node {{folder}}/bot.js {SAID}", files={"package.json": "package.json"}
    ),
    "rust": Language(
        "Rust",
        "rust/bot.rs",
        f"{{folder}}/target/release/bot {SAID}",
        "cargo build --release --quiet",
        "target/release/bot",
        "target",
        files={"Cargo.toml": "Cargo.toml"},
    ),
    "go": Language(
        "Go", "go/bot.go", f"{{folder}}/bot {SAID}", "go build -o bot .", "bot", "bot", files={"go.mod": "go.mod"}
    ),
}
"""By the words of ``arena-bot new --language``; each has an example in bots/examples."""


FILES = {
    "README.md": "README.md",
    "Makefile": "Makefile",
    "requirements.txt": "requirements.txt",
    "gitignore": ".gitignore",
    "bot.yml": ".github/workflows/bot.yml",
}
"""The template of each file that every bot has, and its path in the bot's folder."""


def new_bot(name: str, language: str, game: str) -> dict[str, str]:
    """Return the files of a new bot, by their paths in its folder; ``language`` is one of `LANGUAGES`."""
    spoken = LANGUAGES[language]
    source = f"{name}.py" if language == "python" else spoken.example.rpartition("/")[2]
    run = spoken.run.replace("{source}", source)
    command = run.replace(" {folder}/", " ").replace("{folder}", ".")
    there = {"{host}": "127.0.0.1", "{port}": str(PORT), "{name}": name, "{game}": game}
    by_hand = " ".join(there.get(word, word) for word in command.split())
    values = {
        "title": spoken.title,
        "choose": spoken.choose,
        "tested": spoken.tested,
        "products": spoken.products,
        "products_made": f" {spoken.products}" if spoken.products else "",
        "builds": f"build it: {spoken.build}" if spoken.build else "nothing is to be built",
        "build_rule": f" {spoken.built}\n\n{spoken.built}: {source}\n\t{spoken.build}" if spoken.built else "",
        "name": name,
        "game": game,
        "source": source,
        "run": run.replace("{folder}", "$(1)"),
        "command": command,
        "by_hand": by_hand if "{game}" in run else f"ARENA_GAME={game} {by_hand}",
        "test": spoken.test.replace("{source}", source),
        "arena": requirement(),
    }
    made = {source: (files("bots") / "examples" / spoken.example).read_text(encoding="utf-8")}
    for template, path in {**FILES, **spoken.files}.items():
        text = (files("bots.workbench") / "templates" / f"{template}.template").read_text(encoding="utf-8")
        # names are [[ name ]] in templates: braces belong to make and commands
        made[path.replace("{source}", source)] = re.sub(r"\[\[ (\w+) \]\]", lambda found: values[found[1]], text)
    return made


def write_folder(folder: Path, made: dict[str, str]) -> None:
    """Write files into a folder that is not there yet; raises OSError."""
    folder.mkdir()
    for path, text in made.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
